import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { FIELD_MANAGER, FORK_FINALIZER } from '../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { ownershipMetadata } from '../../../common/workload/identity.ts'
import { observe } from '../../../controller/observe/observe.ts'
import { aDeployment, anExperiment, aPolicy, FORK, installing } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { aQuietController } from '../../fakes/controller.ts'
import { aRun } from '../analysis/a-run.ts'
import { anAnalysisPort } from './an-analysis.ts'
import { INPUTS, type Input } from './inputs.ts'
import { KEY, NOW, observing, observing as world } from './observing.ts'

const CROSS = { sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } }
const DELETED = { deletionTimestamp: '2026-11-21T10:00:00Z', finalizers: [FORK_FINALIZER] }

describe('observe', () => {
  it('collects the facts of an experiment without policies', async () => {
    const { diary, facts } = world({ cached: theFork() })
    const found = await facts()
    expect(found).to.deep.include({
      now: NOW,
      driftBackoffMs: 250,
      contestedMs: 60_000,
      isExcluded: false,
      nameHolder: undefined,
    })
    expect(found.source).to.deep.equal({ is: 'known', value: { object: aDeployment(), referents: [] } })
    expect(found.fork).to.deep.equal({ is: 'known', value: theFork() })
    expect([found.kind.is, found.schema.is, found.policies.is, found.revision.is]).to.deep.equal([
      'known',
      'known',
      'known',
      'absent',
    ])
    expect(diary).to.deep.equal(['source shop/cart', 'neighbours shop'])
  })

  it('N29: does not know a source or a fork that is too large to be read, and goes on', async () => {
    const large = { ...theFork(), [UNREAD]: 'it is longer than 1.5 MiB' }
    const { ports } = world({ cached: large })
    const source = () => Promise.reject(new KubeError({ kind: 'unread', message: 'cart is too large' }))
    const found = await observe({ ...ports, workloads: { ...ports.workloads, source } }, KEY, NOW)
    expect(found?.source).to.deep.equal({ is: 'unknown', because: 'cart is too large' })
    const because = 'it is too large: it is longer than 1.5 MiB'
    expect(found?.fork).to.deep.equal({ is: 'unknown', because, unread: large })
    expect(found?.nameHolder).to.equal(undefined)
  })

  it('returns undefined when the experiment is gone', async () => {
    const { ports } = world({ experiment: undefined })
    expect(await observe(ports, KEY, NOW)).to.equal(undefined)
  })

  it('reads nothing from the API server during a deletion without the finalizer', async () => {
    const { deletionTimestamp } = DELETED
    const { facts, diary } = world({
      experiment: anExperiment({ metadata: { deletionTimestamp } }),
      cached: theFork(),
    })
    expect([(await facts()).fork.is, diary]).to.deep.equal(['known', []])
  })

  it('reads only the fork, from the API server, during a deletion with the finalizer', async () => {
    const { facts, diary } = world({ experiment: anExperiment({ ...CROSS, metadata: DELETED }) })
    const found = await facts()
    expect(diary).to.deep.equal([`live store/${FORK}`])
    expect([found.fork.is, found.source.is, found.policies.is, found.surroundings.neighbours.is]).to.deep.equal([
      'absent',
      'unknown',
      'unknown',
      'unknown',
    ])
  })

  it('takes another object that has the name of the fork for the holder of the name', async () => {
    const other = aDeployment({ name: FORK })
    const found = await world({ cached: other, live: other }).facts()
    expect([found.fork.is, found.nameHolder]).to.deep.equal(['absent', other])
  })

  it('distinguishes a kind that the cluster does not serve from one that this version does not know', async () => {
    expect((await world({ isAbsent: true }).facts()).kind).to.deep.equal({ is: 'absent' })
    const experiment = anExperiment({ sourceRef: { kind: 'DaemonSet', name: 'cart' } })
    const { facts, diary } = world({ experiment })
    const found = await facts()
    expect(found.kind).to.deep.equal({ is: 'unknown', because: 'this version cannot fork a DaemonSet' })
    expect([found.source.is, found.fork.is, found.schema.is]).to.deep.equal(['absent', 'absent', 'absent'])
    expect(diary).to.deep.equal(['neighbours shop'])
  })

  it('reads the Events about a StatefulSet that has lacked pods for ten seconds, and about no other fork', async () => {
    const managedFields = (seconds: number) => [
      {
        manager: FIELD_MANAGER,
        operation: 'Apply',
        time: new Date(NOW.getTime() - 1_000 * seconds).toISOString(),
      },
    ]
    const forkOf = (seconds: number, status: object): KubeObject => ({
      ...theFork(),
      kind: 'StatefulSet',
      metadata: { ...theFork().metadata, managedFields: managedFields(seconds) },
      status: { observedGeneration: 3, ...status },
    })
    const readsOf = async (kind: string, cached: KubeObject) => {
      const experiment = anExperiment({ sourceRef: { kind, name: 'cart' } })
      const { facts, diary } = world({ experiment, cached })
      return [(await facts()).podRefusal.is, ...diary.filter((line) => line.startsWith('Events'))]
    }
    expect(await readsOf('StatefulSet', forkOf(10, {}))).to.deep.equal(['known', `Events of shop/${FORK}`])
    expect(await readsOf('StatefulSet', forkOf(9, {}))).to.deep.equal(['absent'])
    expect(await readsOf('StatefulSet', forkOf(60, { replicas: 1 }))).to.deep.equal(['absent'])
    expect(await readsOf('Deployment', forkOf(60, {}))).to.deep.equal(['absent'])
  })

  it('knows an excluded namespace', async () => {
    const experiment = anExperiment({ metadata: { namespace: 'kube-system' } })
    expect((await world({ experiment }).facts()).isExcluded).to.equal(true)
  })
})

