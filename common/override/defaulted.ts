import { readImage } from '../api/image.ts'
import { parseQuantity } from '../api/quantity.ts'
import { at, isObject, listOr, member, textOr } from '../json/json.ts'
import { matchesWhole } from '../json/sequence.ts'
import { type ItemStep, type OverridePath, type PathStep, parseOverridePath } from './path.ts'
import { identityOf } from './shape.ts'

/** A leaf that differs between two specs of workloads. It is `undefined` on the side without it. */
interface Leaf {
  readonly path: readonly PathStep[]
  readonly before: unknown
  readonly after: unknown
}

interface Specs {
  readonly before: unknown
  readonly after: unknown
}

/** The value that the API server fills in where a field is absent, or how it follows from the object around it. */
type Default = (around: () => unknown, spec: unknown) => unknown

const POD = 'template.spec'
const CONTAINER = `${POD}.{containers,initContainers}[*]`
const VOLUME = `${POD}.volumes[*]`
const CLAIM = `${VOLUME}.ephemeral.volumeClaimTemplate`
const CLAIMS = 'volumeClaimTemplates[*]'

/**
 * What the API server fills in, from `pkg/apis/core/v1/defaults.go` and `pkg/apis/apps/v1/defaults.go` of Kubernetes,
 * and the false, 0 and `''` that it leaves out. A source is stored with them, and authors do not repeat them in an
 * override. A field for which absent means something else, such as a pointer to a boolean, is not listed.
 */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  [`${CONTAINER}.terminationMessagePath`]: '/dev/termination-log',
  [`${CONTAINER}.terminationMessagePolicy`]: 'File',
  [`${CONTAINER}.resources`]: {},
  [`${CONTAINER}.{stdin,stdinOnce,tty}`]: false,
  [`${CONTAINER}.ports[*].protocol`]: 'TCP',
  [`${CONTAINER}.volumeMounts[*].readOnly`]: false,
  [`${CONTAINER}.env[*].value`]: '',
  [`${CONTAINER}.env[*].valueFrom.fieldRef.apiVersion`]: 'v1',
  [`${CONTAINER}.env[*].valueFrom.resourceFieldRef.divisor`]: '0',
  [`${CONTAINER}.*.httpGet.path`]: '/',
  [`${CONTAINER}.*.httpGet.scheme`]: 'HTTP',
  [`${CONTAINER}.*.*.httpGet.path`]: '/',
  [`${CONTAINER}.*.*.httpGet.scheme`]: 'HTTP',
  [`${CONTAINER}.*.grpc.service`]: '',
  [`${CONTAINER}.*.initialDelaySeconds`]: 0,
  [`${CONTAINER}.*.{timeoutSeconds,successThreshold}`]: 1,
  [`${CONTAINER}.*.periodSeconds`]: 10,
  [`${CONTAINER}.*.failureThreshold`]: 3,
  [`${VOLUME}.{secret,configMap,projected,downwardAPI}.defaultMode`]: 0o644,
  [`${VOLUME}.downwardAPI.items[*].fieldRef.apiVersion`]: 'v1',
  [`${VOLUME}.downwardAPI.items[*].resourceFieldRef.divisor`]: '0',
  [`${VOLUME}.projected.sources[*].downwardAPI.items[*].fieldRef.apiVersion`]: 'v1',
  [`${VOLUME}.projected.sources[*].downwardAPI.items[*].resourceFieldRef.divisor`]: '0',
  [`${VOLUME}.projected.sources[*].serviceAccountToken.expirationSeconds`]: 3_600,
  [`${VOLUME}.*.readOnly`]: false,
  [`${VOLUME}.emptyDir.medium`]: '',
  [`${VOLUME}.hostPath.type`]: '',
  [`${VOLUME}.iscsi.iscsiInterface`]: 'default',
  [`${VOLUME}.rbd.pool`]: 'rbd',
  [`${VOLUME}.rbd.user`]: 'admin',
  [`${VOLUME}.rbd.keyring`]: '/etc/ceph/keyring',
  [`${VOLUME}.azureDisk.cachingMode`]: 'ReadWrite',
  [`${VOLUME}.azureDisk.fsType`]: 'ext4',
  [`${VOLUME}.azureDisk.kind`]: 'Shared',
  [`${VOLUME}.scaleIO.storageMode`]: 'ThinProvisioned',
  [`${VOLUME}.scaleIO.fsType`]: 'xfs',
  [`${CLAIM}.spec.volumeMode`]: 'Filesystem',
  [`${POD}.restartPolicy`]: 'Always',
  [`${POD}.dnsPolicy`]: 'ClusterFirst',
  [`${POD}.schedulerName`]: 'default-scheduler',
  [`${POD}.terminationGracePeriodSeconds`]: 30,
  [`${POD}.securityContext`]: {},
  [`${POD}.{hostNetwork,hostPID,hostIPC}`]: false,
  [`${CLAIMS}.spec.volumeMode`]: 'Filesystem',
  [`${CLAIMS}.status.phase`]: 'Pending',
  minReadySeconds: 0,
  paused: false,
  progressDeadlineSeconds: 600,
  'strategy.type': 'RollingUpdate',
  'strategy.rollingUpdate.{maxSurge,maxUnavailable}': '25%',
  'updateStrategy.type': 'RollingUpdate',
  'updateStrategy.rollingUpdate.partition': 0,
}

