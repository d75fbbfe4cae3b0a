import { expect } from 'chai'
import { type AnalysisRun, decodeRun } from '../../common/analysis/kinds/run.ts'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { TrafficView } from '../../common/surroundings/traffic.ts'
import type { FollowedArms } from '../../controller/observe/ports.ts'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, FORK, imageOverride } from '../builders.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'
import { anAnalysisPort } from './observe/an-analysis.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')

const traffic = (ours: number, others: number): TrafficView => ({
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [
    {
      service: 'cart',
      ready: [
        ...Array.from({ length: ours }, (_, index) => ({ address: `o${index}`, pod: `${FORK}-7d9f-${index}` })),
        ...Array.from({ length: others }, (_, index) => ({ address: `s${index}`, pod: `cart-5c6b-${index}` })),
      ],
    },
  ],
})

/** Passes over an experiment whose fork is ready. */
async function withReadyFork() {
  const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
  const pass = reconciler(story.cluster, clock)
  await pass(KEY)
  story.forkBecomesReady()
  await pass(KEY)
  return { story, pass }
}

describe('a pass', () => {
  it('creates the fork, updates it with its source, then writes nothing more', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment({ image: 'cart:1.9' }) })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    story.forkBecomesReady()
    await pass(KEY)
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:2.0', metadata: { generation: 2 } })
    await pass(KEY)
    story.forkBecomesReady()
    await pass(KEY)
    const last = await pass(KEY)
    expect(story.diary).to.deep.equal([
      `create Deployment ${FORK}`,
      'status Ready=False Updating Progressing SourceResolved',
      'event Warning QueueWorker',
      'event Normal Updating',
      'the fork becomes ready',
      'status Ready=True Available SourceResolved',
      'event Normal Available',
      `apply Deployment ${FORK}`,
      'status Ready=False Updating Progressing SourceResolved',
      'event Normal Updating',
      'the fork becomes ready',
      'status Ready=True Available SourceResolved',
      'event Normal Available',
    ])
    expect(last).to.equal('never')
  })

  it('keeps the override when the source changes', async () => {
    const overrideSpec = imageOverride('cart:rc')
    const story = recordingCluster({
      experiment: anExperiment({ overrideSpec }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:2', spec: { minReadySeconds: 7 } })
    await pass(KEY)
    expect(story.applied.at(-1)?.spec).to.deep.include({ minReadySeconds: 7 })
    expect(JSON.stringify(story.applied.at(-1)?.spec)).to.contain('"image":"cart:rc"')
  })

  it('restores a fork that another client changed', async () => {
    const { story, pass } = await withReadyFork()
    story.anotherClientChangesTheFork({ spec: { replicas: 5 } })
    await pass(KEY)
    expect(story.world.stored?.spec).to.deep.include({ replicas: 1 })
  })

  it('restores the fork also when the repair has to wait', async () => {
    const { story, pass } = await withReadyFork()
    story.world.driftBackoffMs = 500
    story.anotherClientChangesTheFork({ spec: { replicas: 5 } })
    expect(await pass(KEY)).to.deep.equal({ afterMs: 500 })
    await pass(KEY)
    story.world.driftBackoffMs = 0
    await pass(KEY)
    expect(story.world.stored?.spec).to.deep.include({ replicas: 1 })
  })

  it('restores a fork that was changed while the source was missing', async () => {
    const { story, pass } = await withReadyFork()
    story.world.source = undefined
    story.anotherClientChangesTheFork({ spec: { replicas: 5 } })
    await pass(KEY)
    story.world.source = aDeployment()
    await pass(KEY)
    expect(story.world.stored?.spec).to.deep.include({ replicas: 1 })
  })

  it('reports what the API server refuses, and tries again after a minute', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
    story.world.failure = new KubeError({
      kind: 'invalid',
      status: 422,
      message: 'spec.template: no',
    })
    const again = await reconciler(story.cluster, clock)(KEY)
    expect(story.diary.slice(1)).to.deep.equal([
      'status Ready=False ApplyRefused Stalled SourceResolved',
      'event Warning ApplyRefused',
    ])
    expect(again).to.deep.equal({ afterMs: 60_000 })
  })

  it('throws when the API server is unreachable, and reports nothing', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
    story.world.failure = new KubeError({ kind: 'unreachable', message: 'reset' })
    let thrown: unknown
    await reconciler(
      story.cluster,
      clock,
    )(KEY).catch((error) => {
      thrown = error
    })
    expect(thrown).to.equal(story.world.failure)
    expect(story.diary).to.have.length(1)
  })

  it('writes the first share at once, and changed shares when it is time', async () => {
    const { story, pass } = await withReadyFork()
    story.world.traffic = traffic(1, 11)
    await pass(KEY)
    expect(story.world.experiment?.status?.share).to.equal('8%')

    story.world.traffic = traffic(1, 3)
    story.world.shareWaitMs = 6_000
    expect(await pass(KEY)).to.deep.equal({ afterMs: 6_000 })
    expect(story.world.experiment?.status?.share).to.equal('8%')
    story.world.shareWaitMs = 0
    expect(await pass(KEY)).to.equal('never')
    expect(story.world.experiment?.status?.share).to.equal('25%')
  })

  it('S3: deletes the fork of an experiment whose deletion a finalizer of somebody else delays', async () => {
    const experiment = anExperiment({ metadata: { finalizers: ['example.com/mine'] } })
    const story = recordingCluster({ experiment, source: aDeployment() })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    const { metadata } = experiment
    story.world.experiment = { ...experiment, metadata: { ...metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } }
    story.diary.splice(0)
    await pass(KEY)
    const told = 'status Ready=False Terminating Progressing'
    expect(story.diary.splice(0)).to.deep.equal([`scale Deployment ${FORK} down to 0`, told])
    await pass(KEY)
    expect(story.diary.splice(0)).to.deep.equal([`delete Deployment ${FORK}`, told])
    expect(await pass(KEY)).to.equal('never')
    expect(story.diary).to.deep.equal(['status Ready=False Terminating'])
  })

  it('plans when no other pass has had the processor for long', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
    let longTurns = 2
    const yielder = {
      get isLong() {
        return longTurns > 0
      },
      nextTurn: async () => {
        longTurns -= 1
        story.diary.push('another turn')
      },
    }
    await reconciler({ ...story.cluster, yielder }, clock)(KEY)
    expect(story.diary.slice(0, 3)).to.deep.equal(['another turn', 'another turn', `create Deployment ${FORK}`])
  })
})

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
