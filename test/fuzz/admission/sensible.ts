import type { OverrideType } from '../../../common/api/types.ts'
import { isObject, type Json, type JsonObject } from '../../../common/json/json.ts'

type Members = Record<string, Json>
type Repair = (members: Members, path: readonly string[]) => void

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef']

/** Keeps one of `keys`. If there is none and `fallback` is given, adds that. */
function keepOne(members: Members, keys: readonly string[], fallback?: JsonObject): void {
  const [first, ...others] = keys.filter((key) => members[key] !== undefined)
  for (const key of others) delete members[key]
  if (first === undefined && fallback) Object.assign(members, fallback)
}

const isItemOf = (path: readonly string[], ...lists: readonly string[]): boolean =>
  path.at(-1) === '[]' && lists.includes(path.at(-2) ?? '')

/** What people know about fields that belong together. A schema does not say it. */
const REPAIRS: readonly Repair[] = [
  (members, path) => {
    if (path.length !== 2 || path[1] !== 'metadata') return
    for (const key of Object.keys(members)) if (!['labels', 'annotations'].includes(key)) delete members[key]
  },
  (members, path) => {
    if (path.length !== 2 || path[1] !== 'spec') return
    for (const key of [
      'restartPolicy',
      'activeDeadlineSeconds',
      'hostUsers',
      'resources',
      'resourceClaims',
      'nodeName',
      'os',
    ])
      delete members[key]
    if (members.hostNetwork === true) delete members.hostnameOverride
    if (members.dnsPolicy === 'None') members.dnsPolicy = 'Default'
    if (members.hostPID === true) delete members.shareProcessNamespace
  },
  (members, path) => {
    if (!isItemOf(path, 'containers', 'initContainers')) return
    for (const key of ['restartPolicy', 'restartPolicyRules', 'volumeDevices']) delete members[key]
    if (path.at(-2) !== 'initContainers') return
    for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe', 'resizePolicy'])
      delete members[key]
  },
  (members, path) => {
    const key = path.at(-1) ?? ''
    if (!['livenessProbe', 'readinessProbe', 'startupProbe', 'postStart', 'preStop'].includes(key)) return
    keepOne(members, HANDLERS, { tcpSocket: { port: 8080 } })
    if (key === 'readinessProbe') delete members.terminationGracePeriodSeconds
  },
  (members, path) => {
    if (['httpGet', 'tcpSocket'].includes(path.at(-1) ?? '') && typeof members.port === 'string') members.port = 8080
  },
  (members, path) => {
    if (isItemOf(path, 'env')) keepOne(members, ['valueFrom', 'value'])
    if (isItemOf(path, 'envFrom')) keepOne(members, ['configMapRef', 'secretRef'], { secretRef: { name: 'cart' } })
    if (path.at(-1) === 'valueFrom') delete members.fileKeyRef
    if (path.at(-1) === 'valueFrom') keepOne(members, SOURCES, { fieldRef: { fieldPath: 'metadata.name' } })
    const isRef = ['configMapKeyRef', 'secretKeyRef', 'configMapRef', 'secretRef', 'configMap'].includes(
      path.at(-1) ?? '',
    )
    if (isRef) members.name ??= 'cart'
    if (path.at(-1) === 'secret' && isItemOf(path.slice(0, -1), 'volumes')) members.secretName ??= 'cart'
  },
  (members, path) => {
    if (!isItemOf(path, 'volumeMounts')) return
    for (const key of ['mountPropagation', 'recursiveReadOnly', 'subPathExpr']) delete members[key]
    members.name = path.includes('containers') ? 'data' : 'config'
  },
  (members) => {
    if (members.operator === 'Exists' || members.operator === 'DoesNotExist') {
      delete members.values
      delete members.value
    } else if (members.operator === 'In' || members.operator === 'NotIn') members.values = ['a']
    else if (members.operator === 'Gt' || members.operator === 'Lt') members.values = ['1']
  },
  (members, path) => {
    if (!isItemOf(path, 'tolerations')) return
    delete members.values
    if (members.operator !== 'Exists') members.operator = 'Equal'
    members.key ??= 'zone'
    if (members.tolerationSeconds !== undefined) members.effect = 'NoExecute'
  },
  (members) => {
    if (members.localhostProfile !== undefined || members.type === 'Localhost') {
      members.type = 'Localhost'
      members.localhostProfile ??= 'cart.json'
    }
  },
  (members, path) => {
    if (path.at(-1) !== 'resources' || !path.includes('containers')) return
    delete members.claims
    members.requests &&= { cpu: '100m' }
    members.limits &&= { cpu: '2', memory: '2Gi' }
  },
  (members) => {
    if (members.whenUnsatisfiable === 'ScheduleAnyway') delete members.minDomains
    if (members.labelSelector === undefined) {
      delete members.matchLabelKeys
      delete members.mismatchLabelKeys
    }
    delete members.mismatchLabelKeys
  },
  (members, path) => {
    if (path.length > 0) return
    const { minReadySeconds: ready, progressDeadlineSeconds: deadline } = members
    if (typeof deadline === 'number') members.progressDeadlineSeconds = deadline + Number(ready ?? 0)
  },
  (members) => {
    if (members.type === 'Recreate' || members.type === 'OnDelete') members.rollingUpdate = null as Json
  },
  (members, path) => {
    if (path.at(-1) === 'volumeClaimTemplate') members.spec = CLAIM
    if (isItemOf(path, 'volumeClaimTemplates')) Object.assign(members, { metadata: { name: 'data' }, spec: CLAIM })
    if (isItemOf(path, 'resizePolicy')) members.restartPolicy = 'NotRequired'
    if (isItemOf(path, 'matchFields')) Object.assign(members, { key: 'metadata.name', operator: 'In', values: ['a'] })
  },
  (members, path) => {
    if (path.at(-1) === 'securityContext')
      for (const key of ['windowsOptions', 'procMount', 'privileged']) delete members[key]
  },
]

const CLAIM: JsonObject = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const VOLUMES: readonly JsonObject[] = [
  { name: 'data', emptyDir: {} },
  { name: 'config', configMap: { name: 'cart' } },
]

/** `override` as somebody would write it who knows what belongs together. */
export function sensible(override: JsonObject, type: OverrideType): JsonObject {
  const visit = (value: Json, path: readonly string[]): Json => {
    if (Array.isArray(value)) return value.map((item) => visit(item, [...path, '[]']))
    if (!isObject(value)) return value
    const members: Members = { ...(value as JsonObject) }
    for (const repair of REPAIRS) repair(members, path)
    if (path.at(-1) === 'spec' && path.length === 2) completeVolumes(members, type)
    return Object.fromEntries(Object.entries(members).map(([key, each]) => [key, visit(each, [...path, key])]))
  }
  return visit(override, []) as JsonObject
}

/** Merge replaces the list, so what is mounted must be in it. */
function completeVolumes(members: Members, type: OverrideType): void {
  const { volumes } = members
  if (type !== 'Merge' || !Array.isArray(volumes)) return
  const others = volumes.filter((volume) => !VOLUMES.some(({ name }) => isObject(volume) && volume.name === name))
  members.volumes = [...VOLUMES, ...others]
}