/** The defaults that follow from other fields. */
const DEPENDENT: Readonly<Record<string, Default>> = {
  [`${CONTAINER}.imagePullPolicy`]: (container) => pullPolicy(member(container(), 'image')),
  [`${VOLUME}.image.pullPolicy`]: (volume) => pullPolicy(member(volume(), 'reference')),
  [`${CONTAINER}.ports[*].hostPort`]: (port, spec) =>
    at(spec, 'template', 'spec', 'hostNetwork') === true ? member(port(), 'containerPort') : undefined,
  // a volume without a source
  [`${VOLUME}.emptyDir`]: (volume) => (Object.keys(volume() ?? {}).length === 1 ? {} : undefined),
}

/** Free keys and members that the API server leaves out if they are empty. So it does with all lists of a template. */
const EMPTY = paths(
  'template.metadata.{labels,annotations}',
  `${POD}.{nodeSelector,overhead}`,
  `${CONTAINER}.resources.{limits,requests}`,
  `${CLAIMS}.metadata.{labels,annotations}`,
  `${CLAIM}.metadata`,
)

/** The API server writes these itself, whatever is sent: `pkg/apis/apps/v1/conversion.go` of Kubernetes. */
const OVERWRITTEN = paths(`${CLAIMS}.{apiVersion,kind}`)

/** The API server stores `1024Mi` as `1Gi` and 1 as `"1"`. */
const QUANTITIES = paths(
  `${CONTAINER}.resources.{limits,requests}.*`,
  `${POD}.resources.{limits,requests}.*`,
  `${POD}.overhead.*`,
  `${VOLUME}.emptyDir.sizeLimit`,
  `${CONTAINER}.env[*].valueFrom.resourceFieldRef.divisor`,
  `${CLAIM}.spec.resources.{limits,requests}.*`,
  `${CLAIMS}.spec.resources.{limits,requests}.*`,
)

function paths(...patterns: readonly string[]): readonly OverridePath[] {
  return patterns.map((pattern) => parseOverridePath(pattern) ?? [])
}

const TEMPLATE = paths('template.**')

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
 * Whether the API server would store the same for both sides of a leaf: one is absent and the other is its default, or
 * both are the same quantity, or it writes the leaf itself. `specs` are the two specs in which the leaf differs.
 */
export function isStoredAlike({ path, before, after }: Leaf, specs: Specs): boolean {
  const last = path.at(-1)
  const key = last?.is === 'member' ? last.key : undefined
  if ((key === 'apiVersion' || key === 'kind') && isOneOf(OVERWRITTEN, path)) return true
  if (before !== undefined && after !== undefined)
    return mayBeQuantity(before) && isSameQuantity(before, after) && isOneOf(QUANTITIES, path)
  const value = before === undefined ? after : before
  if (value === null) return key === 'creationTimestamp' // as older API servers store it
  if (typeof value === 'object' && isOneOf(Array.isArray(value) ? TEMPLATE : EMPTY, path)) return true
  const known = key === undefined ? undefined : BY_KEY.get(key)
  if (!known) return false
  const [lacking, having] = after === undefined ? [specs.after, specs.before] : [specs.before, specs.after]
  const parent = path.slice(0, -1)
  const around = () => valueAt(lacking, parent) ?? valueAt(having, parent)
  return known.some(
    ({ path: pattern, of, isFixed }) =>
      (!isFixed || isAlike(value, of(around, lacking))) &&
      matchesWhole(pattern, path) &&
      isAlike(value, of(around, lacking)),
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

// a leaf that is an object is empty
const isAlike = (found: unknown, value: unknown): boolean => found === value || (isObject(found) && isObject(value))

/** What `spec` has at `path`. */
function valueAt(spec: unknown, path: readonly PathStep[]): unknown {
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