describe('the consent that observe reads', () => {
  const experiment = anExperiment(CROSS)

  it('lets it read the source when a policy shares it', async () => {
    const { facts, diary } = world({ experiment, policies: [aPolicy({ allowSourcesFrom: ['shop'] })] })
    expect((await facts()).source.is).to.equal('known')
    expect(diary).to.deep.equal(['namespace shop', 'namespace store', 'source store/cart', 'neighbours store'])
  })

  it('keeps it from reading the source when no policy shares it', async () => {
    const { facts, diary } = world({ experiment, policies: [aPolicy({ allowSourcesFrom: ['lab'] })] })
    const { source, policies } = await facts()
    expect(source.is).to.equal('unknown')
    expect(policies.is === 'known' && policies.value.isShared).to.equal(false)
    expect(diary.join()).to.not.contain('source')
  })

  it('lets it read the Services of a run that has begun, also after no policy shares the source any more', async () => {
    const strategy = { blueGreen: { activeService: 'cart' } }
    const run = { run: 'r', revision: 'v', path: 'Forward', stepIndex: 3, since: '2026-11-21T09:00:00Z' } as const
    const begun = { ...run, phase: 'Progressing', step: '3/8 Progressing', stepName: 'cutOver' } as const
    const factsWith = (status: ExperimentDeploymentStatus) => {
      const policies = [aPolicy({ allowSourcesFrom: ['lab'] })]
      const { ports } = world({ experiment: anExperiment({ ...CROSS, strategy, status }), policies })
      return observe({ ...ports, installed: installing('cutOver'), service: async () => undefined }, KEY, NOW)
    }
    const found = await factsWith({ strategy: begun })
    expect([found?.cutOver?.services.is, found?.source.is]).to.deep.equal(['known', 'unknown'])
    expect((await factsWith({}))?.cutOver?.services.is).to.equal('unknown')
  })

  it('S12: keeps it from reading a source in a namespace that the webhooks exclude, whatever policies allow', async () => {
    const inSystem = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'kube-system' } })
    const { facts, diary } = world({ experiment: inSystem, policies: [aPolicy({ allowSourcesFrom: ['shop'] })] })
    const { policies } = await facts()
    expect(policies.is === 'known' && policies.value.isSourceExcluded).to.equal(true)
    expect(diary.join()).to.not.contain('source')
  })

  it('keeps it from reading the source in another namespace when the labels cannot be read', async () => {
    const { facts, diary } = world({ experiment, policies: [aPolicy()], isUnreadable: true })
    const { source, policies } = await facts()
    expect([source.is, policies.is]).to.deep.equal(['unknown', 'unknown'])
    expect(diary.join()).to.not.contain('source')
  })

  it('does not matter for a source in the own namespace', async () => {
    const found = await world({ policies: [aPolicy()], isUnreadable: true }).facts()
    expect([found.source.is, found.policies.is]).to.deep.equal(['known', 'unknown'])
  })
})

