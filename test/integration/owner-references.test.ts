import { expect } from 'chai'
import { FIELD_MANAGER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { derive } from '../../common/fork/derive.ts'
import { at, listOr } from '../../common/json/json.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { ownerOfRevision } from '../../common/writes/revision-owner.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { aBase, anExperiment, FORK } from '../builders.ts'
import { controlPlane } from './fixture.ts'
import { DEADLINE_MS, usesProduct } from './product.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const RULE = 'experimentdeployments/finalizers'
const REFUSAL = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
const APPLY = ['apply', '--server-side', '--force-conflicts', `--field-manager=${FIELD_MANAGER}`]

/** What the controller writes with an owner reference, and how. */
const WRITES = {
  'the apply of a new fork': { args: APPLY, of: 'created' },
  'the apply of a fork whose owner reference somebody removed': { args: APPLY, of: 'restored' },
  'the creation of a base of a pinned experiment': { args: ['create'], of: 'base' },
} as const

describe(`the permission for ${RULE}, where the API server asks for it, on the real control plane`, () => {
  const place = usesProduct()
  const kubeconfigs = { shipped: '', without: '' }
  let objects: Readonly<Record<'created' | 'restored' | 'base', KubeObject>>
  const roleWithout = () => `without-finalizers-${place().namespace}`

  before('another account has the role without that rule, and there is a fork without an owner', async () => {
    await bindWithout()
    objects = await writtenObjects()
  })
  after('they are removed', async () => {
    await place().api.delete(`${RBAC}/clusterroles/${roleWithout()}`)
    await place().api.delete(place().path('deployments', FORK))
  })

  /** Another account gets all permissions of the controller but those of that rule. */
  async function bindWithout(): Promise<void> {
    const { api, namespace } = place()
    const plane = await controlPlane()
    const rules = listOr(at(await api.get(`${RBAC}/clusterroles/experiment-controller`), 'rules'))
    const others = rules.filter((rule) => !listOr(at(rule, 'resources')).includes(RULE))
    expect(others).to.have.length(rules.length - 1)
    const name = roleWithout()
    await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: others })
    await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } })
    await api.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    })
    const controller = { namespace: SYSTEM_NAMESPACE, name: 'experiment-controller' }
    kubeconfigs.shipped = await plane.serviceAccountKubeconfig(controller)
    kubeconfigs.without = await plane.serviceAccountKubeconfig({ namespace, name })
  }

  /** What is written. The fork of which the owner reference is restored is there without it. */
  async function writtenObjects(): Promise<typeof objects> {
    const { api, namespace, path } = place()
    const experiment = anExperiment({ metadata: { namespace } })
    const derived = derive({ kind: deployment, experiment, base: aBase(), schema: undefined, replicas: 0 })
    if (derived.is !== 'fork') throw new Error(derived.reason)
    const restored = derived.fork
    await api.apply(path('deployments', FORK), withoutOwner(restored), FIELD_MANAGER)
    const created = { ...restored, metadata: { ...restored.metadata, name: FORK.replace('cart', 'till') } }
    const base: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: FORK, namespace, ...ownerOfRevision(experiment) },
      ...{ revision: 1, data: {} },
    }
    return { created, restored, base }
  }

  const withoutOwner = ({ metadata: { ownerReferences: _owner, ...metadata }, ...object }: KubeObject): KubeObject => ({
    ...object,
    metadata,
  })

  /** The answer to a dry run by an account: "accepted", or the refusal. */
  async function answer(account: keyof typeof kubeconfigs, args: readonly string[], object: KubeObject) {
    const options = { kubeconfig: kubeconfigs[account], input: JSON.stringify(object) }
    const { code, stderr } = await (await controlPlane()).kubectl([...args, '--dry-run=server', '-f', '-'], options)
    return code === 0 ? 'accepted' : stderr
  }

  for (const [title, { args, of }] of Object.entries(WRITES))
    it(`S: allows ${title}, which is refused without it`, async () => {
      const object = objects[of]
      expect(object.metadata.ownerReferences?.map((owner) => owner.blockOwnerDeletion)).to.deep.equal([true])
      await eventually('the other account to have its permissions', DEADLINE_MS, async () =>
        expect(await answer('without', args, withoutOwner(object))).to.equal('accepted'),
      )
      expect(await answer('without', args, object)).to.contain(REFUSAL)
      expect(await answer('shipped', args, object)).to.equal('accepted')
    })
})
