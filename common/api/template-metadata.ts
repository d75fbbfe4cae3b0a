import { member, objectOr } from '../json/json.ts'

/** Labels that differ between pods or revisions of one workload. A Service that selects by them is still one of it. */
export const PER_POD_LABELS: readonly string[] = [
  'pod-template-hash',
  'rollouts-pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-uid',
]

/**
 * Labels and annotations of a source's pod template that a fork must not inherit. Controllers set them, or tools use
 * them to track, adopt, prune or notify, which concerns only the source. An entry that ends in `/` or `*` is a prefix.
 */
const DROPPED: readonly string[] = [
  // set by controllers
  ...PER_POD_LABELS,
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

/** Kept although their prefix is dropped: Services select by them. */
const KEPT: ReadonlySet<string> = new Set(['kapp.k14s.io/app', 'kapp.k14s.io/association'])

const EXACT: ReadonlySet<string> = new Set(DROPPED.filter((key) => !/[/*]$/.test(key)))
const PREFIXES: readonly string[] = DROPPED.filter((key) => /[/*]$/.test(key)).map((key) => key.replace('*', ''))

/** The labels and annotations of a source's pod template that its fork inherits. */
export const inheritedMetadata = (metadata: unknown) => ({
  labels: withoutDropped(member(metadata, 'labels')),
  annotations: withoutDropped(member(metadata, 'annotations')),
})

const withoutDropped = (map: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(objectOr(map)).filter(([key]) => !isDroppedKey(key)))

/** Whether a fork does not inherit the label or annotation `key` of its source's pod template. */
export const isDroppedKey = (key: string): boolean =>
  !KEPT.has(key) && (EXACT.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix)))
