import { expect } from 'chai'
import {
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_ID,
  GROUP,
  OWNER_UID,
  PROMOTION_MANAGER,
  REQUESTED_BY,
} from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'
const EXPERIMENT = `/apis/${EXPERIMENT_DEPLOYMENT.apiVersion}/namespaces/default/${EXPERIMENT_DEPLOYMENT.plural}/e`
const FILES = ['namespace', 'service-accounts', 'controller-role', 'controller-apart-role', 'controller-limits']
const AS_PROMOTION = `--field-manager=${PROMOTION_MANAGER}`
const ONLY_FORKS = 'the controller of experiments may write only forks'
const ONLY_REVISIONS = 'the controller of experiments may write only its own revisions'
const ONLY_FINALIZERS = 'the controller of experiments may change only the finalizers and the status of an experiment'

const deployment = (name: string, label: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    selector: { matchLabels: { [label]: name } },
    template: {
      metadata: { labels: { [label]: name } },
      spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] },
    },
  },
})
const revision = (name: string, ownerReferences: readonly JsonObject[], labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name, namespace: 'default', ownerReferences, labels },
  revision: 1,
  data: { base: {}, source: {} },
})
/** The garbage collector deletes a revision whose owner does not exist. */
const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) => [
  { apiVersion, kind, name, uid, controller: true },
]
const OWN = [{ apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion, kind: EXPERIMENT_DEPLOYMENT.kind, name: 'e', uid: '1' }]
const experiment: JsonObject = {
  apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  metadata: { name: 'e', namespace: 'default', annotations: { [REQUESTED_BY]: 'alice' } },
  spec: { sourceRef: { kind: 'Deployment', name: 'shop' }, overrideSpec: {} },
}

