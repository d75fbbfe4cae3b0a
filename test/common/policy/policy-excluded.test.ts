import { expect } from 'chai'
import { isExcludedNamespace, servedNamespaces } from '../../../common/policy/policy.ts'

const NAMES = ['kube-system', 'ops', 'shop', 'kube-public']

describe('S12: isExcludedNamespace', () => {
  it('S12: excludes kube-system and the namespace of the product itself', () => {
    const excluded = NAMES.map((name) => isExcludedNamespace(name, { ownNamespace: 'ops' }))
    expect(excluded).to.deep.equal([true, true, false, false])
  })

  it('excludes all namespaces but one if the installation serves only one', () => {
    const excluded = NAMES.map((name) => isExcludedNamespace(name, { ownNamespace: 'ops', onlyNamespace: 'shop' }))
    expect(excluded).to.deep.equal([true, true, false, true])
  })
})

describe('installation', () => {
  it('serves all namespaces, or one', () => {
    expect(servedNamespaces('ops', undefined)).to.deep.equal({ ownNamespace: 'ops', onlyNamespace: undefined })
    expect(servedNamespaces('ops', 'shop')).to.deep.equal({ ownNamespace: 'ops', onlyNamespace: 'shop' })
  })

  for (const name of ['ops', 'kube-system'])
    it(`refuses ${name}, where no webhook reviews experiments`, () =>
      expect(() => servedNamespaces('ops', name)).to.throw(
        `must not be kube-system or the namespace of the pod, found "${name}"`,
      ))

  for (const name of ['shop,bank', '*', 'a/b', 'x'.repeat(64)])
    it(`refuses ${name}, which is no name`, () =>
      expect(() => servedNamespaces('ops', name)).to.throw('WATCH_NAMESPACE must be the name of a namespace'))
})
