import { at, isObject, type KubeObject, objectOr } from '../api/object.ts'
import type { ResourceType } from '../api/resource.ts'
import type { Health, OverrideBan, Reference, Template, WorkloadKind } from './kind.ts'
import { rolloutReach } from './rollout-reach.ts'
import { ROLLOUT_HASH, stableTemplate } from './stable-template.ts'
import { conditionOf, countOf, ownTemplate, pick, replicasOf, wordsOf } from './status.ts'

/** Moves when the object behind a `workloadRef` does; `metadata.generation` does not. */
const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation'

const REPLICA_SET: ResourceType = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' }
/** What a `workloadRef` may name, and where its template is. */
const REFERENTS: readonly ResourceType[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  REPLICA_SET,
  { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' },
]

const SERVICE_BAN = 'the Services of a Rollout are its own: one that two Rollouts name goes to one of them; remove this'

/** `Rollout` of Argo Rollouts, by whitelist: a plain copy would name the source's Services and routes. */
export const rollout: WorkloadKind = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  takeOver: (spec) => ({
    ...pick(spec, ['minReadySeconds', 'progressDeadlineSeconds']),
    strategy: { canary: pick(objectOr(at(spec, 'strategy', 'canary')), ['maxSurge', 'maxUnavailable']) },
  }),
  fixed: { revisionHistoryLimit: 1 },
  // else a sharded Argo never sees the fork
  kept: ['argo-rollouts.argoproj.io/controller-instance-id'],
  mutable: undefined,
  bans: bans(),
  reach: rolloutReach,
  references,
  template: (source, referents) =>
    isStable(source) ? stableTemplate(source, stableRevision(source), referents) : desiredTemplate(source, referents),
  refersTo: referentOf,
  watched: ({ apiVersion, kind, metadata, spec, status }) => ({
    apiVersion,
    kind,
    metadata,
    spec: { workloadRef: at(spec, 'workloadRef') },
    status: { stableRS: at(status, 'stableRS') },
  }),
  pulse: (source) =>
    [source.metadata.generation, stableRevision(source), source.metadata.annotations?.[WORKLOAD_GENERATION]].join('/'),
  // a string, unlike everybody's
  observedGeneration: (fork) => countOf(fork, 'observedGeneration'),
  silentAfterMs: 30_000,
  health,
  templateFrom: 'apps/v1', // the CRD knows nothing of volumes and resources
  revision: (source) => stableRevision(source) || undefined,
}

function bans(): readonly OverrideBan[] {
  const inline = 'a fork has its template inline; change the template instead'
  return [
    { path: ['workloadRef'], message: inline },
    { path: ['strategy', 'blueGreen'], message: SERVICE_BAN },
    ...['canaryService', 'stableService', 'trafficRouting', 'pingPong'].map((member) => ({
      path: ['strategy', 'canary', member],
      message: SERVICE_BAN,
    })),
  ]
}

/** Argo's CRD checks neither: what is no such value names nothing that there could be. */
const LABEL_VALUE = /^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/
const OBJECT_NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/

const stableRevision = (source: KubeObject): string => String(at(source, 'status', 'stableRS') ?? '')
const isStable = (source: KubeObject): boolean => stableRevision(source) !== ''

function references(source: KubeObject): readonly Reference[] {
  const revision = stableRevision(source)
  if (revision !== '')
    return LABEL_VALUE.test(revision) ? [{ resource: REPLICA_SET, labelSelector: `${ROLLOUT_HASH}=${revision}` }] : []
  const referent = referentOf(source)
  return referent ? [referent] : []
}

function referentOf(source: KubeObject): { readonly resource: ResourceType; readonly name: string } | undefined {
  const { apiVersion, kind, name } = objectOr(at(source, 'spec', 'workloadRef'))
  const resource = REFERENTS.find((known) => known.apiVersion === apiVersion && known.kind === kind)
  return resource && typeof name === 'string' && OBJECT_NAME.test(name) ? { resource, name } : undefined
}

/** What is wanted, where nothing serves yet: the Rollout's own template, or that of the object it refers to. */
function desiredTemplate(source: KubeObject, referents: readonly KubeObject[]): Template {
  const reference = at(source, 'spec', 'workloadRef')
  if (!isObject(reference)) return desired(ownTemplate(source))
  const name = `${String(reference.kind).toLowerCase()}/${reference.name}`
  const referent = referents.find(({ metadata }) => metadata.name === reference.name)
  if (!referent) return { is: 'missing', message: `spec.workloadRef: no ${name} in ${source.metadata.namespace}` }
  const template = referent.template ?? at(referent, 'spec', 'template')
  if (!isObject(template)) return { is: 'missing', message: `spec.workloadRef: ${name} has no template` }
  return desired({ is: 'found', template })
}

const desired = (template: Template): Template =>
  template.is === 'found' ? { ...template, base: 'Desired' } : template

function health(fork: KubeObject): Health {
  const invalid = conditionOf(fork, 'InvalidSpec', 'True')
  if (invalid) return { is: 'stalled', reason: 'InvalidSpec', message: wordsOf(invalid) }
  const failure = conditionOf(fork, 'ReplicaFailure', 'True') // the phase stays Progressing
  if (failure) return { is: 'stalled', reason: 'ReplicaFailure', message: wordsOf(failure) }
  const { phase, message = '' } = objectOr(fork.status)
  const wanted = replicasOf(fork)
  const available = countOf(fork, 'availableReplicas')
  const told = `${available} of ${wanted} pods available${message ? `: ${message}` : ''}`
  switch (phase) {
    case 'Degraded':
      return { is: 'stalled', reason: 'ProgressDeadlineExceeded', message: told }
    case 'Paused':
      return { is: 'unready', reason: 'Paused', message: told }
    case 'Healthy':
      if (available === wanted) return { is: 'ready', reason: 'Available', message: told }
      break
    default:
  }
  return { is: 'progressing', reason: 'PodsNotReady', message: told }
}
