/** Some rows of test/faults, all of which take long: a fault hits the first apply of a fork. */
import { expect } from 'chai'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { statusAnswer } from '../faults/api-call.ts'
import { converges, creations, historyOf, recovers } from '../faults/oracles.ts'
import { aShop, type Proxied, usesProxied } from '../faults/proxied.ts'
import { between, type Rule, type When } from '../faults/rules.ts'
import { controlPlane } from './fixture.ts'
import { DEADLINE_MS, hasEndpoints, usesProduct } from './product.ts'

interface Fault {
  /** what happens to the call */
  readonly to: (proxied: Proxied) => Pick<Rule, 'onCall' | 'onAnswer'>
  /** whether the controller does not survive it */
  readonly isFatal: boolean
}

const failure = statusAnswer(500, 'InternalError', 'etcdserver: request timed out')
const WANTED = { canary: 'Available' }

const FAULTS: Readonly<Record<string, Fault>> = {
  'F5: its answer is lost: the repetition finds our object': {
    to: () => ({ onAnswer: () => 'reset' }),
    isFatal: false,
  },
  'F15: it fails before it reaches the API server: it is made again': {
    to: () => ({ onCall: () => failure }),
    isFatal: false,
  },
  'F1: it is stored, and the controller is killed before the answer: the next one finds our object': {
    to: ({ rival }) => ({
      onAnswer: async () => {
        await rival.process.stop('SIGKILL')
        return 'reset' as const
      },
    }),
    isFatal: true,
  },
}

describe('a fault hits the first apply of a fork, on the real control plane', function () {
  this.timeout(4 * DEADLINE_MS)
  usesProduct()
  const proxied = usesProxied()
  const resting: Promise<void>[] = []

  async function anotherLeads(): Promise<void> {
    const { api } = await controlPlane()
    // nobody else leads, so the next one need not wait until the Lease expires
    await api.delete(resourcePath(RESOURCES.Lease, { namespace: SYSTEM_NAMESPACE, name: 'experiment-controller' }))
    await proxied().restart()
  }

  for (const [title, { to, isFatal }] of Object.entries(FAULTS))
    it(title, async () => {
      const place = await aShop()
      const { namespace } = place
      await hasEndpoints(place, 'cart', 1) // each change of the source would cause another pass
      const { rules, rival } = proxied()
      const of = { method: 'PATCH', resource: 'deployments', namespace }
      const isFirst = between(1, 1)
      let hits = 0
      const when: When = (call) => {
        const isHit = isFirst(call)
        hits += Number(isHit)
        return isHit
      }
      const end = rules.add({ of, when, ...to(proxied()) })
      await place.experiment('canary', { source: 'cart' })
      if (isFatal) {
        await rival.process.exited
        await anotherLeads()
      }
      await converges(place, WANTED)
      end()
      expect(hits, 'the fault').to.equal(1)
      expect(creations(await historyOf(namespace))).to.have.length(1)
      const rested = recovers(place, WANTED)
      rested.catch(() => undefined) // awaited below
      resting.push(rested)
    })

  it('F1, F5, F15: afterwards nothing is written, and all that was written was allowed', async () => {
    await Promise.all(resting)
  })
})
