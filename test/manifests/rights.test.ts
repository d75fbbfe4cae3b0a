import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { rightsOf } from './granted.ts'
import { shipped } from './shipped.ts'

const OURS = 'experimentcontroller.example.com'

/** All permissions of each account: `group/resource`, then verbs. The comments of the roles give the reasons. */
const RIGHTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'experiment-controller': {
    [`${OURS}/experimentdeployments`]: 'get list watch',
    [`${OURS}/experimentdeployments/status`]: 'patch',
    [`${OURS}/experimentdeployments/finalizers`]: 'update',
    [`${OURS}/experimentpolicies`]: 'list watch',
    [`${OURS}/experimentpolicies/status`]: 'patch',
    [`${OURS}/experimentanalysisproviders`]: 'list watch',
    [`${OURS}/clusterexperimentanalysistemplates`]: 'list watch',
    'apps/deployments': 'get list watch create patch delete',
    'apps/statefulsets': 'get list watch create patch delete',
    'argoproj.io/rollouts': 'get list watch create patch delete',
    'apps/replicasets': 'get list',
    '/podtemplates': 'get',
    'apps/controllerrevisions': 'get create delete',
    '/services': 'list watch',
    'discovery.k8s.io/endpointslices': 'list watch',
    '/namespaces': 'get',
    'autoscaling/horizontalpodautoscalers': 'list',
    'policy/poddisruptionbudgets': 'list',
    'networking.k8s.io/networkpolicies': 'list',
    'events.k8s.io/events': 'create patch list',
    'coordination.k8s.io/leases': 'create get update',
  },
  // the finalizer of an experiment whose fork has no owner reference
  'experiment-controller-apart': { [`${OURS}/experimentdeployments`]: 'patch' },
  // to which components add
  'experiment-controller-components': { [`${OURS}/experimentdeployments`]: 'get' },
  'experiment-webhook': {
    [`${OURS}/experimentdeployments`]: 'list',
    [`${OURS}/experimentpolicies`]: 'list watch',
    [`${OURS}/experimentanalysisproviders`]: 'list',
    [`${OURS}/clusterexperimentanalysistemplates`]: 'list',
    [`${OURS}/experimentanalysistemplates`]: 'list',
    [`${OURS}/experimentanalysisruns`]: 'list',
    'apps/deployments': 'get list',
    'apps/statefulsets': 'get list',
    'argoproj.io/rollouts': 'get list',
    'apps/replicasets': 'get list',
    '/podtemplates': 'get',
    'apps/controllerrevisions': 'get',
    '/services': 'list',
    'discovery.k8s.io/endpointslices': 'list',
    '/namespaces': 'get',
    'autoscaling/horizontalpodautoscalers': 'list',
    'policy/poddisruptionbudgets': 'list',
    'networking.k8s.io/networkpolicies': 'list',
    'authorization.k8s.io/subjectaccessreviews': 'create',
  },
  'experiment-editor': {
    [`${OURS}/experimentdeployments`]: 'get list watch create update patch delete deletecollection',
    [`${OURS}/experimentdeployments/scale`]: 'get update patch',
    [`${OURS}/experimentdeployments/status`]: 'get',
    [`${OURS}/experimentanalysistemplates`]: 'get list watch create update patch delete deletecollection',
    [`${OURS}/experimentanalysisruns`]: 'get list watch',
    [`${OURS}/experimentanalysisruns/status`]: 'get',
  },
  'experiment-viewer': {
    [`${OURS}/experimentdeployments`]: 'get list watch',
    [`${OURS}/experimentdeployments/scale`]: 'get',
    [`${OURS}/experimentdeployments/status`]: 'get',
    [`${OURS}/experimentanalysistemplates`]: 'get list watch',
    [`${OURS}/experimentanalysisruns`]: 'get list watch',
    [`${OURS}/experimentanalysisruns/status`]: 'get',
  },
  'experiment-policy-viewer': {
    [`${OURS}/experimentpolicies`]: 'get list watch',
    [`${OURS}/clusterexperimentanalysistemplates`]: 'get list watch',
  },
}

const roles = shipped('base').filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')

/** Permissions that no account may have, in any group. */
const NEVER = [
  ...['\\*', 'impersonate', 'escalate', 'bind', 'approve', 'sign'].map((verb) => `^${verb} `),
  ...['\\*', 'secrets', 'configmaps', 'pods', 'serviceaccounts', 'nodes'].map((resource) => `/${resource}(/|$)`),
  ...['rbac.authorization.k8s.io', 'admissionregistration.k8s.io', 'apiextensions.k8s.io', '\\*'].map(
    (group) => ` ${group}/`,
  ),
  '^(create|update|patch|delete|deletecollection) (/services|discovery.k8s.io/endpointslices)',
].map((pattern) => new RegExp(pattern))

describe('the permissions of the manifests', () => {
  for (const [name, table] of Object.entries(RIGHTS)) {
    const wanted = Object.entries(table).flatMap(([resource, verbs]) =>
      verbs.split(' ').map((verb) => `${verb} ${resource}`),
    )
    const given = roles.filter(({ metadata }) => metadata.name === name).flatMap(rightsOf)

    it(`give ${name} nothing that is not in the table`, () =>
      expect(given.filter((right) => !wanted.includes(right))).to.deep.equal([]))

    it(`give ${name} everything in the table, once`, () => {
      expect(wanted.filter((right) => !given.includes(right))).to.deep.equal([])
      expect(given).to.have.lengthOf(new Set(given).size)
    })
  }

  it('belong to these roles and to no other', () =>
    expect([...new Set(roles.map(({ metadata }) => metadata.name))].sort()).to.deep.equal(Object.keys(RIGHTS).sort()))

  it('never allow an account to gain more', () => {
    const dangerous = roles.flatMap((role) =>
      rightsOf(role).filter((right) => NEVER.some((pattern) => pattern.test(right))),
    )
    expect(dangerous).to.deep.equal([])
    const workloads = '^(create|update|patch|delete) apps'
    const [webhook] = roles.filter(({ metadata }) => metadata.name === 'experiment-webhook')
    expect(webhook && rightsOf(webhook).filter((right) => new RegExp(workloads).test(right))).to.deep.equal([])
  })

  it('are bound only to the accounts of the two programs, and what everybody may read to everybody', () => {
    const subjects = shipped('base')
      .filter(({ kind }) => kind.endsWith('RoleBinding'))
      .flatMap((binding) =>
        listOr(at(binding, 'subjects')).map(
          (subject) => `${at(binding, 'roleRef', 'name')}: ${at(subject, 'kind')} ${at(subject, 'name')}`,
        ),
      )
    expect(subjects.toSorted()).to.deep.equal([
      'experiment-controller-apart: ServiceAccount experiment-controller',
      'experiment-controller-components: ServiceAccount experiment-controller',
      'experiment-controller: ServiceAccount experiment-controller', // of its ClusterRole
      'experiment-controller: ServiceAccount experiment-controller', // of its Role for the Lease
      'experiment-policy-viewer: Group system:authenticated',
      'experiment-webhook: ServiceAccount experiment-webhook',
    ])
  })
})
