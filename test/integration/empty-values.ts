import { at, isObject, type Json, type JsonObject, listOr, member, objectOr } from '../../common/json/json.ts'
import { referencedName, type Schemas } from '../../common/schema/transform.ts'

const labels = { app: 'rich' }
const labelSelector = { matchLabels: labels }
const fieldRef = { fieldPath: 'metadata.name' }
const resourceFieldRef = { containerName: 'rich', resource: 'limits.cpu' }
const files = [{ key: 'a', path: 'a' }]
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }

const container = {
  name: 'rich',
  image: 'registry.example/rich:1',
  ports: [{ containerPort: 80 }],
  env: [
    { name: 'A', value: '1' },
    { name: 'B', valueFrom: { fieldRef } },
    { name: 'C', valueFrom: { resourceFieldRef } },
    { name: 'D', valueFrom: { configMapKeyRef: { name: 'c', key: 'd' } } },
  ],
  envFrom: [{ configMapRef: { name: 'c' } }, { prefix: 'S_', secretRef: { name: 's' } }],
  resources: { limits: { cpu: '1', memory: '1Gi' } },
  volumeMounts: [{ name: 'emptydir', mountPath: '/a' }],
  livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'Host', value: 'a' }] } },
  readinessProbe: { tcpSocket: { port: 80 } },
  startupProbe: { grpc: { port: 80 } },
  lifecycle: { preStop: { exec: { command: ['true'] } } },
  securityContext: { capabilities: { drop: ['ALL'] }, seLinuxOptions: { level: 's0' } },
}

/** A volume of each kind that a Deployment may have, by its name. */
const VOLUMES: JsonObject = {
  emptyDir: {},
  hostPath: { path: '/a' },
  configMap: { name: 'c', items: files },
  secret: { secretName: 's' },
  downwardAPI: { items: [{ path: 'a', fieldRef }] },
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token' } },
      { configMap: { name: 'c' } },
      { downwardAPI: { items: [{ path: 'b', resourceFieldRef }] } },
    ],
  },
  persistentVolumeClaim: { claimName: 'c' },
  nfs: { server: 'n', path: '/a' },
  csi: { driver: 'csi.example' },
  ephemeral: { volumeClaimTemplate: { spec: claim } },
  iscsi: { targetPortal: '1.2.3.4:3260', iqn: 'iqn.2001-04.com.example:a', lun: 0 },
  rbd: { monitors: ['a'], image: 'a' },
  azureDisk: { diskName: 'a', diskURI: 'https://a' },
  scaleIO: { gateway: 'a', system: 'a', secretRef: { name: 's' }, volumeName: 'a' },
  fc: { targetWWNs: ['a'], lun: 1 },
  image: { reference: 'registry.example/files:1' },
}

/** The template of a pod that uses objects of many kinds. Its fork needs no pod. */
export const RICH: JsonObject = {
  metadata: { labels },
  spec: {
    containers: [container],
    initContainers: [{ name: 'init', image: 'registry.example/init:1' }],
    volumes: Object.entries(VOLUMES).map(([name, of]) => ({ name: name.toLowerCase(), [name]: of }) as JsonObject),
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { labelSelector, topologyKey: 'a' } },
        ],
      },
    },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', labelSelector }],
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
    dnsConfig: { nameservers: ['1.2.3.4'], options: [{ name: 'ndots' }] },
    imagePullSecrets: [{ name: 's' }],
    securityContext: { fsGroup: 1, seccompProfile: { type: 'RuntimeDefault' } },
    readinessGates: [{ conditionType: 'example.com/a' }],
  },
} as unknown as JsonObject

/** An override that empties one field, or takes it away. */
export interface EmptyValue {
  /** `template.spec.containers[0].tty` */
  readonly field: string
  readonly isTakenAway: boolean
  readonly overrideSpec: JsonObject
}

interface Place {
  readonly field: string
  /** the override in which `value` is at this place */
  readonly override: (value: Json) => JsonObject
}

/** The fields of a workload that no override may change. */
const FIXED = new Set(['replicas', 'selector', 'serviceName', 'volumeClaimTemplates'])

/**
 * The empty value of each field that the schema `root` has in an object of `spec`, and each field that `spec` has taken
 * away. Lists are replaced whole. The API server may refuse some of them.
 */
export function emptyValues(spec: JsonObject, schemas: Schemas, root: unknown): readonly EmptyValue[] {
  const resolve = (schema: unknown): unknown => {
    const name = referencedName(schema)
    return name === undefined ? schema : resolve(member(schemas, name))
  }
  const visit = (value: JsonObject, schema: unknown, { field, override }: Place): readonly EmptyValue[] =>
    Object.entries(objectOr(member(resolve(schema), 'properties'))).flatMap(([key, of]): readonly EmptyValue[] => {
      if (field === '' && FIXED.has(key)) return []
      const inner = { field: `${field}.${key}`.replace(/^\./, ''), override: (of: Json) => override({ [key]: of }) }
      const held = value[key]
      const zero = emptyOf(resolve(of), referencedName(of))
      const found = (of: Json, isTakenAway: boolean): EmptyValue => ({
        field: inner.field,
        isTakenAway,
        overrideSpec: inner.override(of),
      })
      return [
        ...(zero === undefined ? [] : [found(zero, false)]),
        ...(held === undefined ? [] : [found(null, true)]),
        ...(isObject(held) ? visit(held as JsonObject, of, inner) : []),
        ...listOr(held).flatMap((item, index) =>
          isObject(item) ? visit(item as JsonObject, at(resolve(of), 'items'), itemOf(inner, listOr(held), index)) : [],
        ),
      ]
    })
  return visit(spec, root, { field: '', override: (of) => of as JsonObject })
}

/** The place of an item: its override is the whole list. */
const itemOf = ({ field, override }: Place, list: readonly unknown[], index: number): Place => ({
  field: `${field}[${index}]`,
  override: (of) => override(list.map((item, each) => (each === index ? merged(item, of) : item)) as Json),
})

/** `override` laid over the item of a list; a null takes away. */
function merged(item: unknown, override: Json): Json {
  if (!isObject(item) || !isObject(override)) return override
  const entries = Object.entries({ ...item, ...override }).flatMap(([key, value]) => {
    if (value === null) return []
    return [[key, Object.hasOwn(override, key) ? merged(item[key], override[key] as Json) : value]]
  })
  return Object.fromEntries(entries) as Json
}

/** The empty value of a field with this schema; undefined for a schema of another kind. */
function emptyOf(schema: unknown, name: string | undefined): Json | undefined {
  if (name?.endsWith('.Quantity')) return '0'
  const types: Readonly<Record<string, Json>> = { string: '', integer: 0, boolean: false, array: [], object: {} }
  return types[String(member(schema, 'type'))]
}
