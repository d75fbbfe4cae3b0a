import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { endpointsOfOthers, serviceShares } from '../../../common/surroundings/shares.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aFork, aStatefulSet, FORK } from '../../builders.ts'

describe('endpointsOfOthers', () => {
  it('counts the ready pods of each Service that selects the fork, without those of experiments', () => {
    const source = aDeployment()
    const input = trafficInput({ kind: deployment, source, referents: [], fork: aFork() })
    const pods = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, 'cart-experiment-0123456789-aa-1']
    const ready = pods.map((pod) => ({ address: pod, pod }))
    const traffic = {
      services: [
        { name: 'cart', selector: { app: 'cart' } },
        { name: 'other', selector: { app: 'other' } },
        { name: 'web', selector: { app: 'cart' } },
        { name: 'joined', selector: { app: 'cart', role: 'replica' } },
        { name: 'not-joined', selector: { app: 'cart', role: 'leader' } },
      ],
      slices: [
        { service: 'cart', ready },
        { service: 'cart', ready },
        { service: 'web', ready: ready.slice(2) },
        { service: 'joined', ready: ready.slice(1) },
        { service: 'not-joined', ready: ready.slice(0, 1) },
      ],
    }
    expect(endpointsOfOthers(traffic, input)).to.deep.equal([
      { service: 'cart', ready: 2 },
      { service: 'web', ready: 0 },
      { service: 'joined', ready: 1 },
    ])
  })

  it('N23: counts ready endpoints without a pod as others, in the share and for maxShare', () => {
    const input = trafficInput({ kind: deployment, source: aDeployment(), referents: [], fork: aFork() })
    const ready = [`${FORK}-7d9f-1`, 'cart-1', 'cart-2', 'cart-3'].map((pod) => ({ address: pod, pod }))
    const traffic = {
      services: [{ name: 'cart', selector: { app: 'cart' } }],
      slices: [
        { service: 'cart', ready },
        { service: 'cart', ready: [{ address: '10.9.0.1' }, { address: '10.9.0.2' }] },
      ],
    }
    const [share] = serviceShares(traffic, input)
    expect(share).to.deep.include({ share: '17%', experimentEndpoints: 1, readyEndpoints: 6 })
    expect(endpointsOfOthers(traffic, input)).to.deep.equal([{ service: 'cart', ready: 5 }])
  })

  it('N37a: counts nothing that a forged slice of another family lists, so that it avoids no maxShare', () => {
    const input = trafficInput({ kind: deployment, source: aDeployment(), referents: [], fork: aFork() })
    const of = (...pods: string[]) => ({ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) })
    const slices = [of('cart-1', 'cart-2'), { ...of('cart-3', 'cart-4', 'cart-5'), family: 'IPv6' }]
    const services = [{ name: 'cart', selector: { app: 'cart' } }]
    expect(endpointsOfOthers({ services, slices }, input)).to.deep.equal([{ service: 'cart', ready: 2 }])
  })

  it('says which Service selects only one pod of each workload, by a label that each pod has with another value', () => {
    const index = { 'apps.kubernetes.io/pod-index': '0' }
    const traffic = { services: [{ name: 'first', selector: { app: 'cart', ...index } }], slices: [] }
    const endpointsBehind = (kind: WorkloadKind, source: KubeObject, labels = {}) =>
      endpointsOfOthers(traffic, trafficInput({ kind, source, referents: [], fork: aFork(source, { labels }) }))
    expect(endpointsBehind(statefulSet, aStatefulSet())).to.deep.equal([
      { service: 'first', ready: 0, isOfOnePod: true },
    ])
    expect(endpointsBehind(deployment, aDeployment(), index)).to.deep.equal([{ service: 'first', ready: 0 }])
  })
})
