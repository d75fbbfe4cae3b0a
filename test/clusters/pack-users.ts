/** The users whom the pack is asked about. */
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { bind } from '../integration/roles.ts'

const OURS = EXPERIMENT_DEPLOYMENT.apiVersion.split('/')[0] ?? ''
const CREATES_DEPLOYMENTS = { verb: 'create', group: 'apps', resource: 'deployments' }

/** A role that may do everything with experiments, `verbs` with Deployments, and change Services. */
const roleOf = (name: string, verbs: readonly string[], services: readonly string[] = []) => ({
  metadata: { name },
  rules: [
    { apiGroups: [OURS], resources: ['experimentdeployments'], verbs: ['*'] },
    { apiGroups: [OURS], resources: ['experimentdeployments/scale', 'experimentdeployments/status'], verbs: ['*'] },
    ...(verbs.length > 0 ? [{ apiGroups: ['apps'], resources: ['deployments'], verbs }] : []),
    ...(services.length > 0
      ? [{ apiGroups: [''], resources: ['services'], verbs: ['patch'], resourceNames: services }]
      : []),
  ],
})

/**
 * Creates the namespaces. Alice may create and get Deployments in `shop`, only create them in `blind`, and change
 * Services, too, in `green`, where bob may change Deployments; in `shop` bob has only experiments.
 */
export async function bindUsers(plane: ControlPlane): Promise<void> {
  for (const name of ['shop', 'other', 'blind', 'green'])
    await plane.api.create('/api/v1/namespaces', { metadata: { name } })
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  await plane.api.create(roles, roleOf('creates-and-gets', ['get', 'create']))
  await plane.api.create(roles, roleOf('creates', ['create']))
  await plane.api.create(roles, roleOf('only-experiments', []))
  await bind(plane, 'alice', { role: 'creates-and-gets', namespace: 'shop', proof: CREATES_DEPLOYMENTS })
  await bind(plane, 'alice', { role: 'creates', namespace: 'blind', proof: CREATES_DEPLOYMENTS })
  const proof = { verb: 'create', group: OURS, resource: 'experimentdeployments' }
  await plane.api.create(roles, roleOf('switches', ['get', 'create'], ['cart', 'preview']))
  await bind(plane, 'alice', { role: 'switches', namespace: 'green', proof: CREATES_DEPLOYMENTS })
  await plane.api.create(roles, roleOf('promotes', ['get', 'create', 'patch']))
  await bind(plane, 'bob', { role: 'promotes', namespace: 'green', proof: CREATES_DEPLOYMENTS })
  await bind(plane, 'bob', { role: 'only-experiments', namespace: 'shop', proof })
}
