/** A control plane without the product, for what would change a whole cluster under the other tests. */
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'

/** A first start on a machine builds six programs. */
const FIRST_START_MS = 1_800_000

/** In a `describe`: runs while its tests do, and is theirs alone. Returns what gives it. */
export function usesOwnControlPlane(
  crds: () => Promise<readonly string[]> | readonly string[] = () => [],
): () => ControlPlane {
  let plane: ControlPlane | undefined
  before('a control plane of its own runs', async function () {
    this.timeout(FIRST_START_MS)
    plane = await startControlPlane({ say: (line) => console.error(line), crds: await crds() })
  })
  after('it ends', () => plane?.stop())
  return () => {
    if (!plane) throw new Error('the control plane is there when tests run, not while they are described')
    return plane
  }
}

/** A review of what the holder of a token may do. */
interface AccessReview {
  readonly status: { readonly allowed: boolean }
}

/** What somebody wants to do: `{ verb: 'get', group: 'apps', resource: 'deployments', namespace: 'shop' }`. */
export interface Wish {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
}

/** Whether the API server lets `user` do it. */
export async function may(plane: ControlPlane, user: 'alice' | 'bob', wish: Wish): Promise<boolean> {
  const review = await plane
    .apiAs(user)
    .create<AccessReview>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: wish },
    })
  return review.status.allowed
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** Binds `user` to the ClusterRole `role` in `namespace`, and waits until the API server knows. */
export async function bind(
  plane: ControlPlane,
  user: 'alice' | 'bob',
  {
    role,
    namespace,
    proof,
  }: { readonly role: string; readonly namespace: string; readonly proof: Omit<Wish, 'namespace'> },
): Promise<void> {
  await plane.api.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: `${user}-${role}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
  await eventually(`${user} to have ${role} in ${namespace}`, 20_000, async () => {
    if (!(await may(plane, user, { ...proof, namespace }))) throw new Error('not yet')
  })
}