describe("A-4: what the API server refuses to the controller's account, although its role allows it", () => {
  const plane = usesOwnControlPlane(crds)
  let kubeconfig = ''

  before('the account, its roles and the policy are there', async function () {
    this.timeout(60_000)
    const files = FILES.flatMap((file) => ['-f', `manifests/base/${file}.yaml`])
    const { code, stderr } = await plane().kubectl(['apply', '--validate=strict', ...files])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    await mayDelete()
    for (const object of [deployment('fork', EXPERIMENT_ID), experiment]) await create(object)
    const shop = await create(deployment('shop', 'app'))
    await create(revision('own', ownedBy(await plane().api.get(EXPERIMENT))))
    await create(revision('others', ownedBy(shop)))
    kubeconfig = await plane().serviceAccountKubeconfig({ namespace: SYSTEM_NAMESPACE, name: 'experiment-controller' })
    await eventually('the policy to refuse', 30_000, async () =>
      expect(await asController(['delete', 'deployment/shop'])).to.contain(ONLY_FORKS),
    )
  })

  /**
   * Only who may delete an object may change its owners where OwnerReferencesPermissionEnforcement is on. With this
   * permission, which no manifest gives, the policy alone refuses, as in clusters without that plugin.
   */
  async function mayDelete(): Promise<void> {
    const account = `--serviceaccount=${SYSTEM_NAMESPACE}:experiment-controller`
    for (const args of [
      ['clusterrole', 'may-delete', '--verb=delete', `--resource=experimentdeployments.${GROUP}`],
      ['clusterrolebinding', 'may-delete', '--clusterrole=may-delete', account],
    ]) {
      const { code, stderr } = await plane().kubectl(['create', ...args])
      expect(code, stderr).to.equal(0)
    }
  }

  const create = ({ apiVersion, kind, ...object }: JsonObject): Promise<KubeObject> => {
    const resource = kind === 'ExperimentDeployment' ? EXPERIMENT_DEPLOYMENT.plural : `${kind}s`.toLowerCase()
    return plane().api.create(`/apis/${apiVersion}/namespaces/default/${resource}`, { apiVersion, kind, ...object })
  }

  /** The answer to a dry run by the account of the controller: "accepted", or the refusal. */
  async function asController(args: readonly string[], object?: object): Promise<string> {
    const all = [...args, '--dry-run=server', ...(object ? ['-f', '-'] : [])]
    const { code, stderr } = await plane().kubectl(all, {
      kubeconfig,
      ...(object ? { input: JSON.stringify(object) } : {}),
    })
    return code === 0 ? 'accepted' : stderr
  }
  const patch = (what: string, body: object) => ['patch', what, '--type=merge', '-p', JSON.stringify(body)]

  it('passes the type check of the API server', () =>
    eventually('the API server to have checked the types', 20_000, async () => {
      const found = await plane().api.get(POLICY)
      expect(at(found, 'status', 'observedGeneration')).to.equal(found.metadata.generation)
      expect(at(found, 'status', 'typeChecking', 'expressionWarnings')).to.equal(undefined)
    }))

  const cases: Readonly<Record<string, { args: readonly string[]; object?: object; says: string }>> = {
    'creates a fork': { args: ['create'], object: deployment('more', EXPERIMENT_ID), says: 'accepted' },
    'creates no other workload': { args: ['create'], object: deployment('miner', 'app'), says: ONLY_FORKS },
    'changes a fork': { args: patch('deployment/fork', { spec: { minReadySeconds: 3 } }), says: 'accepted' },
    'changes no source': { args: patch('deployment/shop', { spec: { replicas: 0 } }), says: ONLY_FORKS },
    'changes no source by making its labels those of a fork': {
      args: patch('deployment/shop', { metadata: { labels: { [EXPERIMENT_ID]: 'x' } } }),
      says: ONLY_FORKS,
    },
    'N10: asks what a promotion would store': {
      args: [...patch('deployment/shop', { spec: { replicas: 0 } }), AS_PROMOTION],
      says: 'accepted',
    },
    'N10: creates no other workload under the name of promotions': {
      args: ['create', AS_PROMOTION],
      object: deployment('miner', 'app'),
      says: ONLY_FORKS,
    },
    'deletes a fork': { args: ['delete', 'deployment/fork'], says: 'accepted' },
    'deletes no source': { args: ['delete', 'deployment/shop'], says: ONLY_FORKS },
    'creates a revision of an experiment': { args: ['create'], object: revision('more', OWN), says: 'accepted' },
    'creates a revision of an experiment in another namespace': {
      args: ['create'],
      object: revision('more', [], { [OWNER_UID]: '1' }),
      says: 'accepted',
    },
    'creates no other revision': { args: ['create'], object: revision('more', []), says: ONLY_REVISIONS },
    'deletes a revision of an experiment': { args: ['delete', 'controllerrevision/own'], says: 'accepted' },
    'deletes no revision of another owner': { args: ['delete', 'controllerrevision/others'], says: ONLY_REVISIONS },
    'adds a finalizer to an experiment': {
      args: patch('expd/e', { metadata: { finalizers: [`${GROUP}/fork`] } }),
      says: 'accepted',
    },
    'does not change what an experiment asks for': {
      args: patch('expd/e', { spec: { overrideSpec: { minReadySeconds: 5 } } }),
      says: ONLY_FINALIZERS,
    },
    'S: does not give an experiment an owner with which it would be deleted': {
      args: patch('expd/e', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' }] },
      }),
      says: ONLY_FINALIZERS,
    },
    'does not change who has asked for it': {
      args: patch('expd/e', { metadata: { annotations: { [REQUESTED_BY]: 'bob' } } }),
      says: ONLY_FINALIZERS,
    },
  }
  for (const [sentence, { args, object, says }] of Object.entries(cases))
    it(sentence, async () => expect(await asController(args, object)).to.contain(says))

  it('N10: does not store a promotion', async () => {
    const args = [...patch('deployment/shop', { spec: { replicas: 0 } }), AS_PROMOTION]
    const { code, stderr } = await plane().kubectl(args, { kubeconfig })
    expect(code).to.equal(1)
    expect(stderr).to.contain(ONLY_FORKS)
  })

  it('lets everybody else do what they may', async () => {
    const { code, stderr } = await plane().kubectl(['delete', 'deployment/shop', '--dry-run=server'])
    expect(code, stderr).to.equal(0)
  })
})
