import { parseAllDocuments, stringify } from 'yaml'
import { at, isObject, listOr } from '../common/json/json.ts'

const COMMENT = `# The permissions of both programs in the one namespace that they serve. Generated from the roles in manifests/base by
# \`npm run generate\`. Do not edit. The component replaces the name of the namespace.
`

/**
 * Policies, providers and cluster templates have no namespace, and a review of permissions is not about an object of a
 * namespace.
 */
const OF_CLUSTER =
  /^(experimentpolicies|experimentanalysisproviders|clusterexperimentanalysistemplates|subjectaccessreviews)(\/|$)/

/**
 * The Roles, with the bindings to the accounts of the programs. `roles` are the texts of the files with ClusterRoles.
 */
export function namespacedRoles(roles: Readonly<Record<string, string>>): string {
  const objects = Object.entries(roles).flatMap(([name, text]) => {
    const [role] = parseAllDocuments(text)
    const rules = listOr(at(role?.toJS(), 'rules')).filter(isObject)
    const kept = rules.filter(({ resources }) => !listOr(resources).some((each) => OF_CLUSTER.test(`${each}`)))
    const metadata = { name, namespace: 'watched-namespace' }
    return [
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: kept },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace: 'experiment-controller-system' }],
      },
    ]
  })
  return `${COMMENT}${objects.map((object) => stringify(object)).join('---\n')}`
}
