import { isObject, type JsonObject, listOr, member } from '../../../common/json/json.ts'
import type { KubeClient } from '../../../common/kube/client/client.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { kubeClient } from '../../../common/kube/library/client.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { SchemaCatalog, schemaSource } from '../../../common/schema/catalog.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { validator } from '../../../webhook/validate.ts'
import { installing } from '../../builders.ts'
import type { Court } from './judge.ts'
import type { Grammar } from './overrides.ts'

/** A court, and the grammar of each kind. */
export interface Opened {
  readonly court: Court
  readonly grammars: Readonly<Record<SourceKind, Grammar>>
  readonly close: () => Promise<void>
}

/** Creates the sources in `namespace`. The cluster must have the CRDs of Argo Rollouts. */
export async function openCourt(plane: ControlPlane, namespace: string): Promise<Opened> {
  const timers = realTimers()
  const kube = kubeClient({ kubeconfig: plane.kubeconfig, userAgent: 'fuzz', timers, random: Math.random })
  const schemas = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
  const failures = await schemas.refresh()
  if (failures.length > 0 || !schemas.isComplete) throw new Error(`no schemas: ${JSON.stringify(failures)}`)
  const sources = {
    Deployment: await created(plane, namespace, 'Deployment'),
    StatefulSet: await created(plane, namespace, 'StatefulSet'),
    Rollout: await created(plane, namespace, 'Rollout'),
  }
  const validate = validator({
    kube,
    schemas,
    policies: { policies: () => [], namespace: async () => undefined, isExcluded: () => false },
    timers,
    clock: () => new Date(),
    installed: installing(),
  })
  const court = { kube, validate, namespace, sources, schemaOf: (kind: string) => schemas.schemaOf(kind) }
  return { court, grammars: await grammarsOf(kube), close: () => kube.close() }
}

async function created({ api }: ControlPlane, namespace: string, kind: SourceKind) {
  const { apiVersion } = WORKLOAD_KINDS[kind]
  return api.create(resourcePath(WORKLOAD_KINDS[kind], { namespace }), {
    apiVersion,
    kind,
    metadata: { name: 'cart' },
    spec: SPECS[kind],
  })
}

const labels = { app: 'cart' }
const probe = { httpGet: { path: '/healthz', port: 'http' } }
const cart = {
  name: 'cart',
  image: 'registry.example/cart:1',
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'metrics', containerPort: 9090 },
  ],
  env: [
    { name: 'MODE', value: 'fast' },
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  livenessProbe: probe,
  readinessProbe: probe,
  volumeMounts: [
    { name: 'data', mountPath: '/data' },
    { name: 'config', mountPath: '/etc/cart', readOnly: true },
  ],
  securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true },
}
const volumes = [
  { name: 'data', emptyDir: {} },
  { name: 'config', configMap: { name: 'cart' } },
]
const pod = {
  containers: [
    cart,
    { name: 'proxy', image: 'registry.example/proxy:1', ports: [{ name: 'admin', containerPort: 15000 }] },
  ],
  initContainers: [{ name: 'init', image: 'registry.example/init:1', command: ['true'] }],
  volumes,
  terminationGracePeriodSeconds: 60,
}
const spec = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } }
const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

/** Sources with what overrides refer to. */
const SPECS: Readonly<Record<SourceKind, JsonObject>> = {
  Deployment: { ...spec, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
  StatefulSet: { ...spec, serviceName: 'cart', volumeClaimTemplates: [claim] },
  Rollout: { ...spec, strategy: { canary: { maxSurge: '25%', maxUnavailable: 0 } } },
}

/**
 * The schemas as the API server publishes them. The template of a Rollout is that of Kubernetes, as for the webhook.
 */
async function grammarsOf(kube: KubeClient): Promise<Opened['grammars']> {
  const source = schemaSource(kube)
  const index = member(await source.get('/openapi/v3'), 'paths')
  const documents = async (group: string) => {
    const url = member(member(index, `apis/${group}`), 'serverRelativeURL')
    const schemas = member(member(await source.get(String(url)), 'components'), 'schemas')
    if (!isObject(schemas)) throw new Error(`no schemas of ${group}`)
    return schemas
  }
  const [apps, argo] = [await documents('apps/v1'), await documents('argoproj.io/v1alpha1')]
  const grammar = (schemas: Readonly<Record<string, unknown>>, kind: string): Grammar => {
    const found = Object.values(schemas).find((schema) =>
      listOr(member(schema, 'x-kubernetes-group-version-kind')).some((gvk) => member(gvk, 'kind') === kind),
    )
    return { schemas, root: member(member(found, 'properties'), 'spec') }
  }
  const rollout = grammar({ ...apps, ...argo }, 'Rollout')
  const properties = member(rollout.root, 'properties')
  const template = { $ref: '#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec' }
  return {
    Deployment: grammar(apps, 'Deployment'),
    StatefulSet: grammar(apps, 'StatefulSet'),
    Rollout: {
      ...rollout,
      root: { ...(rollout.root as JsonObject), properties: { ...(properties as JsonObject), template } },
    },
  }
}
