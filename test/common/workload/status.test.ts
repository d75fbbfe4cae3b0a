import { expect } from 'chai'
import {
  conditionMessage,
  conditionOf,
  ownTemplate,
  PLAIN_POD_REACH,
  pick,
  replicasOf,
  stalledBy,
  statusCount,
  takenDown,
} from '../../../common/workload/status.ts'
import { aDeployment } from '../../builders.ts'

const withStatus = (status: object) => ({ ...aDeployment(), status })

describe('conditionOf', () => {
  it('finds a condition by its type and status', () => {
    const conditions = [null, { type: 'Ready', status: 'False', message: 'x' }]
    const workload = withStatus({ conditions })
    expect(conditionOf(workload, 'Ready', 'False')).to.equal(conditions[1])
    expect(conditionOf(workload, 'Ready', 'True')).to.equal(undefined)
    expect(conditionOf(aDeployment(), 'Ready', 'True')).to.equal(undefined)
  })
})

describe('messageOf', () => {
  it('prefers the message of a condition to its reason', () => {
    expect(conditionMessage({ message: 'm', reason: 'r' })).to.equal('m')
    expect(conditionMessage({ reason: 'r' })).to.equal('r')
    expect(conditionMessage({})).to.equal('')
  })
})

describe('stalledBy', () => {
  it('reports a condition that is true, with its message, and no other', () => {
    const withCondition = (status: string) =>
      withStatus({ conditions: [{ type: 'InvalidSpec', status, message: 'm' }] })
    const stalled = { is: 'stalled', reason: 'InvalidSpec', message: 'm' }
    expect(stalledBy(withCondition('True'), 'InvalidSpec')).to.deep.equal(stalled)
    expect(stalledBy(withCondition('True'), 'ReplicaFailure')).to.equal(undefined)
    expect(stalledBy(withCondition('False'), 'InvalidSpec')).to.equal(undefined)
  })
})

describe('statusCount', () => {
  it('reads a number, also from a text, and takes an absent one for 0', () => {
    expect(statusCount(withStatus({ replicas: 3 }), 'replicas')).to.equal(3)
    expect(statusCount(withStatus({ observedGeneration: '4' }), 'observedGeneration')).to.equal(4)
    expect(statusCount(aDeployment(), 'replicas')).to.equal(0)
  })
})

describe('replicasOf', () => {
  it('takes absent replicas for 1, the default of the API server', () => {
    expect(replicasOf(aDeployment({ spec: { replicas: 0 } }))).to.equal(0)
    expect(replicasOf({ ...aDeployment(), spec: {} })).to.equal(1)
  })
})

describe('takenDown', () => {
  const cases: readonly (readonly [rollingUpdate: unknown, replicas: number, down: number])[] = [
    [undefined, 4, 1],
    [{ maxUnavailable: '50%' }, 4, 2],
    [{ maxUnavailable: '25%' }, 3, 0],
    [{ maxUnavailable: 0 }, 4, 0],
    [{ maxUnavailable: 0, maxSurge: 0 }, 4, 1],
    [{ maxUnavailable: '10%', maxSurge: 0 }, 4, 1],
    [{ maxUnavailable: 0, maxSurge: '1%' }, 4, 0],
    [{ maxUnavailable: 0, maxSurge: 0 }, 0, 0],
    [{ maxUnavailable: 9 }, 4, 4],
    [{ maxUnavailable: '100%' }, 4, 4],
  ]
  for (const [rollingUpdate, replicas, down] of cases)
    it(`is ${down} of ${replicas} pods with ${JSON.stringify(rollingUpdate)}`, () =>
      expect(takenDown(rollingUpdate, replicas)).to.equal(down))
})

describe('pick', () => {
  it('takes the members that are there, and none that is inherited', () =>
    expect(pick({ a: 1, b: null }, ['a', 'b', 'c', 'toString'])).to.deep.equal({ a: 1, b: null }))
})

describe('ownTemplate', () => {
  it('is the template of the spec, or missing', () => {
    const workload = aDeployment({ spec: { template: { spec: {} } } })
    expect(ownTemplate(workload)).to.deep.equal({ is: 'found', template: { spec: {} } })
    expect(ownTemplate({ ...workload, spec: {} })).to.deep.equal({
      is: 'missing',
      message: 'deployment/cart has no template',
    })
  })
})

describe('PLAIN_POD_REACH', () => {
  it('adds no labels, pins no Services and has no routes', () => {
    const workload = aDeployment()
    expect(PLAIN_POD_REACH.added(workload)).to.deep.equal({})
    expect(PLAIN_POD_REACH.pinnedServices(workload)).to.deep.equal([])
    expect(PLAIN_POD_REACH.isRouted(workload)).to.equal(false)
    expect(PLAIN_POD_REACH.hasPerPodLabel(workload, 'statefulset.kubernetes.io/pod-name', 'cart-0')).to.equal(false)
  })
})
