import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { RunPath, RunPhase } from '../../../common/api/strategy.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { neighboursFor } from '../../../controller/observe/observe.ts'
import type { Ports } from '../../../controller/observe/ports.ts'
import { aDeployment, anExperiment } from '../../builders.ts'

const strategy = { blueGreen: { activeService: 'cart' } }
const SEEN = { observedGeneration: 1 }

/** How old the neighbours may be that are asked for: a minute, if nothing is said. */
async function ageFor(
  of: Parameters<typeof anExperiment>[0],
  fork: KubeObject | undefined,
  elapsedMs?: number,
): Promise<unknown> {
  const asked: unknown[] = []
  const ports = {
    surroundings: {
      neighbours: async (_namespace: string, maxAgeMs?: number) => {
        asked.push(maxAgeMs)
        return NO_NEIGHBOURS
      },
    },
    workloads: { cached: () => fork },
    steps: { elapsedMs: () => elapsedMs },
  } as unknown as Ports
  const experiment = anExperiment({ ...of, metadata: { generation: 1 } })
  const found = await neighboursFor(ports, 'shop/faster-cart', { experiment, adapter: deployment })
  expect(found).to.equal(NO_NEIGHBOURS)
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

  describe('for a canary inside the size of its source', () => {
    const sized = { strategy: { canary: { scaleDownSource: true } } }
    const run = { run: '', revision: '', stepIndex: 1, stepName: 'pause', step: '', since: '2026-11-21T10:00:00.000Z' }
    const at = (path: RunPath, phase: RunPhase) => ({ ...SEEN, strategy: { ...run, path, phase } })

    it('N52: are listed after its step began, and at most a minute old', async () => {
      const paused = { ...sized, status: at('Forward', 'Paused') }
      const ages = [await ageFor(paused, fork(1), 7_000), await ageFor(paused, fork(1), 3_600_000)]
      expect(ages).to.deep.equal([7_000, 60_000])
      expect(await ageFor(sized, undefined)).to.equal(0)
    })

    for (const [path, phase] of [
      ['Forward', 'Promoted'],
      ['Abort', 'Aborting'],
      ['Undo', 'Undoing'],
    ] as const)
      it(`N52: are as for all others where its run is ${phase}, because the source only grows`, async () =>
        expect(await ageFor({ ...sized, status: at(path, phase) }, fork(1), 7_000)).to.equal(undefined))
  })
})
