/** Experiments whose analyses are of each kind, at each verdict, as an update finds them. */
import { expect } from 'chai'
import type { AnalysisVerdict } from '../../common/api/analysis/analysis.ts'
import type { MetricKind } from '../../common/api/analysis/metric.ts'
import { ANALYSIS_RUN, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DECIDED, type Decisions, QUICK } from '../analyses/analyses.ts'
import { DEADLINE_MS, type Place } from '../integration/product.ts'
import { ASKED_KINDS, type Showing } from './kinds.ts'
import { isBetweenWindows, type State, verdictIs } from './state.ts'

type Finished = Exclude<AnalysisVerdict, 'Wait' | 'Aborted'>

const FINISHED: readonly Finished[] = ['Pass', 'Fail', 'Inconclusive', 'NoData', 'Error']
const ASKED = Object.keys(ASKED_KINDS)
/** So many requests are counted in the states in which neither is shown after an hour. */
const MANY = 5_000

/** A metric of a kind; `isPatient` if it shall show nothing for a long time. */
function metricOf(kind: string, isPatient = false): JsonObject {
  const { metric, patient } = ASKED_KINDS[kind] ?? {}
  return { ...DECIDED, ...metric, name: kind, ...(isPatient ? patient : {}) }
}

const stateName = (kind: string, verdict: string): string => `${kind}-${verdict.toLowerCase()}`

/** An analysis that reaches `verdict`. What follows where nothing is shown is each action in turn. */
function finished(kind: string, verdict: Finished): readonly [string, State] {
  const action = (ASKED.indexOf(kind) + FINISHED.indexOf(verdict)) % 2 === 0 ? 'Keep' : 'RollBack'
  const times = verdict === 'Inconclusive' ? { maxSeconds: 60 } : { noDataSeconds: 60 }
  const brief = verdict === 'Inconclusive' ? ASKED_KINDS[kind]?.brief : {}
  const metrics = [{ ...metricOf(kind, verdict === 'Inconclusive'), ...brief }]
  const analysis = { ...QUICK, metrics, ...times, onTimeout: action, onNoData: action }
  return [stateName(kind, verdict), { replicas: 1, spec: { analysis }, shows: verdictIs(verdict) }]
}

/** An analysis that has counted windows, and will show nothing for a long time. */
const unfinished = (kind: string, of: JsonObject = {}): State => ({
  replicas: 1,
  spec: { analysis: { ...QUICK, minSamples: MANY, metrics: [metricOf(kind, true)], ...of } },
  shows: isBetweenWindows,
})

/** The experiments with an unfinished analysis: the kind of its first metric, and what windows of ten seconds count. */
export const UNFINISHED: Readonly<Record<string, { readonly kind: MetricKind; readonly perWindow: number }>> = {
  ...Object.fromEntries(
    Object.entries(ASKED_KINDS).map(([kind, { metric, perWindow }]) => [
      stateName(kind, 'Wait'),
      { kind: metric.kind, perWindow },
    ]),
  ),
  'health-wait': { kind: 'Health', perWindow: 10 },
  'twin-wait': { kind: 'ErrorRate', perWindow: 10 },
  'timed-wait': { kind: 'ErrorRate', perWindow: 10 },
}

/** The run of an experiment that is the last one of its analysis. */
async function runOf({ api, namespace, experimentAt }: Place, name: string): Promise<KubeObject> {
  const run = (await experimentAt(name)).status?.analysis?.run ?? ''
  return api.get<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace, name: run }))
}

/** Makes the containers of the fork restart `restartCount` times, after a look at them was made. */
export const restarts = (restartCount: number) => async (place: Place, name: string) => {
  await eventually('a look', DEADLINE_MS, async () =>
    expect(at(listOr(at((await runOf(place, name)).status, 'metrics'))[0], 'samples')).to.be.an('object'),
  )
  const { metadata } = await place.experimentAt(name)
  const selector = `labelSelector=${EXPERIMENT_ID}=${experimentId(metadata.uid)}`
  for (const pod of await place.api.list<KubeObject>(`${place.path('pods')}?${selector}`)) {
    const containerStatuses = [{ name: 'cart', restartCount, ready: true, image: '', imageID: '' }]
    const path = `${place.path('pods', pod.metadata.name)}/status`
    await place.api.patch(path, { status: { containerStatuses } }, 'strategic')
  }
}

