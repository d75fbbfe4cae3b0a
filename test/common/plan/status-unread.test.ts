import { expect } from 'chai'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { anExperiment } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { leftAt, someFacts, theFork } from './some-facts.ts'

const UNREAD = [{ name: 'service/big', unread: 'it is too large' }]
const NAMED = 'NotCompared: not compared with the pods: service/big (it is too large)'

/** The condition TrafficShared, and the reasons of the warnings. */
function shownOf(traffic: TrafficView) {
  const facts = someFacts({ fork: theFork(), experiment: anExperiment({ status: leftAt(3) }), traffic })
  const { conditions = [], warnings = [] } = statusOf(facts, plan(facts).conclusion)
  const found = conditions.find(({ type }) => type === 'TrafficShared')
  return [`${found?.status} ${found?.reason}: ${found?.message}`, ...warnings.map(({ reason }) => reason)]
}

describe('the status beside a Service that is too large to be read', () => {
  it('N29: does not say that there is none', () => {
    const [shared, ...warnings] = shownOf({ services: [], slices: [], unread: UNREAD })
    expect(shared).to.equal(`Unknown NotCompared: no other Service selects the pods; ${NAMED}`)
    expect(warnings).to.include('NotCompared').and.not.include('QueueWorker')
  })

  it('N29: does not say that another Service, which does not match, is the only one', () => {
    const services = [{ name: 'cart', selector: { app: 'cart', 'pod-template-hash': 'x' } }]
    const [shared] = shownOf({ services, slices: [], unread: UNREAD })
    expect(shared).to.match(/^Unknown NotCompared: service\/cart: the fork's pods lack pod-template-hash=x; /)
  })

  it('N29: has the share of another Service', () => {
    const services = [{ name: 'cart', selector: { app: 'cart' } }]
    const slices = [{ service: 'cart', ready: [{ address: '1', pod: 'cart-experiment-cd1aa1c99c-7d9f-1' }] }]
    const [shared] = shownOf({ services, slices, unread: UNREAD })
    expect(shared).to.equal(`True Selected: service/cart: 100% of new connections (1 of 1 endpoints); ${NAMED}`)
  })
})
