import { expect } from 'chai'
import { type AnalysisRun, decodeRun } from '../../common/analysis/kinds/run.ts'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { FollowedArms } from '../../controller/observe/ports.ts'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, FORK } from '../builders.ts'
import { recordingCluster } from '../recording-cluster.ts'
import { anAnalysisPort } from './observe/an-analysis.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')

/** The run as the cache has it once it was created. */
function cached(run: KubeObject | undefined): readonly AnalysisRun[] {
  if (!run) return []
  const decoded = decodeRun({ ...run, metadata: { ...run.metadata, uid: 'uid-of-run', resourceVersion: '7' } })
  return decoded.is === 'run' ? [decoded.run] : []
}

describe('a pass over an experiment with an analysis', () => {
  it('begins a run when the fork is ready and the source has rolled out, then follows the pods that this run compares', async () => {
    const source = { ...aDeployment(), status: { observedGeneration: 1, replicas: 11, updatedReplicas: 10 } }
    const story = recordingCluster({ experiment: anExperiment({ analysis: {} }), source })
    const followed: (FollowedArms | undefined)[] = []
    const read = () => ({
      ...anAnalysisPort({ runs: cached(story.world.run) }),
      follow: (_key: string, arms: FollowedArms | undefined) => void followed.push(arms),
    })
    const pass = async () => {
      story.world.analysis = read()
      await reconciler(story.cluster, clock)(KEY)
    }
    await pass()
    story.forkBecomesReady()
    await pass()
    expect(story.world.run).to.equal(undefined)
    story.world.source = { ...source, status: { ...source.status, updatedReplicas: 11 } }
    await pass()
    const name = story.world.run?.metadata.name ?? ''
    expect(name).to.match(new RegExp(`^${FORK}-[0-9a-f]{10}$`))
    await pass()
    expect(followed).to.deep.equal([
      ...[undefined, undefined, undefined],
      {
        run: name,
        namespace: 'shop',
        providers: ['prom'],
        treatment: { workload: FORK, selector: `${EXPERIMENT_ID}=cd1aa1c99c` },
        control: { workload: 'cart', selector: `app=cart,!${EXPERIMENT_ID}` },
      },
    ])
  })
})
