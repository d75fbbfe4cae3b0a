/** Analyses that fail and that pass, while their controller is killed. */
import { expect } from 'chai'
import { request } from 'undici'
import { ANALYSIS_PROVIDER, ANALYSIS_RUN, EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, listOr } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import type { Prometheus } from '../../../sandbox/prometheus/server.ts'
import { imageOverride } from '../../builders.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { condition, DEADLINE_MS } from '../../integration/product.ts'
import type { Scenario, Scene } from './scenarios.ts'

const SOURCE_SIZE = 2
const PROVIDER = 'exact'
const INTERVAL_SECONDS = 10
/** A window begins late by up to one interval, and a verdict takes ten of them, also after a kill. */
const CONVERGED_MS = 150_000
/** Before and after the pods are there: all windows of a run, and of one that goes on after a kill. */
const [BEFORE_SECONDS, AFTER_SECONDS] = [60, 360]

/** What each pod counts in a second. In ten seconds these are whole numbers. */
interface Rates {
  readonly requests: number
  readonly errors: number
}

/** Which verdict an analysis of these rates has, in the end. */
interface Story {
  readonly name: string
  readonly source: Rates
  readonly fork: Rates
  readonly verdict: 'Pass' | 'Fail'
  /** of the experiment in the end */
  readonly reason: string
  readonly pods: string
}

const STORIES: readonly Story[] = [
  {
    name: 'analysis that fails',
    source: { requests: 10, errors: 0.1 },
    fork: { requests: 20, errors: 10 },
    verdict: 'Fail',
    reason: 'RolledBack',
    pods: '0/0',
  },
  {
    name: 'analysis that passes',
    source: { requests: 200, errors: 2 },
    fork: { requests: 200, errors: 2 },
    verdict: 'Pass',
    reason: 'Available',
    pods: '1/1',
  },
]

/** Creates the provider of the scenarios. */
export async function withProvider({ address }: Prometheus): Promise<void> {
  const { apiVersion, kind } = ANALYSIS_PROVIDER
  const { api } = await controlPlane()
  await api.create(resourcePath(ANALYSIS_PROVIDER), {
    apiVersion,
    kind,
    metadata: { name: PROVIDER },
    spec: { type: 'Prometheus', address, namespaceSelector: {}, lagSeconds: 1 },
  })
}

const isOfFork = ({ metadata }: KubeObject): boolean => metadata.labels?.[EXPERIMENT_ID] !== undefined

/** Waits for the pods of source and fork, and gives Prometheus what they count, now and for some minutes. */
async function counts({ forks }: Scene, prometheus: Prometheus, { source, fork }: Story): Promise<void> {
  const pods = await eventually('the pods of both', DEADLINE_MS, async () => {
    const found = await forks.api.list<KubeObject>(forks.path('pods'))
    expect(found).to.have.length(SOURCE_SIZE + 1)
    return found
  })
  const nowSeconds = Math.round(Date.now() / 1_000)
  const times = Array.from({ length: BEFORE_SECONDS + AFTER_SECONDS }, (_, second) => second)
  const series = pods.flatMap((pod) => {
    const { name, namespace = '' } = pod.metadata
    const { requests, errors } = isOfFork(pod) ? fork : source
    const counter = (code: string, rate: number) => ({
      labels: { __name__: 'http_requests_total', code, namespace, pod: name },
      values: times.map((second) => ({
        at: 1_000 * (nowSeconds - BEFORE_SECONDS + second),
        value: Math.floor(second * rate),
      })),
    })
    return [counter('200', requests - errors), counter('500', errors)]
  })
  await prometheus.write(series)
}

async function created({ own }: Scene): Promise<void> {
  await own.experiment('try', {
    source: 'cart',
    overrideSpec: imageOverride('registry.example/cart:2'),
    analysis: {
      intervalSeconds: INTERVAL_SECONDS,
      warmUpSeconds: 0,
      metrics: [
        {
          name: 'errors',
          kind: 'ErrorRate',
          provider: PROVIDER,
          prometheus: { events: 'http_requests_total', eventMatchers: ['code="500"'], total: 'http_requests_total' },
        },
      ],
    },
  })
}

async function isJudged({ own }: Scene, { verdict, reason, pods }: Story): Promise<void> {
  const found = await own.experimentAt('try')
  const { status } = found
  expect(status?.observedGeneration).to.equal(found.metadata.generation)
  expect(status?.analysis?.verdict).to.equal(verdict)
  expect(status?.pods).to.equal(pods)
  expect(condition(found, 'Ready')?.reason).to.equal(reason)
}

const runsIn = ({ own }: Scene) => own.api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace: own.namespace }))

/** How many requests Prometheus counted of pods between two times. */
async function countedBy({ address }: Prometheus, namespace: string, pods: string, of: readonly [string, string]) {
  const query = `sum(http_requests_total{namespace="${namespace}",pod=~"${pods}"})`
  const [from = Number.NaN, to = Number.NaN] = await Promise.all(
    of.map(async (time) => {
      const { body } = await request(`${address}/api/v1/query?${new URLSearchParams({ query, time })}`)
      return Number(listOr(at(listOr(at(await body.json(), 'data', 'result'))[0], 'value'))[1])
    }),
  )
  return to - from
}

/** There is one run with one verdict, and it counted each request of its windows once. */
async function problemsOf(scene: Scene, prometheus: Prometheus, { verdict }: Story): Promise<readonly string[]> {
  const [run, ...others] = await runsIn(scene)
  if (!run || others.length > 0) return [`${others.length + (run ? 1 : 0)} runs instead of 1`]
  const { status, metadata } = run
  const [metric] = listOr(at(status, 'metrics'))
  const span = [String(at(status, 'startedAt')), String(at(metric, 'windowEnd'))] as const
  const { namespace } = scene.forks
  const fork = metadata.name.replace(/-[0-9a-f]{10}$/, '')
  const [treatment, control] = await Promise.all([
    countedBy(prometheus, namespace, `${fork}-.*`, span),
    countedBy(prometheus, namespace, 'cart-[0-9a-f]+-[0-9a-z]+', span),
  ])
  const found = { verdict: at(status, 'verdict'), samples: at(metric, 'samples'), lost: lostIn(status) }
  const wanted = { verdict, samples: { control, treatment }, lost: [0, 0, 0] }
  return JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`the run has ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`]
}

/** Windows that were not counted. */
const lostIn = (status: unknown) => ['empty', 'unusable', 'skipped'].map((each) => at(status, 'windows', each))

/** They need the component `analysis` and a Prometheus. */
export const analyses = (prometheus: () => Prometheus): readonly Scenario[] =>
  STORIES.map((story) => ({
    name: story.name,
    mayAnalyze: true,
    replicas: SOURCE_SIZE,
    convergedMs: CONVERGED_MS,
    change: async (scene) => {
      await created(scene)
      await counts(scene, prometheus(), story)
    },
    isDone: (scene) => isJudged(scene, story),
    problems: (scene) => problemsOf(scene, prometheus(), story),
  }))
