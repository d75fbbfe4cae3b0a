import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { shippedOne } from './shipped.ts'

const patches = listOr(parse(readFileSync('manifests/namespaced/kustomization.yaml', 'utf8')).patches).filter(isObject)

/** The rules of an account for the whole cluster, which the component keeps. */
const keptRules = (name: string): readonly unknown[] => {
  const patch = patches.find(({ target }) => at(target, 'kind') === 'ClusterRole' && at(target, 'name') === name)
  return listOr(parse(`${patch?.patch}`)[0].value)
}

/** `list apps/deployments`: each permission of some rules. */
const rightsOf = (rules: readonly unknown[]): readonly string[] =>
  rules.flatMap((rule) =>
    listOr(at(rule, 'apiGroups')).flatMap((group) =>
      listOr(at(rule, 'resources')).flatMap((resource) =>
        listOr(at(rule, 'verbs')).map((verb) => `${verb} ${group}/${resource}`),
      ),
    ),
  )

const OURS = 'experimentcontroller.example.com'

describe('the permissions of an installation for one namespace', () => {
  for (const [name, ofCluster, missing] of [
    [
      'experiment-controller',
      [
        `list ${OURS}/experimentpolicies`,
        `watch ${OURS}/experimentpolicies`,
        ...['experimentanalysisproviders', 'clusterexperimentanalysistemplates'].flatMap((kind) => [
          `list ${OURS}/${kind}`,
          `watch ${OURS}/${kind}`,
        ]),
      ],
      [`patch ${OURS}/experimentpolicies/status`],
    ],
    [
      'experiment-webhook',
      [
        `list ${OURS}/experimentpolicies`,
        `watch ${OURS}/experimentpolicies`,
        `list ${OURS}/experimentanalysisproviders`,
        `list ${OURS}/clusterexperimentanalysistemplates`,
        'create authorization.k8s.io/subjectaccessreviews',
      ],
      [],
    ],
  ] as const)
    it(`are for ${name} those of the cluster, of which it keeps ${ofCluster.length} there`, () => {
      const whole = rightsOf(listOr(at(shippedOne('base', 'ClusterRole', name), 'rules')))
      const role = rightsOf(listOr(at(shippedOne('namespaced', 'Role', name), 'rules')))
      expect(rightsOf(keptRules(name))).to.deep.equal(ofCluster)
      expect([...role, ...ofCluster, ...missing].sort()).to.deep.equal([...whole].sort())
    })

  it('are bound to the accounts of the installation', () => {
    for (const name of ['experiment-controller', 'experiment-webhook']) {
      const binding = shippedOne('namespaced', 'RoleBinding', name)
      const account = shippedOne('base', 'ServiceAccount', name)
      expect(at(binding, 'roleRef', 'name')).to.equal(name)
      const { metadata } = account
      expect(at(binding, 'subjects')).to.deep.equal([
        { kind: 'ServiceAccount', name: metadata.name, namespace: metadata.namespace },
      ])
    }
  })
})
