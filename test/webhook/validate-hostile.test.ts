import { expect } from 'chai'
import fc from 'fast-check'
import '../property.ts'
import { examine, type Reached } from '../fuzz/examine.ts'
import { aHostileInput } from '../fuzz/hostile.ts'

const WAYS: readonly Reached[] = ['malformed', 'over the limits', 'refused', 'unsound once merged', 'admitted']

describe('hostile input', () => {
  it('throws nothing, changes no prototype and gets the same answer twice, on every path through the webhook', function () {
    this.timeout(120_000)
    const reached = new Set<Reached>()
    fc.assert(
      fc.property(aHostileInput, (input) => void reached.add(examine(input))),
      { numRuns: 5_000 }, // half a minute for 20,000: the long run is `node test/fuzz/main.ts`,
    )
    expect([...reached]).to.include.members(WAYS)
  })
})
