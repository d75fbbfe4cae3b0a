import { expect } from 'chai'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import type { AnalysisTemplate } from '../../../common/analysis/kinds/template.ts'
import { type Known, known, unknown } from '../../../common/api/known.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Handler } from '../../../common/kube/watch/handlers.ts'
import { AnalysisRuntime, type NamedProvider } from '../../../controller/analysis/analysis-runtime.ts'
import { anExperiment, UID } from '../../builders.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'
import { aRun, ERRORS } from './a-run.ts'
import { NO_PROVIDERS } from './no-providers.ts'
import { ANALYSIS, ARMS, aProvider, at, EXPERIMENT, RUN, START } from './polling.ts'

/** A cache whose objects the test puts there. */
function aCache<T>() {
  const objects = new Map<string, T>()
  const handlers: Handler<T>[] = []
  const emit: Handler<T> = (change) => {
    for (const handler of handlers) handler(change)
  }
  return {
    get: (key: string) => objects.get(key),
    list: () => [...objects.values()],
    subscribe: (handler: Handler<T>) => {
      handlers.push(handler)
      return () => undefined
    },
    put: (key: string, after: T) => {
      const before = objects.get(key)
      objects.set(key, after)
      emit(before ? { is: 'updated', key, before, after } : { is: 'added', key, after })
    },
    remove: (key: string) => {
      const before = objects.get(key)
      objects.delete(key)
      if (before) emit({ is: 'deleted', key, before })
    },
  }
}

