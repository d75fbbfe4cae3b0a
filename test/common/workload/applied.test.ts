import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { applied } from '../../../common/workload/applied.ts'
import { forkHash, withHash } from '../../../common/workload/derive.ts'
import { aDeployment, aFork } from '../../builders.ts'

describe('applied', () => {
  const fork = aFork(aDeployment({ pod: { serviceAccountName: 'robot' } }))
  const accounts = (of: unknown) =>
    ['serviceAccountName', 'serviceAccount'].map((key) => at(of, 'template', 'spec', key))

  it('D1: has both names of the account, although the fork has one', () => {
    expect(accounts(fork.spec)).to.deep.equal(['robot', undefined])
    expect(accounts(applied(fork).spec)).to.deep.equal(['robot', 'robot'])
  })

  it('D1: is what the hash covers, so that a fork that was applied otherwise is applied again', () => {
    expect(withHash(fork)).to.deep.include({ spec: applied(fork).spec })
    expect(forkHash(fork)).to.equal(forkHash(applied(fork)))
    expect(forkHash(fork)).not.to.equal(forkHash(aFork()))
  })

  it('is the fork itself where there is nothing to add', () => expect(applied(aFork())).to.deep.equal(aFork()))
})
