import { expect } from 'chai'
import { known, knownOrAbsent, unknown } from '../../../common/api/known.ts'
import { gated } from '../../../common/fork/gated-spec.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { trafficReport } from '../../../common/surroundings/traffic-report.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment } from '../../builders.ts'
import { CART, ours, pairOf, slice } from './rows.ts'

interface Given {
  readonly isGated?: boolean
  readonly traffic?: TrafficView | undefined
  readonly neighbours?: Neighbours | undefined
  readonly primary?: string
  readonly referrer?: string
}

const reasons = (given: Given) => {
  const of: Given = {
    traffic: { services: [CART], slices: [slice('cart', ours, 'cart-1')] },
    neighbours: NO_NEIGHBOURS,
    ...given,
  }
  const open = pairOf({ source: aDeployment({ container: { args: ['--leader-elect'] } }) })
  const pair = given.isGated ? { ...open, fork: gated(deployment, open.fork).fork } : open
  const { services, hazards, collisions } = trafficReport(pair, {
    traffic: of.traffic ? known(of.traffic) : unknown('the Services'),
    neighbours: of.neighbours ? known(of.neighbours) : unknown('the neighbours'),
    primary: knownOrAbsent(of.primary),
    referrer: knownOrAbsent(of.referrer),
  })
  return {
    services: services.map(({ name, share, message }) => [name, share, message]),
    hazards: hazards.map(({ reason }) => reason),
    collisions: collisions.map(({ reason }) => reason),
  }
}

describe('trafficReport', () => {
  const target = { kind: 'Deployment', name: 'cart' }
  const neighbours = { ...NO_NEIGHBOURS, autoscalers: [{ name: 'cart', target, min: 1, max: 1, isOnCpu: true }] }

  it('gives shares, hazards and collisions', () => {
    expect(reasons({ neighbours })).to.deep.equal({
      services: [['cart', '50%', '50% to 50% while hpa/cart scales the source']],
      hazards: ['LeaderElection'],
      collisions: ['CountedByHPA'],
    })
  })

  it('gives HeldBackHPA for a gated fork', () =>
    expect(reasons({ neighbours, isGated: true }).collisions).to.deep.equal(['HeldBackHPA']))

  it('gives neither shares nor QueueWorker if the Services could not be read', () => {
    const { services, hazards } = reasons({ traffic: undefined })
    expect(services).to.deep.equal([])
    expect(hazards).to.deep.equal(['LeaderElection'])
  })

  it('gives QueueWorker if the Services were read and none selects the source', () => {
    const { hazards } = reasons({ traffic: { services: [], slices: [] } })
    expect(hazards).to.deep.equal(['LeaderElection', 'QueueWorker'])
  })

  it('gives no collisions with neighbours that could not be read', () =>
    expect(reasons({ neighbours: undefined }).collisions).to.deep.equal([]))

  it('passes on the primary and the referrer', () => {
    expect(reasons({ primary: 'cart-primary' }).hazards).to.include('SourceIsManaged')
    expect(reasons({ referrer: 'rollout/cart' }).hazards).to.include('SourceIsManaged')
  })
})