/** A pod that counts since the run began. */
const POD = {
  metadata: {
    name: 'cart-1',
    uid: 'p',
    creationTimestamp: '2026-11-21T11:00:00Z',
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${ARMS.treatment.workload}-7d9f`,
        uid: 'r',
        controller: true,
      },
    ],
  },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T11:00:00Z' }] },
}
const template = (name: string): Known<AnalysisTemplate> => known({ metadata: { name }, spec: { metrics: [ERRORS] } })

/** A runtime whose window of `run-1` is due. Its provider is on this machine, where nobody may ask. */
function world({ isLeading = true } = {}) {
  const time = new VirtualTime()
  const diary: string[] = []
  const counts: string[] = []
  const caches = {
    runs: aCache<AnalysisRun>(),
    templates: aCache<Known<AnalysisTemplate>>(),
    clusterTemplates: aCache<Known<AnalysisTemplate>>(),
    providers: aCache<NamedProvider>(),
  }
  const experiments = aCache<ExperimentDeployment>()
  const state = { isLeading }
  const runtime = new AnalysisRuntime({
    client: {
      request: async ({ path }) => {
        diary.push(`list ${path}`)
        return { items: [POD] }
      },
    },
    caches,
    experiments,
    wake: (key) => diary.push(`wake ${key}`),
    isLeading: () => state.isLeading,
    http: NO_PROVIDERS,
    clock: () => new Date(START + 75_000 + time.now()),
    timers: time,
    random: () => 0,
    log: diaryLog(),
    observer: {
      polled: (...polled) => counts.push(`polled ${polled.join(' ')}`),
      recorded: (...recorded) => counts.push(`recorded ${recorded.join(' ')}`),
    },
  })
  experiments.put(EXPERIMENT, anExperiment({ analysis: ANALYSIS }))
  caches.providers.put('prom', { name: 'prom', provider: aProvider('prom', { address: 'http://127.0.0.1:9' }) })
  diary.length = 0
  const settle = async () => {
    for (let turns = 0; turns < 10; turns += 1) await turn()
  }
  return { time, diary, counts, caches, experiments, state, runtime, settle }
}

describe('the analysis runtime', () => {
  it('reads templates by name in their scope', () => {
    const { runtime, caches } = world()
    caches.templates.put('shop/errors', template('errors'))
    caches.clusterTemplates.put('errors', template('of all'))
    expect(runtime.template('shop', 'errors')).to.deep.equal(template('errors'))
    expect(runtime.template(undefined, 'errors')).to.deep.equal(template('of all'))
    expect(runtime.template('store', 'errors')).to.equal(undefined)
  })

  it('reads all providers, also one that is not as the API says', () => {
    const { runtime, caches } = world()
    caches.providers.put('bad', { name: 'bad', provider: unknown('spec.type: missing') })
    expect([...runtime.providers()].map(([name, { is }]) => [name, is])).to.deep.equal([
      ['prom', 'known'],
      ['bad', 'unknown'],
    ])
  })

  it('has the runs of an experiment, and wakes it at each of their changes', () => {
    const { runtime, caches, diary } = world()
    caches.runs.put(RUN, aRun())
    caches.runs.put(RUN, aRun({ status: { looks: 1 } }))
    expect(runtime.runs(EXPERIMENT, UID).map(({ status }) => status?.looks)).to.deep.equal([1])
    caches.runs.remove(RUN)
    expect(runtime.runs(EXPERIMENT, UID)).to.deep.equal([])
    expect(diary).to.deep.equal(Array(3).fill(`wake ${EXPERIMENT}`))
  })

  it('wakes the experiments with an analysis when a template or a provider changes, and no other one', () => {
    const { caches, experiments, diary } = world()
    experiments.put('shop/plain', anExperiment({ metadata: { name: 'plain' } }))
    caches.templates.put('shop/errors', template('errors'))
    caches.clusterTemplates.put('errors', template('errors'))
    caches.providers.remove('prom')
    expect(diary).to.deep.equal(Array(3).fill(`wake ${EXPERIMENT}`))
  })

  it('polls a run once its pods are followed, and keeps the answers for the pass that it wakes', async () => {
    const { runtime, caches, diary, counts, settle } = world()
    runtime.start()
    caches.runs.put(RUN, aRun())
    await settle()
    expect(diary).to.deep.equal([`wake ${EXPERIMENT}`])
    runtime.follow(EXPERIMENT, ARMS)
    await settle()
    const pods = 'list /api/v1/namespaces/shop/pods'
    expect(diary.slice(1)).to.deep.equal([pods, pods, `wake ${EXPERIMENT}`])
    expect(runtime.poll('uid-of-run-1')?.windows.map(({ answer }) => answer.is)).to.deep.equal(['failed'])
    expect(runtime.waiting).to.equal(1)
    expect(counts).to.deep.equal(['polled Prometheus failed 0'])
    await runtime.stop()
  })

  it('polls a run at once when its interval has become shorter', async () => {
    const { runtime, caches, experiments, settle } = world()
    experiments.put(EXPERIMENT, anExperiment({ analysis: { ...ANALYSIS, intervalSeconds: 3_600 } }))
    runtime.start()
    caches.runs.put(RUN, aRun({ status: { startedAt: at(0), nextLookAt: at(3_615) } }))
    runtime.follow(EXPERIMENT, ARMS)
    await settle()
    expect(runtime.waiting).to.equal(0)
    experiments.put(EXPERIMENT, anExperiment({ analysis: ANALYSIS }))
    await settle()
    expect(runtime.waiting).to.equal(1)
    await runtime.stop()
  })

  it('counts the windows that looks record, unless it is a standby', () => {
    const { caches, counts, state } = world()
    const looked = (counted: number) =>
      caches.runs.put(RUN, aRun({ status: { windows: { counted, empty: 0, unusable: 0, skipped: 1 } } }))
    looked(1) // those of its first appearance are old
    looked(3)
    state.isLeading = false
    looked(4)
    expect(counts).to.deep.equal(['recorded counted 2'])
  })

  it('tells how late the most overdue look is', () => {
    const { runtime, caches } = world()
    runtime.follow(EXPERIMENT, ARMS)
    caches.runs.put(RUN, aRun({ status: { startedAt: at(0), nextLookAt: at(70) } }))
    expect(runtime.lagMs).to.equal(5_000)
  })

  it('forgets what is gone', async () => {
    const { runtime, caches, experiments, settle, time } = world()
    runtime.start()
    caches.runs.put(RUN, aRun())
    runtime.follow(EXPERIMENT, ARMS)
    await settle()
    expect(runtime.entryCount).to.be.above(0)
    caches.runs.remove(RUN)
    experiments.remove(EXPERIMENT)
    expect(runtime.poll('uid-of-run-1')).to.equal(undefined)
    await time.pass(5_000)
    await settle()
    expect(runtime.entryCount).to.equal(0)
    await runtime.stop()
  })

  it('polls nothing as a standby, keeps no keys, and polls when it leads', async () => {
    const { runtime, caches, experiments, state, diary, settle } = world({ isLeading: false })
    caches.runs.put(RUN, aRun())
    caches.runs.put('shop/other', aRun({ name: 'other' }))
    experiments.put(EXPERIMENT, anExperiment({ analysis: { ...ANALYSIS, noDataSeconds: 60 } }))
    await settle()
    caches.runs.remove('shop/other')
    expect(runtime.entryCount).to.equal(1) // the run that is there, in the index
    state.isLeading = true
    runtime.start()
    runtime.follow(EXPERIMENT, ARMS)
    await settle()
    expect([runtime.waiting, diary.at(-1)]).to.deep.equal([1, `wake ${EXPERIMENT}`])
    await runtime.stop()
  })

  it('polls no more once it is stopped, and leaves no timer', async () => {
    const { runtime, caches, time, diary, settle } = world()
    runtime.start()
    runtime.follow(EXPERIMENT, ARMS)
    diary.length = 0
    const stopped = runtime.stop()
    caches.runs.put(RUN, aRun())
    await stopped
    await time.pass(600_000)
    await settle()
    expect([diary, runtime.waiting, time.pending]).to.deep.equal([[`wake ${EXPERIMENT}`], 0, 0])
  })
})
