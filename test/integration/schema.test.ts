import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { at, type JsonObject } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import type { Shape } from '../../common/override/shape.ts'
import { realTimers } from '../../common/program/clock.ts'
import { SchemaCatalog, schemaSource } from '../../common/schema/catalog.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { guestbook } from '../../sandbox/modules.ts'
import { needs } from '../needs.ts'
import { usesControlPlane } from './fixture.ts'

describe('the schemas of a real cluster', () => {
  const plane = usesControlPlane()
  needs('kubernetesFiles')
  let catalog: SchemaCatalog
  let kube: KubeClient | undefined

  before('they are read', async () => {
    const { kubeconfig } = plane()
    kube = kubeClient({ kubeconfig, userAgent: 'test-schemas', timers: realTimers(), random: Math.random })
    catalog = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
    expect(await catalog.refresh()).to.deep.equal([])
  })
  after('the connections are closed', () => kube?.close())

  const findings = (overrideSpec: JsonObject): string[] =>
    (catalog.schemaOf('Deployment')?.check(overrideSpec, 'Merge') ?? []).map(
      ({ field, message }) => `${field}: ${message}`,
    )

  it('exist for every kind that Kubernetes itself has', () => {
    for (const kind of ['Deployment', 'StatefulSet']) expect(catalog.schemaOf(kind), kind).to.not.equal(undefined)
  })

  it('accept the whole spec of every Deployment of the guestbook', async () => {
    const deployments = (await guestbook())
      .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
      .filter((object) => object?.kind === 'Deployment')
    expect(deployments).to.have.length.greaterThan(2)
    for (const { spec } of deployments) expect(findings(spec)).to.deep.equal([])
  })

  it('accept every field of a stored Deployment, defaults included', async () => {
    for (const deployment of await plane().api.list('/apis/apps/v1/deployments'))
      expect(findings(at(deployment, 'spec') as JsonObject)).to.deep.equal([])
  })

  it('find each mistake and suggest a remedy', () => {
    const container = { name: 'cart', imge: 'x', resources: { limits: { cpu: '1O0m' } }, env: { A: 'b' } }
    const pod = { containers: [container], terminationGracePeriodSeconds: '30s', afinity: null }
    expect(findings({ template: { spec: pod }, containers: [] })).to.deep.equal([
      'spec.overrideSpec.template.spec.containers[0].imge: unknown field; did you mean "image"?',
      'spec.overrideSpec.template.spec.containers[0].resources.limits.cpu: expected a quantity such as 500m or 1Gi, got "1O0m"; did you mean "100m"?',
      'spec.overrideSpec.template.spec.containers[0].env: expected list, got object; start each item with "- "',
      'spec.overrideSpec.template.spec.terminationGracePeriodSeconds: expected integer, got string "30s"; use 30',
      'spec.overrideSpec.template.spec.afinity: unknown field; did you mean "affinity"?',
      'spec.overrideSpec.containers: unknown field; it belongs in template.spec',
    ])
  })

  it('have the merge keys of lists', () => {
    const pod = catalog.schemaOf('Deployment')?.shape.member('template').member('spec')
    const container = pod?.member('containers').items()
    const keys = (shape: Shape | undefined) => shape?.keys.map(({ key }) => key).join('+')
    expect(['containers', 'initContainers', 'volumes'].map((list) => keys(pod?.member(list)))).to.deep.equal([
      'name',
      'name',
      'name',
    ])
    expect(keys(pod?.member('topologySpreadConstraints'))).to.equal('topologyKey+whenUnsatisfiable')
    expect(keys(pod?.member('tolerations'))).to.equal('')
    expect(container?.member('ports').keys).to.deep.equal([
      { key: 'containerPort' },
      { key: 'protocol', fallback: 'TCP' },
    ])
    expect(['env', 'volumeMounts'].map((list) => keys(container?.member(list)))).to.deep.equal(['name', 'mountPath'])
    for (const shape of [
      container?.member('livenessProbe'),
      container?.member('env').items(),
      pod?.member('volumes').items(),
    ])
      expect(shape?.unions).to.have.length(1)
  })

  it('accept both types of fields that are an integer or a string', () => {
    const probe = { httpGet: { port: 'http' } }
    const containers = [{ name: 'cart', livenessProbe: probe, readinessProbe: { tcpSocket: { port: 80 } } }]
    expect(
      findings({
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
        template: { spec: { containers } },
      }),
    ).to.deep.equal([])
  })
})
