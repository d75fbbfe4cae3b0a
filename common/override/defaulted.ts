import { readImage } from '../api/image.ts'
import { parseQuantity } from '../api/quantity.ts'
import { at, isObject, listOr, member, textOr } from '../json/json.ts'
import { matchesWhole } from '../json/sequence.ts'
import { type ItemStep, type OverridePath, type PathStep, parseOverridePath, shapeAt } from './path.ts'
import { identityOf, type Shape } from './shape.ts'

/** A leaf that differs between two specs of workloads. It is `undefined` on the side without it. */
interface Leaf {
  readonly path: readonly PathStep[]
  readonly before: unknown
  readonly after: unknown
}

interface Specs {
  readonly before: unknown
  readonly after: unknown
  readonly shape: Shape
}

/** The value that the API server fills in where a field is absent, or how it follows from the object around it. */
type Default = (around: () => unknown, spec: unknown) => unknown

const POD = 'template.spec'
const CONTAINER = `${POD}.{containers,initContainers}[*]`
const VOLUME = `${POD}.volumes[*]`

/**
 * The fields of workloads whose zero value the API server takes as absent: the plain texts, numbers and booleans of
 * `k8s.io/api/core/v1` and `apps/v1`. Its schemas do not tell them from pointers, whose zero means something else.
 */
const PLAIN: ReadonlySet<string> = new Set(
  `apiVersion audience certificateChainPath chapAuthDiscovery chapAuthSession containerName credentialBundlePath
  datasetName datasetUUID directory dnsPolicy effect failureThreshold fsType generateName generation group host hostIP
  hostIPC hostname hostNetwork hostPID hostPort image imagePullPolicy initialDelaySeconds iscsiInterface key keyPath
  keyring keyType level medium minReadySeconds name namespace nodeName operator partition path paused periodSeconds
  podManagementPolicy pool prefix priorityClassName protectionDomain protocol pullPolicy readOnly reference request
  resourceVersion restartPolicy revision role schedulerName scheme secretFile secretName selfLink service
  serviceAccount serviceAccountName signerName sslEnabled start stdin stdinOnce storageMode storagePolicyID
  storagePolicyName storagePool subdomain subPath subPathExpr successThreshold targetContainerName tenant
  terminationMessagePath terminationMessagePolicy timeoutSeconds tty type uid user value volumeName volumeNamespace
  whenDeleted whenScaled workingDir`.split(/\s+/),
)

/** Pointers that have the name of a plain field. */
const POINTERS = paths(
  `${POD}.dnsConfig.options[*].value`,
  `${VOLUME}.csi.{fsType,readOnly}`,
  `${VOLUME}.azureDisk.fsType`,
  `${VOLUME}.projected.sources[*].clusterTrustBundle.{name,signerName}`,
  '**.spec.dataSourceRef.namespace', // of a claim
)

/**
 * What the API server fills in beside the defaults of its schemas, from `pkg/apis/core/v1/defaults.go` and
 * `pkg/apis/apps/v1/defaults.go` of Kubernetes. A source is stored with them, and authors do not repeat them.
 */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  [`${CONTAINER}.terminationMessagePath`]: '/dev/termination-log',
  [`${CONTAINER}.terminationMessagePolicy`]: 'File',
  [`${CONTAINER}.*.{timeoutSeconds,successThreshold}`]: 1,
  [`${CONTAINER}.*.periodSeconds`]: 10,
  [`${CONTAINER}.*.failureThreshold`]: 3,
  [`${VOLUME}.{secret,configMap,projected,downwardAPI}.defaultMode`]: 0o644,
  [`${POD}.**.fieldRef.apiVersion`]: 'v1',
  [`${POD}.**.resourceFieldRef.divisor`]: '0',
  [`${POD}.**.httpGet.path`]: '/',
  [`${POD}.**.httpGet.scheme`]: 'HTTP',
  [`${VOLUME}.projected.sources[*].serviceAccountToken.expirationSeconds`]: 3_600,
  [`${POD}.restartPolicy`]: 'Always',
  [`${POD}.dnsPolicy`]: 'ClusterFirst',
  [`${POD}.schedulerName`]: 'default-scheduler',
  [`${POD}.terminationGracePeriodSeconds`]: 30,
  [`${POD}.securityContext`]: {},
  '**.spec.volumeMode': 'Filesystem', // of a claim
  'volumeClaimTemplates[*].status.phase': 'Pending',
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  podManagementPolicy: 'OrderedReady',
  'strategy.type': 'RollingUpdate',
  'strategy.rollingUpdate.{maxSurge,maxUnavailable}': '25%',
  'updateStrategy.rollingUpdate.partition': 0,
  'persistentVolumeClaimRetentionPolicy.{whenDeleted,whenScaled}': 'Retain',
}

