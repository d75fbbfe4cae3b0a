import { expect } from 'chai'
import { replicasOf } from '../../common/workload/status.ts'
import { anExperiment, FORK } from '../builders.ts'
import { aQuietController, PATHS, stored } from './quiet-controller.ts'

const AUTOSCALER = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/cart'
const BLUE_GREEN = { strategy: { blueGreen: { activeService: 'cart' } } }
const uid = 'e7c3b1f2-0000-4000-8000-000000000000'

describe('a blue-green beside an autoscaler that is younger than what the controller has read', () => {
  it('N20: gets the pods that the plan tells, and loses none later', async () => {
    const world = await aQuietController()
    const { server, pass } = world
    server.put(
      AUTOSCALER,
      stored({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart', namespace: 'shop' },
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'cart' },
          maxReplicas: 20,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
        },
      }),
    )
    server.remove(PATHS.experiment)
    server.remove(PATHS.fork)
    await pass(1_000)
    server.put(PATHS.experiment, stored(anExperiment({ ...BLUE_GREEN, metadata: { uid } })))
    await pass(1_000)
    const forks = () => server.all(PATHS.deployments).filter(({ metadata }) => metadata.name !== 'cart')
    expect(forks().map(({ metadata }) => metadata.name)).to.not.include(FORK)
    expect(forks().map(replicasOf)).to.deep.equal([1])
    await pass(120_000)
    expect(forks().map(replicasOf)).to.deep.equal([1])
    await world.controller.stop()
  })
})
