/** What the shipped policy once let through, against the product and the real API server. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, PREFIX } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, hasEndpoints, usesProduct } from './product.ts'

const RESTRICTED = parse(readFileSync(new URL('../../manifests/policies/restricted.yaml', import.meta.url), 'utf8'))

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (more: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...more }] })
const metadata = (more: JsonObject): JsonObject => ({ template: { metadata: more } })

/** What is sent, and the place that the answer names. */
const FORMER_GAPS: readonly (readonly [override: JsonObject, place: string])[] = [
  [pod({ volumes: [{ name: 'v', nfs: { server: '192.0.2.9', path: '/' } }] }), 'spec.volumes[0].nfs'],
  [pod({ volumes: [{ name: 'v', azureFile: { secretName: 's', shareName: 'x' } }] }), 'spec.volumes[0]: '],
  [pod({ volumes: [{ name: 'v', cephfs: { monitors: ['192.0.2.9'] } }] }), 'spec.volumes[0]: '],
  [pod({ volumes: [{ name: 'v', flexVolume: { driver: 'example.com/d' } }] }), 'spec.volumes[0]: '],
  [pod({ volumes: [{ name: 'v', image: { reference: 'registry.example/data:1' } }] }), 'spec.volumes[0].image'],
  [
    pod({
      volumes: [
        {
          name: 'v',
          ephemeral: {
            volumeClaimTemplate: {
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
                dataSource: { kind: 'PersistentVolumeClaim', name: 'ledger' },
              },
            },
          },
        },
      ],
    }),
    'spec.volumes[0].ephemeral',
  ],
  [metadata({ annotations: { 'vault.hashicorp.com/role': 'bank' } }), 'annotations["vault.hashicorp.com/role"]'],
  [metadata({ annotations: { 'sidecar.istio.io/inject': 'false' } }), 'annotations["sidecar.istio.io/inject"]'],
  [pod({ shareProcessNamespace: true }), 'spec.shareProcessNamespace'],
  [pod({ tolerations: [{ operator: 'Exists' }] }), 'spec.tolerations'],
  [pod({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] }), 'spec.resourceClaims[0]'],
  [pod({ dnsConfig: { nameservers: ['192.0.2.9'] } }), 'spec.dnsConfig'],
  [pod({ hostAliases: [{ ip: '192.0.2.9', hostnames: ['bank'] }] }), 'spec.hostAliases[0]'],
  [
    container({ image: 'registry.example/cart:1', livenessProbe: { httpGet: { host: '192.0.2.9', port: 80 } } }),
    'spec.containers[0].livenessProbe.httpGet.host',
  ],
]

describe('the shipped policy, on the real API server', () => {
  const place = usesProduct()

  before('there is a source, and the policy applies to its namespace', async function () {
    this.timeout(2 * DEADLINE_MS)
    const { api, namespace } = place()
    const labels = { [`${PREFIX}policy`]: 'restricted' }
    await api.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels } })
    await api.apply(resourcePath(EXPERIMENT_POLICY, { name: 'restricted' }), RESTRICTED)
    await aSource(place(), 'cart', { replicas: 3 })
    await hasEndpoints(place(), 'cart', 3) // so that one more pod has the share that is allowed
    await eventually('the policy to rule', DEADLINE_MS, async () =>
      expect(await send(pod({ hostNetwork: true }))).to.contain('(policy "restricted")'),
    )
  })
  after('the policy is deleted', () => place().api.delete(resourcePath(EXPERIMENT_POLICY, { name: 'restricted' })))

  /** The answer to a dry run. */
  async function send(overrideSpec: JsonObject): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec }
    const experiment = JSON.stringify({ apiVersion, kind, metadata: { name: 'attack' }, spec })
    return (await place().kubectl(['create', '--dry-run=server', '-f', '-'], experiment)).text
  }

  it('lets another image through', async () =>
    expect(await send(container({ image: 'registry.example/cart:2' }))).to.contain('created (server dry run)'))

  for (const [override, named] of FORMER_GAPS)
    it(`S9: refuses ${named}`, async () =>
      expect(await send(override))
        .to.contain('is invalid')
        .and.to.contain(named)
        .and.to.contain('(policy "restricted")'))
})