/** The defaults that follow from other fields. */
const DEPENDENT: Readonly<Record<string, Default>> = {
  [`${CONTAINER}.imagePullPolicy`]: (container) => pullPolicy(member(container(), 'image')),
  [`${VOLUME}.image.pullPolicy`]: (volume) => pullPolicy(member(volume(), 'reference')),
  [`${CONTAINER}.ports[*].hostPort`]: (port, spec) =>
    at(spec, 'template', 'spec', 'hostNetwork') === true ? member(port(), 'containerPort') : undefined,
  'updateStrategy.type': (strategy) => (member(strategy(), 'rollingUpdate') ? 'RollingUpdate' : undefined),
  // a volume without a source
  [`${VOLUME}.emptyDir`]: (volume) => (Object.keys(volume() ?? {}).length === 1 ? {} : undefined),
}

/** The API server writes these itself, whatever is sent: `pkg/apis/apps/v1/conversion.go` of Kubernetes. */
const OVERWRITTEN = paths('volumeClaimTemplates[*].{apiVersion,kind}')

function paths(...patterns: readonly string[]): readonly OverridePath[] {
  return patterns.map((pattern) => parseOverridePath(pattern) ?? [])
}

/** The rest of a Rollout is of a CRD, whose objects the API server stores as they are. */
const isInTemplate = ([first]: readonly PathStep[]): boolean =>
  first?.is === 'member' && (first.key === 'template' || first.key === 'volumeClaimTemplates')

interface KnownDefault {
  readonly path: OverridePath
  readonly of: Default
  /** the value does not depend on other fields, so it is cheaper to compare than the path */
  readonly isFixed: boolean
}

/** By the last key of the path, so that most leaves are compared with none. */
const BY_KEY = new Map<string, KnownDefault[]>()
for (const [pattern, found] of [...Object.entries(DEFAULTS), ...Object.entries(DEPENDENT)]) {
  const isFixed = typeof found !== 'function'
  const entry = { path: parseOverridePath(pattern) ?? [], of: isFixed ? () => found : (found as Default), isFixed }
  for (const key of pattern.split('.').at(-1)?.match(/\w+/g) ?? []) BY_KEY.set(key, [...(BY_KEY.get(key) ?? []), entry])
}

/**
 * The leaves that the API server would not store alike, of all in which the two `specs` differ. One that is the only
 * trace of an object stays: `projected: {sources: []}` is no volume without a source. Leaves share the steps of paths.
 */
export function withoutDefaults<L extends Leaf>(leaves: readonly L[], specs: Specs): readonly L[] {
  const alike = new Set(leaves.filter((leaf) => isStoredAlike(leaf, specs)))
  if (alike.size === 0) return leaves
  const traced = stepsOf(leaves.filter((leaf) => !alike.has(leaf)))
  return leaves.filter((leaf) => !alike.has(leaf) || isOnlyTrace(leaf, traced, specs))
}

/** All steps of the paths. What is below a step that was seen is above it too, because leaves share steps. */
function stepsOf(leaves: readonly Leaf[]): ReadonlySet<PathStep> {
  const steps = new Set<PathStep>()
  for (const { path } of leaves)
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const step = path[index]
      if (step === undefined || steps.has(step)) break // then the steps before it are there too
      steps.add(step)
    }
  return steps
}

/** Whether an object around a leaf exists on one side only, and no other leaf shows that. */
function isOnlyTrace({ path, before }: Leaf, traced: ReadonlySet<PathStep>, specs: Specs): boolean {
  const [lacking, sides] =
    before === undefined
      ? [specs.before, { before: undefined, after: {} }]
      : [specs.after, { before: {}, after: undefined }]
  for (let around = path.slice(0, -1); around.length > 0; around = around.slice(0, -1)) {
    const step = around.at(-1)
    if ((step && traced.has(step)) || valueAt(lacking, around) !== undefined) return false
    if (!isStoredAlike({ path: around, ...sides }, specs)) return true
  }
  return false
}

/**
 * Whether the API server would store the same for both sides of a leaf: each is absent, as good as absent or the
 * default, or both are the same quantity, or it writes the leaf itself. `specs` are those in which the leaf differs.
 */
