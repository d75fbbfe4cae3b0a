import { expect } from 'chai'
import { TIMES } from '../side-by-side.ts'
import { crashesOf } from './batch.ts'
import type { History } from './oracles.ts'
import type { Expected, Reference, Runner } from './run.ts'
import type { Scenario } from './scenarios.ts'

const scenario: Scenario = { name: 'leadership change', change: async () => undefined, isDone: async () => undefined }

/** A runner whose reruns make the requests that `isMade` names, and the crash points with a long quiet time. */
function runnerOf(requests: readonly string[], isMade: (request: string) => boolean) {
  const reference: Reference = { requests, end: {}, forkEvents: { ADDED: 1, DELETED: 0 }, events: {} }
  const long: string[] = []
  const runner: Runner = {
    reference: async () => reference,
    rerun: async (_, point, { isLong }: Expected) => {
      if (isLong) long.push(`${point.request}, ${point.position}`)
      return { scenario: scenario.name, ...point, isReached: isMade(point.request), problems: [] }
    },
  }
  return { runner, long }
}

const crashes = async (runner: Runner) =>
  (await Promise.all(crashesOf([{ scenario, runner }], {} as History, 2).values())).flat()

describe('all crash points of a scenario', () => {
  it('need not repeat an Event, whoever does, but make each other request that is the first of its sort', async () => {
    const events = [
      'patch events try.TIME #1',
      'leader: patch events try.TIME #1',
      'successor: patch events try.TIME #1',
    ]
    const others = ['leader: patch deployments cart-experiment-ID #1', 'create events try.TIME #1']
    const later = ['leader: patch deployments cart-experiment-ID #2']
    const { runner } = runnerOf([...events, ...others, ...later], () => false)
    const missing = (await crashes(runner)).filter(({ problems }) => problems.includes('the request was not made'))
    expect([...new Set(missing.map(({ request }) => request))]).to.deep.equal(others)
  })

  it('have one long quiet time, after a request that each run makes', async () => {
    const requests = ['patch deployments cart-experiment-ID #2', 'patch events try.TIME #1', 'create leases #1']
    const { runner, long } = runnerOf(requests, () => true)
    expect(await crashes(runner)).to.have.length(TIMES * requests.length * 3)
    expect(long).to.deep.equal(['create leases #1, not forwarded'])
  })
})
