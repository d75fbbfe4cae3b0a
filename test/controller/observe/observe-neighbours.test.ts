import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { neighboursFor } from '../../../controller/observe/observe.ts'
import type { Ports } from '../../../controller/observe/ports.ts'
import { aDeployment, anExperiment } from '../../builders.ts'

const strategy = { blueGreen: { activeService: 'cart' } }
const SEEN = { observedGeneration: 1 }

/** How old the neighbours may be that are asked for: a minute, if nothing is said. */
async function ageFor(experiment: Parameters<typeof anExperiment>[0], fork: KubeObject | undefined): Promise<unknown> {
  const asked: unknown[] = []
  const ports = {
    surroundings: {
      neighbours: async (_namespace: string, maxAgeMs?: number) => {
        asked.push(maxAgeMs)
        return NO_NEIGHBOURS
      },
    },
    workloads: { cached: () => fork },
  } as unknown as Ports
  const found = anExperiment({ ...experiment, metadata: { generation: 1 } })
  expect(await neighboursFor(ports, found, deployment)).to.equal(NO_NEIGHBOURS)
  return asked[0]
}

describe('neighboursFor', () => {
  const fork = (replicas: number) => aDeployment({ spec: { replicas } })

  it('N20: are those of now where a blue-green is about to get pods', async () => {
    expect(await ageFor({ strategy, status: SEEN }, undefined)).to.equal(0)
    expect(await ageFor({ strategy, status: SEEN }, fork(0))).to.equal(0)
    expect(await ageFor({ strategy, status: {} }, fork(1))).to.equal(0)
  })

  it('N20: are at most a minute old for all others', async () => {
    expect(await ageFor({ strategy, status: SEEN }, fork(1))).to.equal(undefined)
    expect(await ageFor({}, undefined)).to.equal(undefined)
  })
})
