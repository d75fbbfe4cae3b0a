import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { JsonObject } from '../../common/json/json.ts'
import { parseOverridePath } from '../../common/override/path.ts'
import { judge } from '../../common/policy/judge.ts'
import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { aNamespaceView, aPolicyInput } from '../common/policy/policy-input.ts'

const policy: ExperimentPolicy = parse(readFileSync('manifests/policies/restricted.yaml', 'utf8'))

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const cart = (of: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', image: 'example/cart:1', ...of }] })
const init = (of: JsonObject): JsonObject => pod({ initContainers: [{ name: 'init', image: 'example/init:1', ...of }] })
/** One more volume, beside that of the source as its author wrote it, without the mode that the API server set. */
const volume = (of: JsonObject): JsonObject =>
  pod({
    volumes: [
      { name: 'v', ...of },
      { name: 'w', secret: { secretName: 'own' } },
    ],
  })
const variable = (of: JsonObject): JsonObject => ({ env: [{ name: 'A', valueFrom: of }] })

/** Overrides that are refused. The number is that of docs/attacks.md. */
const refused: Record<string, JsonObject> = {
  'A4 a label that another Service selects': { template: { metadata: { labels: { app: 'pay' } } } },
  'A5 a label removed': { template: { metadata: { labels: { app: null } } } },
  'A8 another ServiceAccount': pod({ serviceAccountName: 'admin' }),
  'A8 another ServiceAccount, by its old name': pod({ serviceAccount: 'admin' }),
  'A8 its token mounted': pod({ automountServiceAccountToken: true }),
  'A9 a directory of the node': volume({ hostPath: { path: '/' } }),
  'A9 the network of the node': pod({ hostNetwork: true }),
  'A9 the processes of the node': pod({ hostPID: true }),
  'A9 the memory of the node': pod({ hostIPC: true }),
  'A9 the users of the node': pod({ hostUsers: true }),
  'A9 a privileged container': cart({ securityContext: { privileged: true } }),
  'A9 a privileged init container': init({ securityContext: { privileged: true } }),
  'A9 a capability': cart({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }),
  'A9 root for all containers': pod({ securityContext: { runAsUser: 0 } }),
  'A9 no security context any more': pod({ securityContext: null }),
  'A9 a port of the node': cart({ ports: [{ containerPort: 80, hostPort: 80 }] }),
  'A10 a Secret as files': volume({ secret: { secretName: 's' } }),
  'A10 a ConfigMap as files': volume({ configMap: { name: 'c' } }),
  'A10 both, projected': volume({ projected: { sources: [] } }),
  'A10 a CSI volume': volume({ csi: { driver: 'd' } }),
  'A10 a claim': volume({ persistentVolumeClaim: { claimName: 'c' } }),
  'A10 a Secret as a variable': cart(variable({ secretKeyRef: { name: 's', key: 'k' } })),
  'A10 a ConfigMap as a variable': init(variable({ configMapKeyRef: { name: 'c', key: 'k' } })),
  'A10 a whole Secret as variables': cart({ envFrom: [{ secretRef: { name: 's' } }] }),
  'A11 credentials for a registry': pod({ imagePullSecrets: [{ name: 's' }] }),
  'A12 one more container': pod({
    containers: [
      { name: 'cart', image: 'example/cart:1' },
      { name: 'more', image: 'm' },
    ],
  }),
  'A12 one more init container': pod({
    initContainers: [
      { name: 'init', image: 'example/init:1' },
      { name: 'i', image: 'm' },
    ],
  }),
  'A13 a node': pod({ nodeName: 'n' }),
  'A13 a priority': pod({ priorityClassName: 'p' }),
  'A13 a runtime': pod({ runtimeClassName: 'r' }),
  'A13 a scheduler': pod({ schedulerName: 's' }),
}

const annotation = (key: string): JsonObject => ({ template: { metadata: { annotations: { [key]: 'x' } } } })
const claimTemplates = (spec: JsonObject): JsonObject => ({
  volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
})
const TEN_GI = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } }
const OTHER_CLAIM = { kind: 'PersistentVolumeClaim', name: 'ledger' }
const probed = (of: JsonObject): JsonObject => cart({ livenessProbe: of })

