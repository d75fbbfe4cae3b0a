/** Experiments of every kind, each in a state in which an update of the product must leave it. */
import { ANALYSIS_RUN, COMMAND, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at, type JsonObject, listOr, objectOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DECIDED, QUICK } from '../analyses/analyses.ts'
import { imageOverride } from '../builders.ts'
import { say } from '../integration/canaries.ts'
import { aSource, DEADLINE_MS, type Place } from '../integration/product.ts'
import { ANALYSES } from './analysis-states.ts'
import { isBetweenWindows, phaseIs, reasonIs, type Shown, type State, stepIs, verdictIs } from './state.ts'

const saying = (word: string) => (place: Place, name: string) => say(place, name, word)
/** Approves the revision: the whole one, or the one of ten digits where the former version knows no other. */
const approves = async ({ api, path, experimentAt }: Place, name: string) => {
  const { revision, wholeRevision } = (await experimentAt(name)).status?.strategy ?? {}
  const approvedRevision = wholeRevision ?? revision
  return api.patch(path('experiments', name), { spec: { promotion: { approvedRevision } } })
}

const STOP = { pause: {} }
const SHARE = { setWeight: 25 }
const canary = (...steps: readonly JsonObject[]) => ({ strategy: { canary: { steps } } })
const blueGreen = (name: string) => ({
  strategy: {
    blueGreen: {
      activeService: name,
      previewService: `${name}-preview`,
      previewReplicaCount: 1,
      autoPromotionEnabled: false,
      scaleDownDelaySeconds: 3600,
    },
  },
})
const DECIDING = { analysis: { ...QUICK, metrics: [DECIDED] } }

/** Each experiment has the name of its source and of the Service before both. */
export const STATES: Readonly<Record<string, State>> = {
  ...ANALYSES, // first: they take the longest
  plain: { spec: {}, shows: reasonIs('Available') },
  set: { kind: 'StatefulSet', spec: {}, shows: reasonIs('Available') },
  argo: { kind: 'Rollout', spec: {}, shows: reasonIs('Available') },
  pinned: { spec: { onSourceChange: 'Pin' }, shows: reasonIs('Available') },
  limited: { spec: { ttlSeconds: 7200 }, shows: reasonIs('Available') },
  paused: { spec: canary(SHARE, STOP, { setWeight: 50 }, STOP), shows: phaseIs('Paused') },
  timed: { spec: canary(SHARE, { pause: { duration: '2h' } }, { setWeight: 50 }), shows: phaseIs('Paused') },
  gated: {
    spec: { ...canary(STOP, SHARE, STOP), traffic: { mode: 'Gated' } },
    next: { at: phaseIs('Paused'), do: saying('resume') },
    shows: ({ status }) => status?.strategy?.stepIndex === 2 && status.strategy.phase === 'Paused',
  },
  waiting: {
    spec: { ...canary(SHARE), promotion: { mode: 'Manual' } },
    shows: stepIs('await'),
  },
  approved: {
    spec: { ...canary(SHARE, STOP), promotion: { mode: 'Manual' } },
    next: { at: phaseIs('Paused'), do: approves },
    shows: ({ spec, status, metadata }) =>
      spec.promotion?.approvedRevision !== undefined && status?.observedGeneration === metadata.generation,
  },
  held: {
    spec: canary({ setWeight: 50 }, STOP),
    next: { at: phaseIs('Paused'), do: saying('pause') },
    shows: ({ status }) => status?.strategy?.held === true,
  },
  promoted: { spec: { ...canary(SHARE), promotion: { mode: 'Automatic' } }, shows: phaseIs('Promoted') },
  undone: {
    spec: { ...canary(SHARE), promotion: { mode: 'Automatic' } },
    next: { at: phaseIs('Promoted'), do: saying('undo') },
    shows: phaseIs('Undone'),
  },
  aborted: {
    spec: canary(SHARE, STOP),
    next: { at: phaseIs('Paused'), do: saying('abort') },
    shows: phaseIs('Aborted'),
  },
  exported: { spec: { ...canary(SHARE), promotion: { mode: 'Export' } }, shows: stepIs('promote') },
  preview: { spec: blueGreen('preview'), shows: phaseIs('Paused') },
  switched: {
    spec: blueGreen('switched'),
    next: { at: phaseIs('Paused'), do: saying('resume') },
    shows: stepIs('pause 1h'),
  },
  judged: { spec: DECIDING, shows: isBetweenWindows },
  stepped: {
    spec: { ...DECIDING, ...canary(SHARE, { analysis: {} }, { setWeight: 50 }, STOP) },
    shows: isBetweenWindows,
  },
  twinned: { spec: { analysis: { ...DECIDING.analysis, control: 'Twin' } }, shows: isBetweenWindows },
  slow: { spec: { analysis: { intervalSeconds: 1800, noDataSeconds: 3600 } }, shows: isBetweenWindows },
  failed: { spec: DECIDING, shows: verdictIs('Fail') },
  passed: { spec: DECIDING, shows: verdictIs('Pass') },
}

const KINDS = { Deployment: 'deployments', StatefulSet: 'statefulSets', Rollout: 'rollouts' } as const
const kindOf = (name: string) => STATES[name]?.kind ?? 'Deployment'
const resourceOf = (name: string) => KINDS[kindOf(name)]
const withTemplate = (name: string) => {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] } }
  return { replicas: 3, selector: { matchLabels: labels }, template }
}