describe('the other experiments that observe reads', () => {
  it('are read last, and only in the scope that a limit counts', async () => {
    const { facts, diary } = world({ policies: [aPolicy({ maxExperimentsPerSource: 1 })] })
    const { policies } = await facts()
    expect(diary.at(-1)).to.equal('others of source')
    expect(policies.is === 'known' && policies.value.othersAsOf).to.equal(7)
  })

  it('are not read without such a limit', async () => {
    const { facts, diary } = world({ policies: [aPolicy({ maxReplicas: 1 })] })
    await facts()
    expect(diary.join()).to.not.contain('others')
  })
})

describe('the revision that observe reads', () => {
  const fork = { name: FORK, metadata: { ownerReferences: theFork().metadata.ownerReferences ?? [] } }
  const revision = { ...aDeployment(fork), data: { base: {}, source: {} } }
  const pinned = anExperiment({ onSourceChange: 'Pin' })

  it('is the one that the experiment owns', async () => {
    const { facts, diary } = world({ experiment: pinned, revision })
    expect((await facts()).revision).to.deep.equal({ is: 'known', value: revision })
    expect(diary).to.include(`revision shop/${FORK}`)
  })

  it('R5: is absent when another object has the name, which is the holder of that name', async () => {
    const other = aDeployment({ name: FORK })
    const found = await world({ experiment: pinned, revision: other }).facts()
    expect([found.revision.is, found.revisionHolder]).to.deep.equal(['absent', other])
  })

  it('S: is beside the fork, when that is in another namespace, also when the experiment is being deleted', async () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'stock' }
    for (const metadata of [{}, { deletionTimestamp: '2026-11-21T10:00:00Z' }]) {
      const experiment = anExperiment({ onSourceChange: 'Pin', sourceRef, metadata })
      const beside = { ...revision, metadata: { name: FORK, labels: { ...ownershipMetadata(experiment).labels } } }
      const { facts, diary } = world({ experiment, revision: beside })
      expect((await facts()).revision).to.deep.equal({ is: 'known', value: beside })
      expect(diary).to.include(`revision stock/${FORK}`)
    }
  })

  it('is read once more when the experiment was pinned until now', async () => {
    const status = { source: { uid: 'u', generation: 1, templateHash: 'a', pinned: true } }
    expect((await world({ experiment: anExperiment({ status }), revision }).facts()).revision.is).to.equal('known')
  })
})

describe('the source that observe reads', () => {
  it('is the present one until its base is pinned', async () => {
    const status = { source: { uid: 'u', generation: 1, templateHash: 'a', pinned: true } }
    const pinning = world({ experiment: anExperiment({ onSourceChange: 'Pin' }) })
    const pinned = world({ experiment: anExperiment({ onSourceChange: 'Pin', status }) })
    for (const { facts } of [pinning, pinned]) await facts()
    expect(pinning.diary).to.include('present source shop/cart')
    expect(pinned.diary).to.include('source shop/cart')
  })
})

describe('the related workloads that observe reads', () => {
  it('include a workload that takes its template from the source', async () => {
    const rollout: KubeObject = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } },
    }
    expect((await world({ referring: [rollout] }).facts()).surroundings.referrer.is).to.equal('known')
    expect((await world().facts()).surroundings.referrer.is).to.equal('absent')
  })

  it('are absent without a source', async () => {
    const { surroundings } = await world({ source: undefined }).facts()
    expect([surroundings.primary.is, surroundings.referrer.is]).to.deep.equal(['absent', 'absent'])
  })
})

