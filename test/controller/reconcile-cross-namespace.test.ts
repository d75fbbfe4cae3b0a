import { expect } from 'chai'
import { FORK_FINALIZER } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, FORK } from '../builders.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')
const crossNamespace = (metadata: Partial<ExperimentDeployment['metadata']> = {}) =>
  anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' }, metadata })
const OTHER_FINALIZER = 'example.com/other'
const TERMINATING = 'status Ready=False Terminating Progressing SourceResolved'

/** The source is in `store`, which shares it with `shop`. */
function world(experiment = crossNamespace()) {
  const story = recordingCluster({ experiment, source: aDeployment({ metadata: { namespace: 'store' } }) })
  const pass = () => reconciler(story.cluster, clock)(KEY)
  story.world.policies = [aPolicy({ allowSourcesFrom: ['shop'] })]
  const writes = async (act: () => Promise<unknown> = pass) => {
    const from = story.diary.length
    await act()
    return story.diary.slice(from)
  }
  const change = (of: Partial<ExperimentDeployment['metadata']>) => {
    const { experiment: present } = story.world
    if (!present) throw new Error('the experiment is gone')
    story.world.experiment = { ...present, metadata: { ...present.metadata, ...of } }
  }
  return { ...story, pass, writes, change, finalizers: () => story.world.experiment?.metadata.finalizers }
}

/** An experiment that is being deleted while its fork exists. */
async function beingDeleted() {
  const story = world(crossNamespace({ finalizers: [OTHER_FINALIZER] }))
  await story.pass()
  story.forkBecomesReady()
  await story.pass()
  story.change({ deletionTimestamp: '2026-11-21T10:00:00Z' })
  return story
}

