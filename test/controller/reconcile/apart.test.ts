import { expect } from 'chai'
import { FORK_FINALIZER } from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { KubeError } from '../../../common/kube/errors.ts'
import { reconciler } from '../../../controller/reconcile/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, FORK } from '../../builders.ts'
import { recordingKube } from '../../recording-kube.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')
const apart = (metadata: Partial<ExperimentDeployment['metadata']> = {}) =>
  anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' }, metadata })
const THEIRS = 'example.com/theirs'

/** The source is in `store`, which shares it with `shop`. */
function world(experiment = apart()) {
  const story = recordingKube({ experiment, source: aDeployment({ metadata: { namespace: 'store' } }) })
  const pass = () => reconciler(story.kube, clock)(KEY)
  story.world.policies = [aPolicy({ allowSourcesFrom: ['shop'] })]
  const writes = async (act: () => Promise<unknown> = pass) => {
    const from = story.diary.length
    await act()
    return story.diary.slice(from)
  }
  const change = (of: Partial<ExperimentDeployment['metadata']>) => {
    const { experiment: present } = story.world
    if (!present) throw new Error('the experiment went')
    story.world.experiment = { ...present, metadata: { ...present.metadata, ...of } }
  }
  return { ...story, pass, writes, change, finalizers: () => story.world.experiment?.metadata.finalizers }
}

/** Deleted with its fork there. */
async function leaving() {
  const story = world(apart({ finalizers: [THEIRS] }))
  await story.pass()
  story.forkBecomesReady()
  await story.pass()
  story.change({ deletionTimestamp: '2026-11-21T10:00:00Z' })
  return story
}

describe('a fork in another namespace', () => {
  it('is made after the resource is held, and then left in peace', async () => {
    const { writes, forkBecomesReady, world: now, applied } = world()
    expect((await writes()).slice(0, 3)).to.deep.equal([
      'hold the resource',
      `apply Deployment ${FORK} unless it is somebody else’s`,
      'status Ready=False Updating Progressing SourceResolved',
    ])
    forkBecomesReady()
    await writes()
    expect(await writes()).to.deep.equal([])
    expect(applied[0]?.metadata.namespace).to.equal('store')
    expect(now.experiment?.status?.experimentResourceRef?.namespace).to.equal('store')
    expect(now.experiment?.status?.sourceName).to.equal('Deployment/store/cart')
  })

  it('is not made while the resource cannot be held', async () => {
    const { kube, pass, diary } = world()
    kube.hold = async () => {
      throw new KubeError({ kind: 'forbidden', message: 'cannot patch', forbiddenBy: 'rights' })
    }
    await pass()
    expect(diary).to.deep.equal([
      'status Ready=False ApplyRefused Stalled SourceResolved',
      'event Warning ApplyRefused',
    ])
  })

  it('is held again when somebody took the finalizer off', async () => {
    const { writes, pass, forkBecomesReady, change, finalizers } = world()
    await pass()
    forkBecomesReady()
    await pass()
    change({ finalizers: [THEIRS] })
    expect(await writes()).to.deep.equal(['hold the resource'])
    expect(finalizers()).to.deep.equal([THEIRS, FORK_FINALIZER])
  })

  it('goes before its resource does, whose other finalizers stay', async () => {
    const { writes, finalizers, world: now } = await leaving()
    expect(await writes()).to.deep.equal(['look for the fork', `delete Deployment ${FORK}`])
    expect(now.experiment && finalizers()).to.deep.equal([THEIRS, FORK_FINALIZER])
    expect(await writes()).to.deep.equal(['look for the fork', 'let the resource go'])
    expect(finalizers()).to.deep.equal([THEIRS])
    expect(await writes()).to.deep.equal([])
  })

  it('goes though consent was withdrawn, the source is gone and nothing else can be read', async () => {
    const { kube, writes } = await leaving()
    const unreadable = async () => {
      throw new KubeError({ kind: 'unreachable', message: 'no answer' })
    }
    Object.assign(kube, { namespace: unreadable, source: unreadable, pinned: unreadable, neighbours: unreadable })
    await writes()
    expect(await writes()).to.deep.equal(['look for the fork', 'let the resource go'])
  })

  it('holds its resource for as long as it is on its way', async () => {
    const { writes, world: now } = await leaving()
    const { stored } = now
    if (!stored) throw new Error('there is a fork')
    now.stored = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-11-21T10:00:01Z' } }
    expect(await writes()).to.deep.equal(['look for the fork'])
  })

  it('holds its resource when the API server cannot say whether it is there', async () => {
    const { pass, finalizers, diary, world: now } = await leaving()
    now.failure = new KubeError({ kind: 'unreachable', message: 'reset' })
    const thrown = await pass().catch((error: unknown) => error)
    expect(thrown).to.equal(now.failure)
    expect(diary.at(-1)).to.equal('look for the fork')
    expect(finalizers()).to.deep.equal([THEIRS, FORK_FINALIZER])
  })

  it('holds its resource when its removal is refused, and says so', async () => {
    const { kube, writes, finalizers } = await leaving()
    kube.deleteFork = async () => {
      throw new KubeError({ kind: 'forbidden', message: 'denied', forbiddenBy: 'admission' })
    }
    expect(await writes()).to.deep.equal(['look for the fork', 'event Warning ApplyRefused'])
    expect(finalizers()).to.deep.equal([THEIRS, FORK_FINALIZER])
  })

  it('lets the resource go past what has its name and is not ours', async () => {
    const { writes, world: now } = await leaving()
    now.stored = aDeployment({ name: FORK })
    expect(await writes()).to.deep.equal(['look for the fork', 'let the resource go'])
  })

  it('is not made without consent, and its source is not looked at', async () => {
    const { kube, writes, world: now } = world()
    now.policies = [aPolicy({ allowSourcesFrom: ['lab'] })]
    kube.source = async () => {
      throw new Error('the source was looked at')
    }
    const unshared = 'status Ready=False SourceNotAllowed Stalled not PolicyCompliant'
    expect((await writes())[0]).to.equal(unshared)
    const resolved = now.experiment?.status?.conditions?.find(({ type }) => type === 'SourceResolved')
    expect([resolved?.status, resolved?.reason]).to.deep.equal(['False', 'SourceNotAllowed'])
  })

  it('is kept when consent is withdrawn, and may still shrink', async () => {
    const { writes, pass, forkBecomesReady, world: now } = world(apart())
    await pass()
    forkBecomesReady()
    await pass()
    now.policies = []
    expect(await writes()).to.deep.equal([
      'status Ready=False SourceNotAllowed Stalled not PolicyCompliant',
      'event Warning SourceNotAllowed',
    ])
    if (now.experiment) now.experiment = { ...now.experiment, spec: { ...now.experiment.spec, replicas: 0 } }
    expect((await writes())[0]).to.equal(`shrink Deployment ${FORK} to 0`)
  })
})