describe('observe, when a fork has lost what marks it as ours', () => {
  it('R2: reads the fork whole when somebody has removed its labels, because the cache has only its metadata', async () => {
    const { metadata } = theFork()
    const cached = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...metadata, labels: {} } }
    const live = { ...theFork(), metadata: cached.metadata }
    const { facts, diary } = world({ cached, live })
    expect(await facts()).to.deep.include({ fork: { is: 'known', value: live }, nameHolder: undefined })
    expect(diary).to.include(`live shop/${FORK}`)
    expect(diary).to.not.include('doubt the cache')
  })

  it('F10: reads the fork live after a write reported that another object has its name', async () => {
    const live = { ...theFork(), metadata: { ...theFork().metadata, uid: 'another' } }
    const { facts, diary } = world({ cached: theFork(), live, isDoubted: true })
    expect((await facts()).fork).to.deep.equal({ is: 'known', value: live })
    expect(diary).to.include(`live shop/${FORK}`)
  })

  it('R2: reads the experiment live when its fork has lost its owner, because it may be orphaned on purpose', async () => {
    const { ownerReferences: _lost, ...metadata } = theFork().metadata
    const { ports, diary } = world({ cached: { ...theFork(), metadata } })
    const found = await observe(ports, KEY, NOW)
    expect([found?.fork.is, diary[0]]).to.deep.equal(['known', 'doubt the cache'])
    const get = async () => (diary.includes('doubt the cache') ? undefined : anExperiment())
    diary.length = 0
    expect(await observe({ ...ports, experiments: { ...ports.experiments, get } }, KEY, NOW)).to.equal(undefined)
  })
})

/** The rows of the table "What wakes an experiment": each input, and the bound in milliseconds. */
const ROWS = new Map(
  [
    ...readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| `([\w.]+)` \| .+ \| (at once|never|(\d+) s) \|$/gm),
  ].map(([, input = '', bound, seconds]) => [input, { bound, boundMs: 1_000 * Number(seconds ?? 0) }] as const),
)

describe('R7: the table of what wakes an experiment', () => {
  it('has a row for each input of observe, and no other', () =>
    expect([...ROWS.keys()].toSorted()).to.deep.equal(Object.keys(INPUTS).toSorted()))

  it('promises nothing later than after 60 s', () =>
    expect(Math.max(...[...ROWS.values()].map(({ boundMs }) => boundMs))).to.equal(60_000))

  for (const [input, changes] of Object.entries<Readonly<Record<string, Input>>>(INPUTS)) {
    const { boundMs = 0 } = ROWS.get(input) ?? {}
    for (const [what, { objects, first, change, isSeen, withinMs = boundMs }] of Object.entries(changes))
      it(`is right about ${input}, ${withinMs === 0 ? 'at once' : `within ${withinMs / 1_000} s`}: ${what}`, async () => {
        const world = await aQuietController(objects, first)
        const wasSeen = isSeen(world)
        await change(world)
        await world.pass(withinMs)
        const seen = isSeen(world)
        await world.controller.stop()
        expect([wasSeen, seen], world.words()).to.deep.equal([false, true])
      })
  }

  it('is right about isExcluded, which cannot change while the program runs', () => {
    expect(ROWS.get('isExcluded')?.bound).to.equal('never')
  })
})

const runs = [aRun()]
const analysis = anAnalysisPort({ runs })

describe('observe, with an analysis', () => {
  it('collects its facts beside all others', async () => {
    const { facts, diary } = observing({ experiment: anExperiment({ analysis: {} }), cached: theFork(), analysis })
    const found = await facts()
    expect(found.analysis?.runs).to.deep.equal(runs)
    expect(found.source.is).to.equal('known')
    expect(found.analysis?.source).to.deep.equal({ is: 'absent' })
    expect(diary).to.deep.equal(['source shop/cart', 'neighbours shop', 'namespace shop', 'live shop/cart'])
  })

  it('has no facts of one where the component is not installed', async () => {
    const { facts, diary } = observing({ experiment: anExperiment({ analysis: {} }), cached: theFork() })
    expect((await facts()).analysis).to.equal(undefined)
    expect(diary).to.deep.equal(['source shop/cart', 'neighbours shop'])
  })

  it('knows its runs while the experiment is being deleted', async () => {
    const experiment = anExperiment({ analysis: {}, metadata: DELETED })
    expect((await observing({ experiment, analysis }).facts()).analysis?.runs).to.deep.equal(runs)
  })

  it('deletes an experiment whose namespace cannot be read all the same', async () => {
    const experiment = anExperiment({ analysis: {}, metadata: DELETED })
    const failing = observing({ experiment, analysis })
    failing.ports.policies.namespace = () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'no' }))
    const found = await failing.facts()
    expect([found.fork.is, found.analysis]).to.deep.equal(['absent', undefined])
  })
})
