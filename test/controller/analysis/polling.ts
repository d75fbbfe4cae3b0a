import type { AnalysisProvider } from '../../../common/analysis/kinds/provider.ts'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import type { WindowAnswer, WindowQuery } from '../../../common/analysis/query/window-query.ts'
import type { ArmPodView, ArmPodViews } from '../../../common/analysis/run/poll.ts'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { type Known, known } from '../../../common/api/known.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { Poller } from '../../../controller/analysis/poller.ts'
import { experimentOf } from '../../../controller/analysis/run-index.ts'
import type { FollowedArms } from '../../../controller/observe/ports.ts'
import { anExperiment } from '../../builders.ts'
import { aRun } from './a-run.ts'

/** The key of the run that is polled, and that of its experiment. */
export const RUN = 'shop/run-1'
export const EXPERIMENT = 'shop/faster-cart'
/** When the run was created, and its first window begins. */
export const START = Date.parse('2026-11-21T12:00:00Z')
const MINUTE = 60_000

/** A minute per window, and no warm-up. */
export const ANALYSIS: AnalysisSpec = { intervalSeconds: 60, warmUpSeconds: 0 }

/** A pod that has been Ready for a minute when the run begins. */
export const aPod = (name: string, readySinceMs: number = START - MINUTE): ArmPodView => ({
  name,
  uid: `uid-of-${name}`,
  createdMs: START - MINUTE,
  readySinceMs,
  restarts: 0,
})

export const PODS: ArmPodViews = { treatment: [aPod('fork-1')], control: [aPod('cart-1'), aPod('cart-2')] }

export const ARMS: FollowedArms = {
  run: 'run-1',
  namespace: 'shop',
  providers: ['prom', 'web'],
  treatment: { workload: 'fork', selector: 'experiment-id=cd1aa1c99c' },
  control: { workload: 'cart', selector: 'app=cart' },
}

export const FAILED: WindowAnswer = { is: 'failed', message: '503' }
export const SILENT: WindowAnswer = { is: 'silent', arms: ['control'] }

export const aProvider = (name: string, spec: Partial<AnalysisProvider['spec']> = {}): Known<AnalysisProvider> =>
  known({ metadata: { name }, spec: { type: 'Prometheus', namespaceSelector: {}, ...spec } })

interface Asked {
  readonly provider: string
  readonly query: WindowQuery
  readonly answer: (answer: WindowAnswer) => void
}

interface Given {
  readonly run?: AnalysisRun
  readonly analysis?: AnalysisSpec
  /** what providers answer at once; without it, the test answers */
  readonly answer?: WindowAnswer
}

/** A poller whose experiment is followed, and everything around it. Nothing has been polled yet. */
export function polling({ run = aRun(), analysis = ANALYSIS, answer }: Given = {}) {
  const cluster = {
    nowMs: START,
    runs: new Map([[RUN, run]]),
    experiments: new Map<string, ExperimentDeployment>([[EXPERIMENT, anExperiment({ analysis })]]),
    providers: new Map([['prom', aProvider('prom')]]),
    pods: async (): Promise<ArmPodViews> => PODS,
    busy: new Set<string>(),
  }
  const diary: string[] = []
  const asked: Asked[] = []
  const poller = new Poller({
    run: (key) => cluster.runs.get(key),
    runsOf: (experiment) =>
      [...cluster.runs].flatMap(([key, each]) => (experimentOf(each) === experiment ? [key] : [])),
    experiment: (key) => cluster.experiments.get(key),
    provider: (name) => cluster.providers.get(name),
    pods: () => cluster.pods(),
    ask: ({ metadata }, query) => {
      const { promise, resolve } = Promise.withResolvers<WindowAnswer>()
      asked.push({ provider: metadata.name, query, answer: resolve })
      if (answer) resolve(answer)
      return promise
    },
    isBusy: (provider) => cluster.busy.has(provider),
    wake: (key) => diary.push(`wake ${key}`),
    queue: { add: (key) => diary.push(`poll ${key}`), forget: (key) => diary.push(`forget ${key}`) },
    clock: () => new Date(cluster.nowMs),
  })
  poller.follow(EXPERIMENT, ARMS)
  diary.length = 0
  return {
    cluster,
    diary,
    asked,
    poller,
    /** what waits for a pass */
    waiting: () => poller.poll(run.metadata.uid),
    /** Polls at so many seconds after the start. */
    pollAt: (seconds: number) => {
      cluster.nowMs = START + 1_000 * seconds
      return poller.work(RUN)
    },
    /** Stores the status of the run, as a pass does that records a poll. */
    record: (status: Partial<NonNullable<AnalysisRun['status']>>) => {
      const stored = cluster.runs.get(RUN)
      if (stored)
        cluster.runs.set(RUN, { ...stored, ...aRun({ status: { ...stored.status, ...status } }), spec: stored.spec })
    },
  }
}

/** The seconds since the start at which windows begin and end. */
export const secondsOf = ({ start, end }: { readonly start: number; readonly end: number }): readonly number[] =>
  [start, end].map((ms) => (ms - START) / 1_000)

/** A time so many seconds after the start, as a status has it. */
export const at = (seconds: number): string => new Date(START + 1_000 * seconds).toISOString()
