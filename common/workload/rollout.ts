import type { KubeObject, Labels, ResourceType } from '../api/object.ts'
import { at, isObject, type JsonObject, objectOr } from '../json/json.ts'
import type { OverrideBan } from '../override/rules.ts'
import { kubectl } from '../text/kubectl.ts'
import type { Health, Reference, Template, WorkloadKind } from './kind.ts'
import { OBJECT_NAME } from './referent.ts'
import { ROLLOUT_HASH, stableTemplate } from './stable-template.ts'
import { ownTemplate, PLAIN_POD_REACH, pick, replicasOf, stalledBy, statusCount, surgeOf, takenDown } from './status.ts'

/** The label that names the responsible Argo controller, if a cluster has several. */
const INSTANCE_ID = 'argo-rollouts.argoproj.io/controller-instance-id'

/** Changes with the object of a `workloadRef`, which does not change `metadata.generation`. */
const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation'

const REPLICA_SET: ResourceType = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' }
const REFERENTS: readonly ResourceType[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  REPLICA_SET,
  { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' },
]

const OF_SERVICES = ['canaryService', 'stableService', 'trafficRouting', 'pingPong'].map((key) => ['canary', key])
const BANS: readonly OverrideBan[] = [
  { path: ['workloadRef'], message: 'a fork has its own template; override the template instead' },
  ...[['blueGreen'], ...OF_SERVICES].map((path) => ({
    path: ['strategy', ...path],
    message: 'a Service can belong to only one Rollout; remove this',
  })),
]

/** `Rollout` of Argo Rollouts. Inherits by whitelist: the Services and routes of the source must be left out. */
export const rollout: WorkloadKind = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  inheritedSpec: (spec) => ({
    ...pick(spec, ['minReadySeconds', 'progressDeadlineSeconds']),
    strategy: { canary: pick(objectOr(at(spec, 'strategy', 'canary')), ['maxSurge', 'maxUnavailable']) },
  }),
  fixedSpec: { revisionHistoryLimit: 1 },
  // without it, a sharded Argo ignores the fork
  inheritedLabels: [INSTANCE_ID],
  mutableFields: undefined,
  bans: BANS,
  podReach: { ...PLAIN_POD_REACH, added, isRouted, pinnedServices },
  references,
  template: (source, referents) =>
    isStable(source) ? stableTemplate(source, stableRevision(source), referents) : desiredTemplate(source, referents),
  keepsTemplatesIn: REPLICA_SET, // the stable one may be older than the removal of a workloadRef
  refersTo: referentOf,
  referents: REFERENTS,
  watchedAnnotations: [WORKLOAD_GENERATION],
  watchProjection: ({ spec, status }) => ({
    spec: { workloadRef: at(spec, 'workloadRef') },
    status: { stableRS: at(status, 'stableRS') },
  }),
  baseFingerprint: (source) => {
    const { generation, annotations, labels } = source.metadata
    return [generation, stableRevision(source), annotations?.[WORKLOAD_GENERATION], labels?.[INSTANCE_ID]].join('/')
  },
  // unlike in other kinds it is a string
  observedGeneration: (fork) => statusCount(fork, 'observedGeneration'),
  isSpecRewritten: true,
  withOwnedDefaults: (spec) => spec,
  hasProgressDeadline: true,
  controllerTimeoutMs: 30_000,
  tellsRefusalsInEvents: false,
  health,
  takesDown: (source) => {
    const { blueGreen, canary } = strategyOf(source)
    return isObject(blueGreen) ? 0 : takenDown(canary, replicasOf(source))
  },
  surge: (workload) => {
    const { blueGreen, canary } = strategyOf(workload)
    // beside all pods of the former revision
    const isWhole = isObject(blueGreen) || isRouted(workload)
    return isWhole ? replicasOf(workload) : surgeOf(canary, replicasOf(workload))
  },
  waitsForEnd: () => false,
  skippingSteps,
  heldBySteps,
  holdsBack: (source) => (at(source, 'spec', 'paused') === true ? 'spec.paused' : undefined),
  templateFrom: 'apps/v1', // the CRD does not describe volumes and resources
  revision: (source) => stableRevision(source) || undefined,
  stablePods: (source) => (LABEL_VALUE.test(stableRevision(source)) ? { [ROLLOUT_HASH]: stableRevision(source) } : {}),
  isRevisionKnown: () => true,
}

/** Argo's CRD does not check it. An invalid value cannot be the label of an object. */
const LABEL_VALUE = /^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/