/** Ways to data, nodes and addresses that an earlier version of the policy did not name. */
const formerGaps: Record<string, JsonObject> = {
  'an ephemeral volume': volume({ ephemeral: { volumeClaimTemplate: { spec: TEN_GI } } }),
  'an ephemeral volume filled from another claim': volume({
    ephemeral: { volumeClaimTemplate: { spec: { ...TEN_GI, dataSource: OTHER_CLAIM } } },
  }),
  'a claim template filled from another claim': claimTemplates({ ...TEN_GI, dataSource: OTHER_CLAIM }),
  'a claim template filled from a claim of another namespace': claimTemplates({
    ...TEN_GI,
    dataSourceRef: { ...OTHER_CLAIM, namespace: 'bank' },
  }),
  'a claim template bound to a volume': claimTemplates({ ...TEN_GI, volumeName: 'pv-ledger' }),
  'an NFS volume': volume({ nfs: { server: '192.0.2.9', path: '/' } }),
  'an Azure file volume': volume({ azureFile: { secretName: 's', shareName: 'x' } }),
  'a CephFS volume': volume({ cephfs: { monitors: ['192.0.2.9'] } }),
  'a FlexVolume': volume({ flexVolume: { driver: 'd' } }),
  'an image volume': volume({ image: { reference: 'registry.example/data:1' } }),
  'a kind of volume that nobody knows yet': volume({ teleport: { to: 'vault' } }),
  'Secrets by an annotation of Vault': annotation('vault.hashicorp.com/agent-inject-secret-db'),
  'a role by an annotation of Vault': annotation('vault.hashicorp.com/role'),
  'another sidecar by an annotation of a mesh': annotation('sidecar.istio.io/inject'),
  'another network by an annotation': annotation('k8s.v1.cni.cncf.io/networks'),
  'the processes of other containers': pod({ shareProcessNamespace: true }),
  'the nodes of the control plane': pod({
    tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
  }),
  'all tainted nodes': pod({ tolerations: [{ operator: 'Exists' }] }),
  'a claim for a device': pod({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] }),
  'a claim for a device in a container': cart({ resources: { claims: [{ name: 'gpu' }] } }),
  'other name servers': pod({ dnsConfig: { nameservers: ['192.0.2.9'] } }),
  'the name servers of the node': pod({ dnsPolicy: 'Default' }),
  'other addresses for host names': pod({ hostAliases: [{ ip: '192.0.2.9', hostnames: ['bank'] }] }),
  'a DNS name of its own': pod({ hostname: 'bank', subdomain: 'bank' }),
  'an HTTP probe of another host': probed({ httpGet: { host: '192.0.2.9', port: 80 } }),
  'a TCP probe of another host': probed({ tcpSocket: { host: '192.0.2.9', port: 80 } }),
  'an HTTP hook to another host': cart({ lifecycle: { preStop: { httpGet: { host: '192.0.2.9', port: 80 } } } }),
  'an affinity to pods of other namespaces': pod({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: {}, namespaceSelector: {}, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    },
  }),
  'a file of environment variables': cart(variable({ fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } })),
  'a raw device': cart({ volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }),
  'analysis runs and routes of a Rollout': { strategy: { canary: { steps: [{ setWeight: 50 }], analysis: {} } } },
}

const free: Record<string, JsonObject> = {
  'an empty override': {},
  'another image': cart({ image: 'example/cart:2' }),
  'a variable, command, arguments': cart({ env: [{ name: 'A', value: '1' }], command: ['a'], args: ['b'] }),
  'a variable from the pod itself': cart(variable({ fieldRef: { fieldPath: 'status.podIP' } })),
  'another limit': cart({ resources: { limits: { memory: '1Gi' } } }),
  'an empty directory': volume({ emptyDir: {} }),
  'an empty directory of its own size': volume({ emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }),
  'facts of the pod as files': volume({
    downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
  }),
  'a mount of a volume': cart({ volumeMounts: [{ name: 'w', mountPath: '/w', readOnly: true }] }),
  'other probes of the pod itself': cart({
    livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 3 },
    readinessProbe: { exec: { command: ['ready'] } },
    startupProbe: { tcpSocket: { port: 8080 } },
  }),
  'a hook': cart({ lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } } }),
  'a port, a directory, a pull policy': cart({
    ports: [{ name: 'debug', containerPort: 6060 }],
    workingDir: '/srv',
    imagePullPolicy: 'Always',
  }),
  'the same for an init container': init({ image: 'example/init:2', args: ['--dry'], resources: {} }),
  'another grace period': pod({ terminationGracePeriodSeconds: 5 }),
  'other nodes, without tolerations': pod({ nodeSelector: { disk: 'ssd' }, affinity: { nodeAffinity: {} } }),
  'another pace of a rolling update': {
    minReadySeconds: 5,
    progressDeadlineSeconds: 60,
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  },
  'larger claims': claimTemplates(TEN_GI),
}

const source = aDeployment({
  pod: {
    initContainers: [{ name: 'init', image: 'example/init:1' }],
    securityContext: { runAsNonRoot: true },
    volumes: [{ name: 'w', secret: { secretName: 'own', defaultMode: 420 } }],
  },
})

describe('the policy "restricted"', () => {
  it('has valid paths', () => {
    const { allowedOverridePaths = [], deniedOverridePaths = [] } = policy.spec
    const unread = [...allowedOverridePaths, ...deniedOverridePaths].filter((path) => !parseOverridePath(path))
    expect(unread).to.deep.equal([])
  })

  const namespace = aNamespaceView('shop', { 'experiment-controller.example.com/policy': 'restricted' })
  const findings = (overrideSpec: JsonObject, overrideType: 'Merge' | 'Strategic') => {
    const experiment = anExperiment({ overrideSpec, overrideType, ttlSeconds: 86_400, replicas: 3 })
    return judge([policy], aPolicyInput({ experiment, source, namespace, sourceNamespace: namespace }))
  }

  for (const type of ['Merge', 'Strategic'] as const) {
    const isRefused = (override: JsonObject) => {
      const found = findings(override, type)
      expect(found).to.not.deep.equal([])
      for (const { actions, error } of found) {
        expect(actions).to.deep.equal(['Deny'])
        expect(error.message).to.match(
          /^cannot be (changed|added|removed)(; allowed paths: .+)? \(policy "restricted"\)$/,
        )
      }
    }
    for (const [sentence, override] of Object.entries(refused))
      it(`refuses ${sentence} (${type})`, () => isRefused(override))
    for (const [sentence, override] of Object.entries(formerGaps))
      it(`S9: refuses ${sentence} (${type})`, () => isRefused(override))

    for (const [sentence, override] of Object.entries(free))
      it(`allows ${sentence} (${type})`, () => {
        expect(findings(override, type)).to.deep.equal([])
      })
  }

  it('does not apply to a namespace without its label', () => {
    const experiment = anExperiment({ overrideSpec: pod({ hostNetwork: true }) })
    expect(judge([policy], aPolicyInput({ experiment, source }))).to.deep.equal([])
  })
})