const HEALTH_METRIC = { name: 'health', kind: 'Health', provider: 'kubernetes' }
const HEALTH = { ...QUICK, metrics: [HEALTH_METRIC] }
/** It takes five minutes, so it is there only when runs are stored for the tests in memory. */
const QUIET: State = { replicas: 1, spec: { analysis: HEALTH }, shows: verdictIs('Pass') }
const OF_HEALTH: Readonly<Record<string, State>> = {
  ...(process.env.WRITE_RUNS ? { 'health-pass': QUIET } : {}),
  'health-fail': {
    replicas: 1,
    spec: { analysis: HEALTH },
    next: { at: isBetweenWindows, do: restarts(60) },
    shows: verdictIs('Fail'),
  },
  'health-inconclusive': {
    replicas: 1,
    spec: { analysis: { ...HEALTH, maxSeconds: 60, onTimeout: 'Keep' } },
    shows: verdictIs('Inconclusive'),
  },
  // a plugin that waits keeps it from a Pass
  'health-wait': unfinished('decision', { metrics: [HEALTH_METRIC, DECIDED] }),
}

/** Each experiment has the name of its kind and its verdict, or of what it does. */
export const ANALYSES: Readonly<Record<string, State>> = {
  ...OF_HEALTH,
  ...Object.fromEntries(
    ASKED.flatMap((kind) =>
      FINISHED.filter((verdict) => kind !== 'decision' || verdict !== 'NoData').map((each) => finished(kind, each)),
    ),
  ),
  ...Object.fromEntries(ASKED.map((kind) => [stateName(kind, 'Wait'), unfinished(kind)])),
  // with windows of ten seconds it would have its most samples before all updates are over
  'ranks-wait': unfinished('ranks', { intervalSeconds: 20 }),
  'twin-wait': unfinished('errors', { control: 'Twin' }),
  'timed-wait': unfinished('errors'),
  watching: {
    replicas: 1,
    spec: { analysis: { ...QUICK, metrics: [metricOf('errors')], continueAfterPass: true } },
    shows: verdictIs('Pass'),
  },
  passing: {
    spec: {
      strategy: { canary: { steps: [{ setWeight: 25 }] } },
      promotion: { mode: 'Automatic' },
      analysis: { ...QUICK, metrics: [metricOf('errors')] },
    },
    shows: ({ status }) => status?.strategy?.phase === 'Promoted',
  },
}

const SHOWING: Readonly<Record<string, Showing>> = { Pass: 'good', Fail: 'worse' }
const SILENT = { treatment: {}, control: { events: 0, total: 100, value: 1, samples: [1, 2, 3, 4, 5] } }

/** Lets the plugin answer so that each experiment gets into its state. */
export function answersOfStates(answers: Decisions): void {
  for (const kind of ASKED) {
    for (const verdict of [...FINISHED, 'Wait'])
      shows(answers, stateName(kind, verdict), kind, SHOWING[verdict] ?? 'neither')
    answers.set(stateName(kind, 'NoData'), SILENT)
    answers.set(stateName(kind, 'Error'), { treatment: 'none' })
  }
  for (const name of ['twin-wait', 'timed-wait']) shows(answers, name, 'errors', 'neither')
  for (const name of ['watching', 'passing']) shows(answers, name, 'errors', 'good')
}

/** From now on the windows of the experiment `name` show this. */
export function shows(answers: Decisions, name: string, kind: string, showing: Showing): void {
  const answer = ASKED_KINDS[kind]?.answers[showing]
  if (answer) answers.set(name, answer)
}