describe('a fork in another namespace', () => {
  it('is created after the finalizer is added, and then not written again', async () => {
    const { writes, forkBecomesReady, world: now, applied } = world()
    expect((await writes()).slice(0, 3)).to.deep.equal([
      'add the finalizer',
      `create Deployment ${FORK}`,
      'status Ready=False Updating Progressing SourceResolved',
    ])
    forkBecomesReady()
    await writes()
    expect(await writes()).to.deep.equal([])
    expect(applied[0]?.metadata.namespace).to.equal('store')
    expect(now.experiment?.status?.experimentResourceRef?.namespace).to.equal('store')
    expect(now.experiment?.status?.sourceName).to.equal('Deployment/store/cart')
  })

  it('is not created when the finalizer cannot be added', async () => {
    const { pass, diary, world: now } = world()
    const refused = new KubeError({ kind: 'forbidden', message: 'cannot patch', forbiddenBy: 'rights' })
    now.refusals = { 'patch experiment': refused }
    await pass()
    expect(diary).to.deep.equal([
      'status Ready=False ApplyRefused Stalled SourceResolved',
      'event Warning ApplyRefused',
    ])
  })

  it('gets its finalizer again when another client removed it', async () => {
    const { writes, pass, forkBecomesReady, change, finalizers } = world()
    await pass()
    forkBecomesReady()
    await pass()
    change({ finalizers: [OTHER_FINALIZER] })
    expect(await writes()).to.deep.equal(['add the finalizer'])
    expect(finalizers()).to.deep.equal([OTHER_FINALIZER, FORK_FINALIZER])
  })

  it('is deleted before the finalizer is removed, and other finalizers stay', async () => {
    const { writes, finalizers, world: now } = await beingDeleted()
    expect(await writes()).to.deep.equal(['read the fork', `scale Deployment ${FORK} down to 0`, TERMINATING])
    expect(await writes()).to.deep.equal(['read the fork', `delete Deployment ${FORK}`, TERMINATING])
    expect(now.experiment && finalizers()).to.deep.equal([OTHER_FINALIZER, FORK_FINALIZER])
    expect(await writes()).to.deep.equal([
      'read the fork',
      'remove the finalizer',
      'status Ready=False Terminating SourceResolved',
    ])
    expect(finalizers()).to.deep.equal([OTHER_FINALIZER])
    expect(await writes()).to.deep.equal([])
  })

  it('is deleted although nothing but the fork can be read', async () => {
    const { cluster, writes } = await beingDeleted()
    const unreadable = async () => {
      throw new KubeError({ kind: 'unreachable', message: 'no answer' })
    }
    const { workloads, policies, surroundings } = cluster.ports
    Object.assign(workloads, { source: unreadable })
    Object.assign(policies, { namespace: unreadable })
    Object.assign(cluster.ports, { revision: unreadable })
    Object.assign(surroundings, { neighbours: unreadable })
    await writes()
    await writes()
    expect(await writes()).to.deep.equal([
      'read the fork',
      'remove the finalizer',
      'status Ready=False Terminating SourceResolved',
    ])
  })

  it('keeps the finalizer while it is being deleted', async () => {
    const { writes, world: now } = await beingDeleted()
    const { stored } = now
    if (!stored) throw new Error('there is a fork')
    now.stored = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-11-21T10:00:01Z' } }
    expect(await writes()).to.deep.equal(['read the fork', TERMINATING])
  })

  it('keeps the finalizer when the API server cannot say whether it exists', async () => {
    const { pass, finalizers, diary, world: now } = await beingDeleted()
    now.failure = new KubeError({ kind: 'unreachable', message: 'reset' })
    const thrown = await pass().catch((error: unknown) => error)
    expect(thrown).to.equal(now.failure)
    expect(diary.at(-1)).to.equal('read the fork')
    expect(finalizers()).to.deep.equal([OTHER_FINALIZER, FORK_FINALIZER])
  })

  it('keeps the finalizer when its deletion is refused, and an Event says so', async () => {
    const { writes, finalizers, world: now } = await beingDeleted()
    const refused = new KubeError({ kind: 'forbidden', message: 'denied', forbiddenBy: 'admission' })
    now.refusals = { 'delete fork': refused }
    await writes()
    expect(await writes()).to.deep.equal([
      'read the fork',
      'event Warning ApplyRefused',
      'status Ready=False ApplyRefused Stalled SourceResolved',
    ])
    expect(finalizers()).to.deep.equal([OTHER_FINALIZER, FORK_FINALIZER])
  })

  it('is gone when another object has its name', async () => {
    const { writes, world: now } = await beingDeleted()
    now.stored = aDeployment({ name: FORK })
    expect(await writes()).to.deep.equal([
      'read the fork',
      'remove the finalizer',
      'status Ready=False Terminating SourceResolved',
    ])
  })

  it('is not created without consent, and its source is not read', async () => {
    const { cluster, writes, world: now } = world()
    now.policies = [aPolicy({ allowSourcesFrom: ['lab'] })]
    Object.assign(cluster.ports.workloads, {
      source: async () => {
        throw new Error('the source was read')
      },
    })
    const unshared = 'status Ready=False SourceNotAllowed Stalled not PolicyCompliant'
    expect((await writes())[0]).to.equal(unshared)
    const resolved = now.experiment?.status?.conditions?.find(({ type }) => type === 'SourceResolved')
    expect([resolved?.status, resolved?.reason]).to.deep.equal(['False', 'SourceNotAllowed'])
  })

  it('is kept when consent is withdrawn, and can still be scaled down', async () => {
    const { writes, pass, forkBecomesReady, world: now } = world(crossNamespace())
    await pass()
    forkBecomesReady()
    await pass()
    now.policies = []
    expect(await writes()).to.deep.equal([
      'status Ready=False SourceNotAllowed Stalled not PolicyCompliant',
      'event Warning SourceNotAllowed',
    ])
    if (now.experiment) now.experiment = { ...now.experiment, spec: { ...now.experiment.spec, replicas: 0 } }
    expect((await writes())[0]).to.equal(`scale Deployment ${FORK} down to 0`)
  })
})