async function createsSource(place: Place, name: string): Promise<void> {
  const { replicas = 3 } = STATES[name] ?? {}
  if (kindOf(name) === 'Deployment') return aSource(place, name, { replicas })
  const { api, path } = place
  const isRollout = kindOf(name) === 'Rollout'
  const of = isRollout ? { strategy: { canary: {} } } : { serviceName: name }
  const head = isRollout ? { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' } : {}
  await api.create(path(resourceOf(name)), { ...head, metadata: { name }, spec: { ...withTemplate(name), ...of } })
}

/** Creates all sources and experiments, and brings each experiment into its state. */
export async function createStates(place: Place): Promise<void> {
  const { api, path } = place
  const previewed = Object.keys(STATES).filter((name) => JSON.stringify(STATES[name]).includes(`${name}-preview`))
  for (const name of previewed)
    await api.create(path('services'), {
      metadata: { name: `${name}-preview` },
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    })
  for (const [name, { spec }] of Object.entries(STATES)) {
    await createsSource(place, name)
    const overrideSpec = imageOverride('registry.example/cart:2')
    await place.experiment(name, { source: name, kind: kindOf(name), overrideSpec, ...spec })
  }
  const shown = (name: string, holds: Shown) =>
    eventually(`${name} to be in its state`, 8 * DEADLINE_MS, async () => {
      const found = await place.experimentAt(name)
      if (!holds(found)) throw new Error(JSON.stringify(found.status ?? 'no status'))
    })
  for (const [name, { next }] of Object.entries(STATES))
    if (next) {
      await shown(name, next.at)
      await next.do(place, name)
    }
  for (const [name, { shows }] of Object.entries(STATES)) await shown(name, shows)
}

const identityOf = ({ metadata: { name, uid, generation } }: KubeObject) => ({ name, uid, generation })

/** All that the states of experiments are found in: each list is read once. */
async function everything({ api, namespace, path }: Place) {
  const list = (at: string) => api.list<KubeObject>(at)
  const [experiments, pods, runs, services, ...workloads] = await Promise.all([
    api.list<ExperimentDeployment>(path('experiments')),
    list(`${path('pods')}?labelSelector=${EXPERIMENT_ID}`),
    list(resourcePath(ANALYSIS_RUN, { namespace })),
    list(path('services')),
    ...Object.values(KINDS).map((kind) => list(path(kind))),
  ])
  return { experiments, pods, runs, services, workloads: workloads.flat() }
}

/** The state of each experiment, by its name. */
export async function statesOf(place: Place) {
  const all = await everything(place)
  return Object.fromEntries(all.experiments.map((each) => [each.metadata.name, stateIn(all, each)] as const))
}

/**
 * What an update must not change of an experiment: its generation, its source, its fork and twin, the pods of both,
 * where its run is and since when, its promotion, its question, when the analysis of it began, and finished verdicts.
 */
function stateIn(all: Awaited<ReturnType<typeof everything>>, experiment: ExperimentDeployment) {
  const { metadata, status = {} } = experiment
  const { name } = metadata
  const { strategy, promotion, analysis, experimentResourceRef } = status
  const copies = all.workloads.filter((each) => each.metadata.name.startsWith(`${name}-experiment-`))
  const id = experimentId(metadata.uid)
  const pods = all.pods.filter((pod) => pod.metadata.labels?.[EXPERIMENT_ID] === id)
  const services = [name, `${name}-preview`].map((each) => all.services.find((of) => of.metadata.name === each))
  return {
    experiment: identityOf(experiment),
    source: all.workloads.filter((each) => each.metadata.name === name).map(identityOf),
    forks: copies.map((copy) => ({ ...identityOf(copy), replicas: at(copy.spec, 'replicas') })),
    fork: experimentResourceRef?.uid,
    pods: pods.map(({ metadata: { uid } }) => uid).toSorted(),
    run: strategy && {
      run: strategy.run,
      revision: strategy.revision,
      phase: strategy.phase,
      step: strategy.step,
      since: strategy.since,
      attempt: strategy.attempt,
      held: strategy.held,
      command: strategy.command,
    },
    promotion: promotion && {
      mode: promotion.mode,
      declaredBy: promotion.declaredBy,
      record: promotion.record && { name: promotion.record.name, hash: promotion.record.hash },
      written: promotion.written,
      restored: promotion.restored,
    },
    analysis: analysis && {
      run: analysis.run,
      verdict: analysis.verdict,
      reason: analysis.reason,
      since: analysis.since,
      attempt: analysis.attempt,
      message: analysis.message,
    },
    runs: all.runs.filter((run) => at(run.spec, 'experiment', 'uid') === metadata.uid).map(runState),
    services: services.map((service) => at(service?.spec, 'selector')),
    command: metadata.annotations?.[COMMAND],
    ready: listOr(objectOr(status).conditions).map((each) => [
      at(each, 'type'),
      at(each, 'status'),
      at(each, 'reason'),
    ]),
  }
}

/** Of an analysis run: its question, when it began and its verdict; of one that has ended all that it says. */
function runState(run: KubeObject) {
  const { wholeSubject: _added, ...status } = objectOr(run.status)
  const { startedAt, verdict } = status
  return {
    ...identityOf(run),
    ...{ spec: run.spec, startedAt, verdict },
    ...(status.finishedAt === undefined ? {} : { status }),
  }
}
