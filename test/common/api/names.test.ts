import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { labelKeyProblem, labelValueProblem } from '../../../common/api/metadata-syntax.ts'
import * as names from '../../../common/api/names.ts'
import { at } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'

describe('the resources that we define', () => {
  for (const [file, resource] of Object.entries({
    experimentdeployments: names.EXPERIMENT_DEPLOYMENT,
    experimentpolicies: names.EXPERIMENT_POLICY,
  }))
    it(`have the names of the CRD: ${resource.kind}`, () => {
      const crd: unknown = parse(readFileSync(`crds/${file}.yaml`, 'utf8'))
      const versions = at(crd, 'spec', 'versions') as readonly { readonly name: string }[]
      expect({
        apiVersions: versions.map(({ name }) => `${at(crd, 'spec', 'group')}/${name}`),
        kind: at(crd, 'spec', 'names', 'kind'),
        plural: at(crd, 'spec', 'names', 'plural'),
      }).to.deep.equal({ apiVersions: [resource.apiVersion], kind: resource.kind, plural: resource.plural })
    })
})

describe('our labels, annotations and finalizers', () => {
  const { EXPERIMENT_ID, CR_NAME, ROLE, IS_EXPERIMENT, OWNER_NAMESPACE, OWNER_UID, FORK_FINALIZER } = names
  const { REQUESTED_BY, DERIVED_HASH, PREFIX, MANAGED_BY, FIELD_MANAGER } = names
  const ours = [EXPERIMENT_ID, CR_NAME, ROLE, IS_EXPERIMENT, OWNER_NAMESPACE, OWNER_UID, REQUESTED_BY, DERIVED_HASH]

  for (const key of [...ours, FORK_FINALIZER, MANAGED_BY])
    it(`are keys that Kubernetes accepts: ${key}`, () => expect(labelKeyProblem(key)).to.equal(undefined))

  it('differ from each other and have our prefix', () => {
    expect(new Set(ours).size).to.equal(ours.length)
    for (const key of ours) expect(key.startsWith(PREFIX), key).to.equal(true)
  })

  it('mark forks with a value that a label can have', () =>
    expect(labelValueProblem(FIELD_MANAGER)).to.equal(undefined))
})

describe('CONTROLLER_REVISION', () => {
  it('names the kind that apps/v1 serves, so that its path is the one of the API server', () => {
    const place = { namespace: 'shop', name: 'cart' }
    expect(names.CONTROLLER_REVISION.kind).to.equal('ControllerRevision')
    expect(resourcePath(names.CONTROLLER_REVISION, place)).to.equal(
      '/apis/apps/v1/namespaces/shop/controllerrevisions/cart',
    )
  })
})
