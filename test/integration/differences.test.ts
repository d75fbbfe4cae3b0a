import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { ExperimentDeployment, OverrideType } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { forkName } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { admitting, type RunningWebhook } from './admission-webhook.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

/** A pod template as people write it: with every kind of field in which the API server fills in defaults. */
const templateWith = (image: string): JsonObject => ({
  metadata: { labels: { app: 'rich' } },
  spec: {
    initContainers: [
      {
        name: 'wait',
        image: 'busybox:1',
        env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      },
    ],
    containers: [
      { name: 'proxy', image: 'nginx', ports: [{ containerPort: 8443 }] },
      {
        name: 'cart',
        image,
        ports: [{ name: 'http', containerPort: 80 }],
        env: [
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'NONE' },
        ],
        livenessProbe: { httpGet: { port: 'http' } },
        readinessProbe: { tcpSocket: { port: 80 } },
        startupProbe: { grpc: { port: 80 } },
        lifecycle: { preStop: { httpGet: { port: 80 } } },
        resources: { limits: { cpu: '1' } },
        volumeMounts: [{ name: 'config', mountPath: '/etc/cart' }],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'cart' } },
      { name: 'secret', secret: { secretName: 'cart' } },
      { name: 'host', hostPath: { path: '/var/log' } },
      { name: 'empty' },
      {
        name: 'all',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
          ],
        },
      },
      { name: 'labels', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
      { name: 'iscsi', iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:x', lun: 0 } },
      { name: 'rbd', rbd: { monitors: ['10.0.0.1'], image: 'x' } },
      { name: 'azure', azureDisk: { diskName: 'x', diskURI: 'https://x.example/d.vhd' } },
      {
        name: 'scale',
        scaleIO: { gateway: 'https://x.example', system: 'x', secretRef: { name: 'x' }, volumeName: 'x' },
      },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: 'rich' } },
      },
    ],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  },
})
const volumeClaimTemplates = [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
]
const selector = { matchLabels: { app: 'rich' } }
const IMAGE = 'registry.example/cart:1'
const OTHER = 'registry.example/cart:2'

interface SourceCase {
  readonly group: string
  readonly plural: string
  readonly own: JsonObject
}

const KINDS: Readonly<Record<string, SourceCase>> = {
  Deployment: { group: 'apps/v1', plural: 'deployments', own: {} },
  StatefulSet: { group: 'apps/v1', plural: 'statefulsets', own: { serviceName: 'rich', volumeClaimTemplates } },
  Rollout: { group: 'argoproj.io/v1alpha1', plural: 'rollouts', own: { strategy: { canary: {} } } },
}

describe('the name of the fork in the plan, on the real control plane', () => {
  const plane = usesControlPlane()
  const [namespace, name] = ['n'.repeat(63), 'e'.repeat(63)]
  const source = `cart-${'s'.repeat(240)}.example`
  let webhook: RunningWebhook | undefined

  before('the webhook answers in a namespace with the longest name', async () => {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: namespace } })
    const template = { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'cart', image: IMAGE }] } }
    await plane().api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: source },
      spec: { replicas: 0, selector: { matchLabels: { app: 'cart' } }, template },
    })
    webhook = await admitting(plane(), namespace)
  })
  after('the webhook and the namespace are removed', async () => {
    await webhook?.remove()
    await plane().api.delete(`/api/v1/namespaces/${namespace}`)
  })

  it('D6: is whole for the longest names, as is each other line that kubectl prints', async () => {
    const long = 'x/'.repeat(100)
    const containers = [{ name: 'cart', image: `registry.example/${long}cart:2` }]
    const annotations = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [`${key.repeat(63)}.example/y`, '1']),
    )
    const manifest = {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name },
      spec: {
        sourceRef: { kind: 'Deployment', name: source },
        replicas: 100,
        overrideSpec: { template: { metadata: { annotations }, spec: { containers } } },
      },
    }
    const path = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name })
    const { stderr } = await plane().kubectl(['-n', namespace, 'apply', '-f', '-'], { input: JSON.stringify(manifest) })
    const { metadata } = await plane().api.get<ExperimentDeployment>(path)
    const lines = stderr.trimEnd().split('\n')
    expect(lines).to.include(
      `Warning: [Plan] creates deployment/${forkName(source, metadata.uid)} in ${namespace}: 100 pods`,
    )
    expect(lines.slice(-8, -2)).to.deep.equal([
      'Warning: [Plan] containers[cart].image: changed',
      ...Object.keys(annotations)
        .slice(0, 4)
        .map((key) => `Warning: [Plan] template.metadata.annotations["${key}"]: set`),
      'Warning: [Plan] and 2 more changes',
    ])
  })
})

describe('the differences in the plan, on the real control plane', () => {
  const plane = usesControlPlane()
  usesRolloutCrds()
  let namespace = ''
  let webhook: RunningWebhook | undefined

  before('sources of every kind are stored, and the webhook answers', async () => {
    namespace = await aNamespace()
    for (const [kind, { group, plural, own }] of Object.entries(KINDS))
      await plane().api.create(`/apis/${group}/namespaces/${namespace}/${plural}`, {
        apiVersion: group,
        kind,
        metadata: { name: 'rich' },
        spec: { replicas: 0, selector, template: templateWith(IMAGE), ...own },
      })
    webhook = await admitting(plane(), namespace)
  })
  after('the webhook is removed', () => webhook?.remove())

  /** The lines of the plan about what the fork has and its source has not, or the other way round. */
  async function differencesFor(kind: string, overrideType: OverrideType, overrideSpec: JsonObject) {
    const manifest = {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name: `of-${kind.toLowerCase()}` },
      spec: { sourceRef: { kind, name: 'rich' }, replicas: 0, overrideType, overrideSpec },
    }
    const args = ['-n', namespace, 'apply', '--dry-run=server', '-f', '-']
    let answer = ''
    await eventually('an answer with the schema', 30_000, async () => {
      const { stdout, stderr } = await plane().kubectl(args, { input: JSON.stringify(manifest) })
      answer = `${stderr}${stdout}`
      expect(answer).to.contain('[Plan] creates').and.not.contain('[SchemaNotAvailable]')
    })
    const lines = answer.split('\n').map((line) => line.replace('Warning: ', ''))
    return lines.filter((line) => /^\[Plan\] .*(->|: (set|added|removed|changed)$|more change)/.test(line))
  }

  const expected = [`[Plan] containers[cart].image: ${IMAGE} -> ${OTHER}`]

  for (const [kind, { own }] of Object.entries(KINDS)) {
    it(`M10: one image is one difference of the fork of a ${kind}, under Strategic`, async () => {
      const containers = [{ name: 'cart', image: OTHER }]
      expect(await differencesFor(kind, 'Strategic', { template: { spec: { containers } } })).to.deep.equal(expected)
    })

    it(`M10: one image is one difference of the fork of a ${kind}, if the override repeats the manifest`, async () => {
      const { serviceName: _none, strategy: _none2, ...claims } = own
      expect(await differencesFor(kind, 'Merge', { template: templateWith(OTHER), ...claims })).to.deep.equal(expected)
    })
  }
})