const stableRevision = (source: KubeObject): string => String(at(source, 'status', 'stableRS') ?? '')
const isStable = (source: KubeObject): boolean => stableRevision(source) !== ''

function references(source: KubeObject): readonly Reference[] {
  const revision = stableRevision(source)
  if (revision === '') return [referentOf(source)].filter((referent) => referent !== undefined)
  return LABEL_VALUE.test(revision) ? [{ resource: REPLICA_SET, labelSelector: `${ROLLOUT_HASH}=${revision}` }] : []
}

function referentOf(source: KubeObject): { readonly resource: ResourceType; readonly name: string } | undefined {
  const { apiVersion, kind, name } = objectOr(at(source, 'spec', 'workloadRef'))
  const resource = REFERENTS.find((known) => known.apiVersion === apiVersion && known.kind === kind)
  return resource && typeof name === 'string' && OBJECT_NAME.test(name) ? { resource, name } : undefined
}

/** The template while there is no stable revision: that of the Rollout, or of the object that it refers to. */
function desiredTemplate(source: KubeObject, referents: readonly KubeObject[]): Template {
  const reference = at(source, 'spec', 'workloadRef')
  if (!isObject(reference)) {
    const own = ownTemplate(source)
    return own.is === 'found' ? { ...own, base: 'Desired' } : own
  }
  const name = `${String(reference.kind).toLowerCase()}/${reference.name}`
  const referent = referents.find(({ metadata }) => metadata.name === reference.name)
  const missing = (what: string): Template => ({ is: 'missing', message: `spec.workloadRef: ${name} ${what}` })
  if (!referent) return missing(`does not exist in namespace ${source.metadata.namespace}`)
  const template = referent.template ?? at(referent, 'spec', 'template')
  return isObject(template) ? { is: 'found', template, base: 'Desired' } : missing('has no template')
}

function health(fork: KubeObject): Health {
  const stalled = stalledBy(fork, 'InvalidSpec') ?? stalledBy(fork, 'ReplicaFailure') // the phase stays Progressing
  if (stalled) return stalled
  const { phase, message = '' } = objectOr(fork.status)
  const wanted = replicasOf(fork)
  const available = statusCount(fork, 'availableReplicas')
  const text = `${available} of ${wanted} pods available${message ? `: ${message}` : ''}`
  if (phase === 'Degraded') return { is: 'stalled', isOverdue: true, reason: 'ProgressDeadlineExceeded', message: text }
  if (phase === 'Paused') return { is: 'unready', reason: 'Paused', message: text }
  if (phase === 'Healthy' && available === wanted) return { is: 'ready', reason: 'Available', message: text }
  return { is: 'progressing', reason: 'PodsNotReady', message: text }
}

/** Labels that pods have only while they serve. */
function added(source: KubeObject): Labels {
  const { blueGreen, canary } = strategyOf(source)
  return {
    ...(objectOr(at(canary, 'stableMetadata', 'labels')) as Labels),
    ...(objectOr(at(blueGreen, 'activeMetadata', 'labels')) as Labels),
  }
}

/** Whether a mesh or an ingress divides the requests, or subsets of Istio do. Only a canary can have this. */
function isRouted(source: KubeObject): boolean {
  return at(strategyOf(source).canary, 'trafficRouting') !== undefined
}

/** Argo adds the hash of a revision to the selectors of these Services. */
function pinnedServices(source: KubeObject): readonly string[] {
  const { blueGreen, canary } = strategyOf(source)
  return [
    ...['activeService', 'previewService'].map((member) => at(blueGreen, member)),
    ...['canaryService', 'stableService'].map((member) => at(canary, member)),
    ...['pingService', 'pongService'].map((member) => at(canary, 'pingPong', member)),
  ].filter((name) => typeof name === 'string')
}

/** Argo loses `promoteFull` if it is set before Argo has seen the new revision. */
function skippingSteps({ status }: KubeObject): JsonObject | undefined {
  const { currentPodHash, stableRS, promoteFull } = objectOr(status)
  const isUnderWay = typeof currentPodHash === 'string' && currentPodHash !== '' && currentPodHash !== stableRS
  return isUnderWay && promoteFull !== true ? { promoteFull: true } : undefined
}

/** A Rollout that skips its steps is held by none. */
function heldBySteps(source: KubeObject): string | undefined {
  if (skippingSteps(source) === undefined) return undefined
  const { name, namespace } = source.metadata
  return `its own steps may hold it: ${kubectl('argo rollouts promote', { name, namespace }, '--full')} skips them`
}

const strategyOf = (source: KubeObject) => objectOr(at(source, 'spec', 'strategy'))
