import { expect } from 'chai'
import { baseOf } from '../../common/fork/base.ts'
import { derive } from '../../common/fork/derive.ts'
import type { JsonObject } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { SchemaCatalog, schemaSource } from '../../common/schema/catalog.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { anExperiment } from '../builders.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

const labels = { app: 'cart' }
const probe = { httpGet: { path: '/', port: 'http' } }
const container = {
  name: 'cart',
  image: 'registry.example/cart:1',
  ports: [{ name: 'http', containerPort: 80 }],
  env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
  resources: { requests: { cpu: 0.5, memory: '1.5Gi' } },
  readinessProbe: probe,
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
}
const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' }
const pod = {
  containers: [container],
  affinity: {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
  },
}
const data = { name: 'data', configMap: { name: 'data' } }
const claim = {
  metadata: { name: 'data', labels },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const specOf = (podSpec: JsonObject): JsonObject => ({
  replicas: 0,
  selector: { matchLabels: labels },
  template: { metadata: { labels, annotations: { 'example.com/Since': 'long ago' } }, spec: podSpec },
})

const MINIMAL = specOf({ containers: [{ name: 'cart', image: 'registry.example/cart:1' }] })
const SPECS: Record<SourceKind, readonly JsonObject[]> = {
  Deployment: [MINIMAL, specOf({ ...pod, volumes: [data] })],
  StatefulSet: [
    { ...MINIMAL, serviceName: 'cart' },
    { ...specOf(pod), serviceName: 'cart', volumeClaimTemplates: [claim] },
  ],
  Rollout: [
    { ...MINIMAL, strategy: { canary: {} } },
    { ...specOf({ ...pod, volumes: [data] }), strategy: { canary: { maxSurge: '25%', steps: [{ setWeight: 20 }] } } },
  ],
}

describe('the whole specs that a real cluster stores', () => {
  const plane = usesControlPlane()
  usesRolloutCrds()
  let kube: KubeClient | undefined
  let catalog: SchemaCatalog
  let namespace = ''

  before('the schemas are read', async () => {
    const { kubeconfig } = plane()
    kube = kubeClient({ kubeconfig, userAgent: 'test-schemas', timers: realTimers(), random: Math.random })
    catalog = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
    expect(await catalog.refresh()).to.deep.equal([])
    namespace = await aNamespace()
  })
  after('the connections are closed', () => kube?.close())

  for (const [name, specs] of Object.entries(SPECS))
    it(`have no findings in the unmodified fork of a ${name}, defaults included`, async () => {
      const kind = WORKLOAD_KINDS[name as SourceKind]
      const schema = catalog.schemaOf(name)
      if (!schema) throw new Error(`no schema of ${name}`)
      for (const [index, spec] of specs.entries()) {
        const { apiVersion } = kind
        const manifest = { apiVersion, kind: name, metadata: { name: `cart-${index}` }, spec }
        const source = await plane().api.create(resourcePath(kind, { namespace }), manifest)
        expect(schema.checkWhole(source.spec as JsonObject), 'of the source').to.deep.equal([])
        const based = baseOf(kind, { source, referents: [], shape: schema.shape })
        if (based.is !== 'base') throw new Error(JSON.stringify(based))
        const derived = derive({ kind, experiment: anExperiment(), base: based.base, schema, replicas: 1 })
        if (derived.is !== 'fork') throw new Error(JSON.stringify(derived))
        expect(schema.checkWhole(derived.fork.spec as JsonObject)).to.deep.equal([])
      }
    })
})
