import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import type { DecisionBounds } from '../../common/analysis/metrics/metric-engine.ts'
import { METRIC_ENGINES } from '../../common/analysis/metrics/registry.ts'
import type { WindowAnswer } from '../../common/analysis/query/window-query.ts'
import { known } from '../../common/api/known.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { Poller } from '../../controller/analysis/poller.ts'
import { anExperiment } from '../builders.ts'
import {
  aPod,
  aPoll,
  aRun,
  CREATED_MS,
  ERRORS,
  HEALTH,
  LATENCY,
  lookedAt,
  window,
} from '../common/analysis/run/runs.ts'
import { ARMS } from '../controller/analysis/polling.ts'
import { coarseWindow } from './coarse-window.ts'
import { type Bench, type Figure, limitFigure, median, ratioFigure } from './figure.ts'

/** Of which the median counts. */
const ROUNDS = 15
const FOLDS = 500
/** Windows that a run has counted before it is measured. */
const WINDOWS = 60
const RUNS = 1_000
const BYTES_PER_KIB = 1_024
const QUESTION: DecisionBounds = { alpha: 0.025, beta: 0.05, minSamples: 50, metrics: 1 }

/** The microseconds that each call of `work` takes. */
function microsOf(work: () => unknown): number {
  const startedMs = performance.now()
  for (let count = 0; count < FOLDS; count += 1) work()
  return ((performance.now() - startedMs) * 1_000) / FOLDS
}

/** What a window costs when it has arrived, beside reading its answers. */
function foldFigures(answers: readonly string[], answer: WindowAnswer): readonly Figure[] {
  if (answer.is !== 'data') throw new Error(`Prometheus was asked, but: ${JSON.stringify(answer)}`)
  const { fold, judge } = METRIC_ENGINES.Latency
  const folded = (state: readonly number[]): readonly number[] => fold(state, answer.data, LATENCY) ?? []
  const state = Array.from({ length: WINDOWS }).reduce<readonly number[]>((former) => folded(former), [])
  const works = {
    parse: () => answers.map((text) => JSON.parse(text)),
    fold: () => folded(state),
    judge: () => judge(state, LATENCY, QUESTION),
  }
  const micros: Record<keyof typeof works, number[]> = { parse: [], fold: [], judge: [] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['parse', 'fold', 'judge'] as const) micros[name].push(microsOf(works[name]))
  const against = median(micros.parse)
  const figure = (name: string, value: number, atMost: number) =>
    ratioFigure({ name, value, unit: 'us', against, atMost })
  return [
    figure('a window folded, beside JSON.parse', median(micros.fold), 3),
    figure('a window judged, beside JSON.parse', median(micros.judge), 3),
  ]
}

/** A run of three metrics that has counted many windows. */
function measuredRun(latency: WindowAnswer): AnalysisRun {
  const errors: WindowAnswer = {
    is: 'data',
    data: { is: 'events', treatment: [{ events: 3, exposure: 250 }], control: [{ events: 3, exposure: 250 }] },
  }
  return Array.from({ length: WINDOWS }).reduce<AnalysisRun>(
    (former, _, index) => {
      const [from, to] = [10 * index, 10 * index + 10]
      const windows = [window(latency, from, to, { metric: 'latency' }), window(errors, from, to)]
      return lookedAt(former, aPoll(to, windows))
    },
    aRun({ metrics: [LATENCY, ERRORS, HEALTH], spec: { minSamples: 1_000_000 } }), // it goes on
  )
}

/** The heap after everything was collected that nothing refers to, in bytes. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** What a run takes in memory: as it is stored, followed, and with a poll that waits for its pass. */
async function memoryFigure(latency: WindowAnswer): Promise<Figure> {
  const measured = measuredRun(latency)
  const text = JSON.stringify(measured)
  const keys = Array.from({ length: RUNS }, (_, index) => `shop/run-${index}`)
  const runs = new Map<string, AnalysisRun>()
  const of = (key: string) => key.replace('run', 'cart')
  const experiments = new Map<string, ExperimentDeployment>(
    keys.map((key) => [of(key), anExperiment({ analysis: { intervalSeconds: 10 } })]),
  )
  const nowMs = CREATED_MS + 1_000 * 10 * (WINDOWS + 3)
  const poller = new Poller({
    run: (key) => runs.get(key),
    runsOf: (experiment) => [experiment.replace('cart', 'run')],
    experiment: (key) => experiments.get(key),
    provider: (name) => known({ metadata: { name }, spec: { type: 'Prometheus', namespaceSelector: {} } }),
    pods: async () => ({
      treatment: ['a', 'b'].map((name) => aPod(`fork-${name}`)),
      control: Array.from({ length: 8 }, (_, index) => aPod(`cart-${index}`)),
    }),
    ask: async () => structuredClone(latency),
    isBusy: () => false,
    wake: () => undefined,
    queue: { add: () => undefined, forget: () => undefined },
    clock: () => new Date(nowMs),
  })
  const before = heapBytes()
  for (const [index, key] of keys.entries()) {
    const { metadata, spec, status }: AnalysisRun = JSON.parse(text)
    const { uid = '' } = experiments.get(of(key))?.metadata ?? {}
    const experiment = { ...spec.experiment, name: `cart-${index}`, uid }
    const name = `run-${index}`
    runs.set(key, {
      metadata: { ...metadata, name, uid: name },
      spec: { ...spec, experiment },
      ...(status && { status }),
    })
    poller.follow(of(key), { ...structuredClone(ARMS), run: name, providers: ['prometheus'] })
    await poller.work(key)
  }
  if (poller.waiting !== RUNS) throw new Error(`${poller.waiting} of ${RUNS} runs have a poll`)
  const value = (heapBytes() - before) / RUNS / BYTES_PER_KIB
  if (runs.size !== RUNS) throw new Error('the runs are gone')
  const against = text.length / BYTES_PER_KIB
  return limitFigure({ name: 'memory of a live run, beside its JSON', value, unit: 'KiB', against, atMost: 64 })
}

/** What analyses cost the controller. */
export const analysis: Bench = {
  name: 'analysis',
  measures: `a window of 1,000 requests in 12 boundaries, beside reading the answer of Prometheus; ${RUNS} live runs`,
  run: async () => {
    const { answer, texts } = await coarseWindow()
    return [...foldFigures(texts, answer), await memoryFigure(answer)]
  },
}
