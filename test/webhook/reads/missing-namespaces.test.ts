import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { missingNamespaces } from '../../../webhook/reads/missing-namespaces.ts'
import type { Reader } from '../../../webhook/reads/reader.ts'
import type { AdmissionRequest } from '../../../webhook/review/admission-review.ts'
import { reviewPolicy, withMissingNamespaces } from '../../../webhook/validate-policy.ts'
import { ANY_SCHEMA, aPolicy } from '../../builders.ts'
import { aRequest, linesOf } from '../reviews.ts'

/** An API server with the namespace `shop`, which answers so for all others. */
const reader = (otherwise: KubeErrorKind) =>
  ({
    request: async ({ path }: { path: string }) => {
      if (path.endsWith('/shop')) return { kind: 'Namespace', metadata: { name: 'shop' } }
      throw new KubeError({ kind: otherwise, message: otherwise })
    },
  }) as unknown as Reader
const named = (...names: readonly string[]) => names.map((name) => ({ field: 'spec.allowSourcesFrom[0]', name }))

describe('the namespaces of a policy that do not exist', () => {
  it('are those that the API server does not find', async () => {
    expect(await missingNamespaces(reader('notFound'), named('shop', 'shopp'), undefined)).to.deep.equal(named('shopp'))
    expect(await missingNamespaces(reader('notFound'), named('../pods', ''), undefined)).to.deep.equal([])
  })

  it('are not those that cannot be read', async () => {
    for (const kind of ['forbidden', 'unreachable'] as const)
      expect(await missingNamespaces(reader(kind), named('shopp'), undefined)).to.deep.equal([])
  })

  it('are not asked for where the installation serves another namespace', async () => {
    expect(await missingNamespaces(reader('notFound'), named('bank', 'shop'), 'shop')).to.deep.equal([])
    expect(await missingNamespaces(reader('notFound'), named('bank', 'shopp'), 'shopp')).to.deep.equal(named('shopp'))
  })

  it('N26: are told to the author of the policy', async () => {
    const request: AdmissionRequest = {
      ...aRequest({ object: { ...aPolicy({ allowSourcesFrom: ['shop', 'devv'] }) } }),
      resource: 'experimentpolicies',
      namespace: '',
    }
    const decision = reviewPolicy(request, { schemaOf: () => ANY_SCHEMA })
    const scope = { kube: reader('notFound'), onlyNamespace: undefined }
    expect(linesOf(await withMissingNamespaces(request, decision, scope))).to.deep.equal([
      '[Policy] spec.allowSourcesFrom[1]: there is no namespace "devv" yet; correct the name, or create it',
    ])
  })
})
