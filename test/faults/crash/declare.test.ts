import { expect } from 'chai'
import { quietProblems } from './declare.ts'
import type { Verdict } from './run.ts'

const verdict = (scenario: string, later?: readonly string[]): Verdict => ({
  scenario,
  request: 'create leases #1',
  position: 'committed',
  isReached: true,
  problems: [],
  ...(later ? { later: Promise.resolve(later) } : {}),
})

describe('the long quiet times of scenarios', () => {
  it('are quiet if one controller of each writes nothing', async () =>
    expect(await quietProblems([[verdict('create', []), verdict('create')], [verdict('update', [])]])).to.deep.equal(
      [],
    ))

  it('are not if one writes, or ends', async () =>
    expect(await quietProblems([[verdict('create', ['written'])], [verdict('update', ['ended'])]])).to.deep.equal([
      'written',
      'ended',
    ]))

  it('are not if a scenario has none, although another one has', async () =>
    expect(await quietProblems([[verdict('create', [])], [verdict('update')], []])).to.deep.equal([
      'no controller of the scenario update had a long quiet time',
      'no controller of the scenario number 3 had a long quiet time',
    ]))
})
