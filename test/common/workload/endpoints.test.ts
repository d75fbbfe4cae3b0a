import { expect } from 'chai'
import { deployment } from '../../../common/workload/deployment.ts'
import { endpointsBeside } from '../../../common/workload/endpoints.ts'
import { sidesOf } from '../../../common/workload/sides.ts'
import { aDeployment, aFork, FORK } from '../../builders.ts'

describe('the endpoints of others', () => {
  it('are pods of no experiment, of each Service that selects the fork', () => {
    const source = aDeployment()
    const sides = sidesOf({ kind: deployment, source, referents: [], fork: aFork() })
    const pods = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, 'cart-experiment-0123456789-aa-1']
    const ready = pods.map((pod) => ({ uid: pod, pod }))
    const traffic = {
      services: [
        { name: 'cart', selector: { app: 'cart' } },
        { name: 'other', selector: { app: 'other' } },
        { name: 'web', selector: { app: 'cart' } },
      ],
      slices: [
        { service: 'cart', ready },
        { service: 'cart', ready },
        { service: 'web', ready: ready.slice(2) },
      ],
    }
    expect(endpointsBeside(traffic, sides)).to.deep.equal([
      { service: 'cart', ready: 2 },
      { service: 'web', ready: 0 },
    ])
  })
})