export function isStoredAlike({ path, before, after }: Leaf, specs: Specs): boolean {
  const key = keyOf(path)
  if ((key === 'apiVersion' || key === 'kind') && isOneOf(OVERWRITTEN, path)) return true
  // as older API servers store it
  if (before === null || after === null) return key === 'creationTimestamp' && (before ?? after ?? null) === null
  if (before !== undefined && after !== undefined && mayBeQuantity(before) && isSameQuantity(before, after))
    return shapeAt(specs.shape, path).isQuantity
  const [was, is] = [before, after].map((value) => (isLeftOut(value, path, specs.shape) ? undefined : value))
  if (was === undefined) return is === undefined || isDefault(is, path, { ...specs, lacking: specs.before })
  return is === undefined && isDefault(was, path, { ...specs, lacking: specs.after })
}

const keyOf = (path: readonly PathStep[]): string | undefined => {
  const last = path.at(-1)
  return last?.is === 'member' ? last.key : undefined
}

/** Whether the API server takes `value` as absent: the zero of a plain field, an empty list or an empty map. */
function isLeftOut(value: unknown, path: readonly PathStep[], shape: Shape): boolean {
  if (typeof value === 'object')
    return isInTemplate(path) && (Array.isArray(value) || shapeAt(shape, path).form === 'map')
  const key = keyOf(path) ?? ''
  const isPlain = (value === '' || value === 0 || value === false) && PLAIN.has(key) && !isOneOf(POINTERS, path)
  // of Kubernetes are also `minReadySeconds` and `strategy.type`
  const mayBeLeftOut = isPlain && (path.length <= 2 || isInTemplate(path))
  return mayBeLeftOut && shapeAt(shape, path.slice(0, -1)).fields.includes(key)
}

/** Whether the API server fills in `value` in the spec that is `lacking` it. */
function isDefault(value: unknown, path: readonly PathStep[], { lacking, ...specs }: Specs & { lacking: unknown }) {
  const key = keyOf(path)
  if (key === undefined) return false
  const parent = path.slice(0, -1)
  const own = shapeAt(specs.shape, parent)
  const around = () => [lacking, specs.before, specs.after].map((spec) => valueAt(spec, parent)).find(isObject)
  const isAlike = (found: unknown) =>
    found === value ||
    (isObject(found) && isObject(value)) ||
    (own.member(key).isQuantity && isSameQuantity(found, value))
  if (isAlike(own.defaultOf(key))) return true
  return (BY_KEY.get(key) ?? []).some(
    ({ path: pattern, of, isFixed }) =>
      (!isFixed || isAlike(of(around, lacking))) && matchesWhole(pattern, path) && isAlike(of(around, lacking)),
  )
}

const isOneOf = (patterns: readonly OverridePath[], path: readonly PathStep[]): boolean =>
  patterns.some((pattern) => matchesWhole(pattern, path))

/** Most leaves are other texts, which need no arithmetic. */
const mayBeQuantity = (value: unknown): boolean => typeof value === 'number' || /^[\s\d.+-]/.test(String(value))

function isSameQuantity(before: unknown, after: unknown): boolean {
  const quantity = parseQuantity(before)
  return quantity !== undefined && quantity === parseQuantity(after)
}

/** What `spec` has at `path`. */
export function valueAt(spec: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((value, step) => {
    if (step.is === 'member') return member(value, step.key)
    const { keyed, index } = step
    return keyed ? itemOf(listOr(value), keyed) : listOr(value)[index]
  }, spec)
}

/**
 * The items of a list by their identity, for each of its keys. A spec may have thousands of leaves in one list, and to
 * search it for each of them would take seconds. Lists are never changed.
 */
const ITEMS = new WeakMap<readonly unknown[], Map<string, ReadonlyMap<unknown, unknown>>>()

function itemOf(list: readonly unknown[], { keys, identity }: NonNullable<ItemStep['keyed']>): unknown {
  const byKeys = ITEMS.get(list) ?? new Map<string, ReadonlyMap<unknown, unknown>>()
  const name = keys.map(({ key }) => key).join()
  // of equal items the first one counts
  const items = byKeys.get(name) ?? new Map(list.map((item) => [identityOf(item, keys), item] as const).reverse())
  ITEMS.set(list, byKeys.set(name, items))
  return items.get(identity)
}

/**
 * The pull policy that the API server gives to an image: `Always` without a tag, and with the tag `latest`. It ignores
 * that it cannot read a reference, and then finds no such tag.
 */
export const pullPolicy = (image: unknown): string =>
  readImage(textOr(image, ''))?.tag === 'latest' ? 'Always' : 'IfNotPresent'
