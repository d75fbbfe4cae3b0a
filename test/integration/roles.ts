/** The permissions that real users get from real roles. */
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'

/** A SelfSubjectAccessReview, as far as it is read. */
interface AccessReview {
  readonly status: { readonly allowed: boolean }
}

/** An action of a user: `{ verb: 'get', group: 'apps', resource: 'deployments', namespace: 'shop' }`. */
export interface Wish {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
}

/** Whether the API server allows `user` to do it. */
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

/** Binds `user` to the ClusterRole `role` in `namespace`, and waits until the API server uses that. */
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
