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
const volume = (of: JsonObject): JsonObject => pod({ volumes: [{ name: 'v', ...of }] })
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

const free: Record<string, JsonObject> = {
  'an empty override': {},
  'another image': cart({ image: 'example/cart:2' }),
  'a variable, command, arguments': cart({ env: [{ name: 'A', value: '1' }], command: ['a'], args: ['b'] }),
  'a variable from the pod itself': cart(variable({ fieldRef: { fieldPath: 'status.podIP' } })),
  'another limit': cart({ resources: { limits: { memory: '1Gi' } } }),
  // the source's own volume as its author wrote it, without the mode that the API server set by default
  'an empty directory': pod({
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'w', secret: { secretName: 'own' } },
    ],
  }),
  'another grace period': pod({ terminationGracePeriodSeconds: 5 }),
  'an annotation': { template: { metadata: { annotations: { a: 'b' } } } },
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
    const unread = (policy.spec.deniedOverridePaths ?? []).filter((path) => !parseOverridePath(path))
    expect(unread).to.deep.equal([])
  })

  const namespace = aNamespaceView('shop', { 'experiment-controller.example.com/policy': 'restricted' })
  const findings = (overrideSpec: JsonObject, overrideType: 'Merge' | 'Strategic') => {
    const experiment = anExperiment({ overrideSpec, overrideType, ttlSeconds: 86_400, replicas: 3 })
    return judge([policy], aPolicyInput({ experiment, source, namespace, sourceNamespace: namespace }))
  }

  for (const type of ['Merge', 'Strategic'] as const) {
    for (const [sentence, override] of Object.entries(refused))
      it(`refuses ${sentence} (${type})`, () => {
        const found = findings(override, type)
        expect(found).to.not.deep.equal([])
        for (const { actions, error } of found) {
          expect(actions).to.deep.equal(['Deny'])
          expect(error.message).to.match(/^cannot be (changed|added|removed) \(policy "restricted"\)$/)
        }
      })

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
