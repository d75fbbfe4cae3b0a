/** Fields that a fork may lose, for each kind. */
import { isObject, type JsonObject } from '../../common/json/json.ts'

/** A field as it is set in a workload's spec. Merged into a bare spec it is the only difference. */
export interface Row {
  readonly pod?: JsonObject
  readonly container?: JsonObject
  readonly metadata?: JsonObject
  readonly spec?: JsonObject
}

const PROBE = { exec: { command: ['true'] }, periodSeconds: 7 }
const TERM = { labelSelector: { matchLabels: { app: 'other' } }, topologyKey: 'kubernetes.io/hostname' }

/** What a fork may lose, field by field. */
export const ROWS: Readonly<Record<string, Row>> = {
  'the account': { pod: { serviceAccountName: 'robot' } },
  'the pod securityContext': { pod: { securityContext: { runAsUser: 7, seccompProfile: { type: 'RuntimeDefault' } } } },
  initContainers: { pod: { initContainers: [{ name: 'first', image: 'registry.example/init:1' }] } },
  nodeSelector: { pod: { nodeSelector: { disk: 'fast' } } },
  affinity: { pod: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [TERM] } } } },
  'node affinity': {
    pod: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
          },
        },
      },
    },
  },
  tolerations: { pod: { tolerations: [{ key: 'spot', operator: 'Exists' }] } },
  imagePullSecrets: { pod: { imagePullSecrets: [{ name: 'registry' }] } },
  hostAliases: { pod: { hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }] } },
  dnsConfig: { pod: { dnsConfig: { searches: ['svc.local'] } } },
  topologySpreadConstraints: {
    pod: {
      topologySpreadConstraints: [
        { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 1, labelSelector: {} },
      ],
    },
  },
  volumes: {
    pod: {
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'spare', emptyDir: { sizeLimit: '1024Ki' } },
      ],
    },
  },
  priorityClassName: { pod: { terminationGracePeriodSeconds: 5, priorityClassName: 'system-node-critical' } },
  resources: { container: { resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } } } },
  'resources in other words': { container: { resources: { limits: { cpu: '1000m', memory: '1024Mi' } } } },
  limits: { container: { resources: { limits: { memory: '1Gi' } } } },
  'the container securityContext': {
    container: { securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } } },
  },
  env: { container: { env: [{ name: 'LOG', value: 'debug' }] } },
  envFrom: { container: { envFrom: [{ configMapRef: { name: 'settings' } }] } },
  ports: { container: { ports: [{ containerPort: 80, name: 'http' }] } },
  'command and args': { container: { command: ['run'], args: ['-v'] } },
  livenessProbe: { container: { livenessProbe: PROBE } },
  lifecycle: { container: { lifecycle: { preStop: { exec: { command: ['true'] } } } } },
  annotations: { metadata: { annotations: { note: 'x' } } },
  labels: { metadata: { labels: { tier: 'web' } } },
  minReadySeconds: { spec: { minReadySeconds: 3 } },
}

export const MORE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Deployment: { maxSurge: { spec: { strategy: { rollingUpdate: { maxSurge: 2 } } } } },
  StatefulSet: { ordinals: { spec: { ordinals: { start: 3 } } } },
  Rollout: {
    maxSurge: { spec: { strategy: { canary: { maxSurge: 2 } } } },
    'both limits': { spec: { strategy: { canary: { maxSurge: 2, maxUnavailable: 0 } } } },
  },
}

export const PLURALS = { Deployment: 'deployments', StatefulSet: 'statefulSets', Rollout: 'rollouts' } as const
export type Kind = keyof typeof PLURALS

export const BARE: Readonly<Record<Kind, JsonObject>> = {
  Deployment: {},
  StatefulSet: { serviceName: 'none' },
  Rollout: { strategy: { canary: {} } },
}

export const withRow = ({ pod, container, metadata, spec }: Row): JsonObject => ({
  ...spec,
  template: {
    ...(metadata ? { metadata } : {}),
    spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1', ...container }], ...pod },
  },
})

/** An override that takes away every leaf of `row`, so that maps become empty; of a field in `WHOLE` the field. */
export const emptied = ({ pod, container, metadata, spec }: Row): JsonObject => ({
  ...nulled(spec),
  template: {
    ...(metadata ? { metadata: nulled(metadata) } : {}),
    spec: { ...nulled(pod), ...(container ? { containers: [{ name: 'cart', ...nulled(container) }] } : {}) },
  },
})

/** Fields that may not be empty. */
const WHOLE = ['livenessProbe', 'lifecycle', 'nodeAffinity', 'seccompProfile', 'ordinals']

const nulled = (fields: JsonObject = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      isObject(value) && !WHOLE.includes(key) ? nulled(value as JsonObject) : null,
    ]),
  )
