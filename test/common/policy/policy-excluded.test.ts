import { expect } from 'chai'
import { isExcludedNamespace } from '../../../common/policy/policy.ts'

describe('S12: isExcludedNamespace', () => {
  it('S12: excludes kube-system and the namespace of the product itself', () => {
    const excluded = ['kube-system', 'ops', 'shop', 'kube-public'].map((name) => isExcludedNamespace(name, 'ops'))
    expect(excluded).to.deep.equal([true, true, false, false])
  })
})
