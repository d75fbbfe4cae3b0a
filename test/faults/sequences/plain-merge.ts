/**
 * What a fork must be, written a second time and plainly: a law that compares the product with itself proves little.
 */
import type { KubeObject } from '../../../common/api/object.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import { at, isObject, type Json, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import type { SourceKind } from '../../../common/workload/registry.ts'

type Fields = Readonly<Record<string, unknown>>

const only = (of: Fields, ...keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(of).filter(([key, value]) => keys.includes(key) && value !== undefined))

/**
 * As the guide describes it: what a fork has from the `spec` of its source beside the template, and what it has always.
 */
const TAKEN: Readonly<Record<SourceKind, (spec: Fields) => Fields>> = {
  Deployment: (spec) => ({
    ...only(spec, 'minReadySeconds', 'progressDeadlineSeconds', 'strategy'),
    revisionHistoryLimit: 1,
  }),
  StatefulSet: (spec) => ({
    ...only(spec, 'minReadySeconds', 'ordinals', 'serviceName'),
    ...(spec.volumeClaimTemplates ? { volumeClaimTemplates: listOr(spec.volumeClaimTemplates).map(claim) } : {}),
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 1,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
  }),
  Rollout: (spec) => ({
    ...only(spec, 'minReadySeconds', 'progressDeadlineSeconds'),
    strategy: { canary: only(objectOr(at(spec, 'strategy', 'canary')), 'maxSurge', 'maxUnavailable') },
    revisionHistoryLimit: 1,
  }),
}

function claim(template: unknown): Fields {
  const { status: _status, metadata, ...rest } = objectOr(template)
  return { ...rest, metadata: only(objectOr(metadata), 'name', 'labels', 'annotations') }
}

/** The annotation of `kubectl rollout restart`, which is about the source alone. */
const RESTARTED = 'kubectl.kubernetes.io/restartedAt'

/** The `spec` that a fork of `source` must have, but for its replicas, its selector and the labels that identify it. */
export function plainFork(
  source: KubeObject,
  template: unknown,
  { overrideType, overrideSpec }: { readonly overrideType?: OverrideType; readonly overrideSpec: JsonObject },
): JsonObject {
  // the API server fills in the deprecated name of the account
  const { serviceAccount: _alias, ...pod } = objectOr(at(template, 'spec'))
  const { [RESTARTED]: _restarted, ...annotations } = objectOr(at(template, 'metadata', 'annotations'))
  const metadata = { labels: objectOr(at(template, 'metadata', 'labels')), annotations }
  const base = { ...TAKEN[source.kind as SourceKind](objectOr(source.spec)), template: { metadata, spec: pod } }
  const merge = overrideType === 'Strategic' ? strategic : jsonMerge
  return withAccount(merge(base as unknown as JsonObject, overrideSpec, '') as JsonObject, overrideSpec)
}

/** Of the two names of the account, the override may use either, and the real one counts. A fork has both. */
function withAccount(spec: JsonObject, overrideSpec: JsonObject): JsonObject {
  const template = objectOr(spec.template)
  const { serviceAccount: alias, serviceAccountName: name, ...pod } = objectOr(template.spec)
  const isNamed = Boolean(at(overrideSpec, 'template', 'spec', 'serviceAccountName'))
  const account = alias && !isNamed ? alias : name
  const named = account ? { serviceAccountName: account, serviceAccount: account } : {}
  return { ...spec, template: { ...template, spec: { ...pod, ...named } } } as unknown as JsonObject
}

/** RFC 7386, section 2, word by word. Nulls inside a list remove nothing there, so they count as absent. */
function jsonMerge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return withoutNulls(patch)
  const merged: Record<string, Json> = isObject(target) ? { ...(target as JsonObject) } : {}
  for (const [key, value] of Object.entries(patch as JsonObject))
    if (value === null) delete merged[key]
    else merged[key] = jsonMerge(merged[key], value)
  return merged
}

const withoutNulls = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const entries = Object.entries(value as JsonObject).filter(([, inner]) => inner !== null)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}

/** The lists of pods whose items have keys, by the name of the list. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'protocol'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  resourceClaims: ['name'],
  claims: ['name'],
  schedulingGates: ['name'],
}

const HANDLERS = ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket']
const VALUES = ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef']

/** The members that exclude each other, by the name of the object; `[]` stands for the items of a list. */
const EXCLUSIVE: Readonly<Record<string, readonly string[]>> = {
  'env[]': ['value', 'valueFrom'],
  valueFrom: VALUES,
  livenessProbe: HANDLERS,
  readinessProbe: HANDLERS,
  startupProbe: HANDLERS,
  postStart: HANDLERS,
  preStop: HANDLERS,
  'resourceClaims[]': ['resourceClaimName', 'resourceClaimTemplateName'],
}

/** A member that goes with one value of `type` only. */
const TYPED: Readonly<Record<string, readonly [member: string, type: string]>> = {
  strategy: ['rollingUpdate', 'RollingUpdate'],
  updateStrategy: ['rollingUpdate', 'RollingUpdate'],
  seccompProfile: ['localhostProfile', 'Localhost'],
  appArmorProfile: ['localhostProfile', 'Localhost'],
}

/** As `jsonMerge`, but lists with keys are merged by them, and what excludes a member that is set goes. */
function strategic(target: Json | undefined, patch: Json, name: string): Json {
  if (Array.isArray(patch)) return LISTS[name] ? itemsMerged(listOr(target), patch, name) : withoutNulls(patch)
  if (!isObject(patch)) return patch
  const before: Record<string, Json> = isObject(target) ? { ...(target as JsonObject) } : {}
  for (const key of excluded(before, patch, name)) delete before[key]
  const merged = before
  for (const [key, value] of Object.entries(patch as JsonObject))
    if (value === null) delete merged[key]
    else merged[key] = strategic(merged[key], value, key)
  return merged
}

function excluded(before: Fields, patch: Fields, name: string): readonly string[] {
  // every member of a volume but its name is a source of it
  const members = name === 'volumes[]' ? Object.keys(before).filter((key) => key !== 'name') : (EXCLUSIVE[name] ?? [])
  const alternatives =
    name === 'volumes[]' ? [...members, ...Object.keys(patch).filter((key) => key !== 'name')] : members
  const isSet = (key: string) => (patch[key] ?? null) !== null
  const [typed, type] = TYPED[name] ?? []
  return [
    ...(alternatives.some(isSet) ? alternatives.filter((key) => !isSet(key)) : []),
    ...(typed && typeof patch.type === 'string' && patch.type !== type ? [typed] : []),
  ]
}

function itemsMerged(before: readonly unknown[], patch: readonly Json[], name: string): Json {
  const keys = LISTS[name] ?? []
  const idOf = (item: unknown) =>
    JSON.stringify(keys.map((key) => at(item, key) ?? (key === 'protocol' ? 'TCP' : null)))
  const merged = [...before] as Json[]
  for (const item of patch) {
    const index = merged.findIndex((other) => idOf(other) === idOf(item))
    if (index < 0) merged.push(strategic({}, item, `${name}[]`))
    else merged[index] = strategic(merged[index], item, `${name}[]`)
  }
  return merged
}
