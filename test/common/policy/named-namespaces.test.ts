import { expect } from 'chai'
import { namedNamespaces, noSuchNamespace } from '../../../common/policy/named-namespaces.ts'

const NAME = 'kubernetes.io/metadata.name'

describe('the namespaces that a policy names', () => {
  it('are those of its selector and those that it trusts, each with its field', () => {
    const found = namedNamespaces({
      namespaceSelector: {
        matchLabels: { [NAME]: 'shop', team: 'a' },
        matchExpressions: [
          { key: 'team', operator: 'In', values: ['a'] },
          { key: NAME, operator: 'NotIn', values: ['lab'] },
          { key: NAME, operator: 'In', values: ['store', 'stock'] },
        ],
      },
      allowSourcesFrom: ['dev'],
    })
    expect(found.map(({ field, name }) => `${field} ${name}`)).to.deep.equal([
      'spec.namespaceSelector.matchLabels shop',
      'spec.namespaceSelector.matchExpressions[2] store',
      'spec.namespaceSelector.matchExpressions[2] stock',
      'spec.allowSourcesFrom[0] dev',
    ])
  })

  it('are ten at most, and none of a policy for every namespace', () => {
    expect(namedNamespaces({})).to.deep.equal([])
    expect(namedNamespaces({ allowSourcesFrom: Array.from({ length: 99 }, (_, at) => `n${at}`) })).to.have.length(10)
  })

  it('may be created later', () =>
    expect(noSuchNamespace({ field: 'spec.allowSourcesFrom[0]', name: 'devv' })).to.equal(
      'spec.allowSourcesFrom[0]: there is no namespace "devv" yet; correct the name, or create it',
    ))
})
