import { member, objectOr } from '../api/object.ts'

/**
 * Labels that differ from pod to pod or from revision to revision of one workload: a Service that selects by one of
 * them still concerns the workload.
 */
export const PINNING_LABELS: readonly string[] = [
  'pod-template-hash',
  'rollouts-pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-uid',
]

/**
 * Labels and annotations of a source's pod template that a fork must not inherit: what controllers set, and what
 * claims, tracks, prunes or notifies for the source alone. An entry that ends in `/` or `*` is a prefix.
 */
const DROPPED: readonly string[] = [
  // set by controllers
  ...PINNING_LABELS,
  'batch.kubernetes.io/',
  // prune, or hold secrets
  'kubectl.kubernetes.io/last-applied-configuration',
  'applyset.kubernetes.io/',
  // tracking, pruning, adoption
  'argocd.argoproj.io/',
  'kustomize.toolkit.fluxcd.io/',
  'helm.toolkit.fluxcd.io/',
  'meta.helm.sh/',
  'kapp.k14s.io/',
  // inventories
  'config.k8s.io/owning-inventory',
  'cli-utils.sigs.k8s.io/',
  'client.lifecycle.config.k8s.io/',
  'internal.config.kubernetes.io/',
  'configsync.gke.io/',
  'configmanagement.gke.io/',
  'objectset.rio.cattle.io/',
  'fleet.cattle.io/',
  // bookkeeping, write fights
  'deployment.kubernetes.io/',
  'rollout.argoproj.io/',
  'argo-rollouts.argoproj.io/',
  'kubernetes.io/change-cause',
  'autoscaling.alpha.kubernetes.io/',
  'flagger*',
  // for the source alone
  'notifications.argoproj.io/',
  'notified.notifications.argoproj.io',
  'olm.*',
  'operators.coreos.com/',
  'kubectl.kubernetes.io/restartedAt',
]

/** Of a dropped prefix, but Services select by them. */
const KEPT: ReadonlySet<string> = new Set(['kapp.k14s.io/app', 'kapp.k14s.io/association'])

const EXACT: ReadonlySet<string> = new Set(DROPPED.filter((key) => !/[/*]$/.test(key)))
const PREFIXES: readonly string[] = DROPPED.filter((key) => /[/*]$/.test(key)).map((key) => key.replace('*', ''))

/** Labels and annotations of a template that its copy keeps. */
export const lastingMetadata = (metadata: unknown) => ({
  labels: withoutDropped(member(metadata, 'labels')),
  annotations: withoutDropped(member(metadata, 'annotations')),
})

const withoutDropped = (map: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(objectOr(map)).filter(([key]) => !isDroppedKey(key)))

/** Whether a fork's pods go without the label or annotation `key` of their source's. */
export const isDroppedKey = (key: string): boolean =>
  !KEPT.has(key) && (EXACT.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix)))
