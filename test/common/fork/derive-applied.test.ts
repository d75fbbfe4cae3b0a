import { expect } from 'chai'
import { applied, wholeForkHash, withHash } from '../../../common/fork/derive.ts'
import { at, listOr, objectOr } from '../../../common/json/json.ts'
import { aDeployment, aFork, aRollout } from '../../builders.ts'

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
    expect(wholeForkHash(fork)).to.equal(wholeForkHash(applied(fork)))
    expect(wholeForkHash(fork)).not.to.equal(wholeForkHash(aFork()))
  })

  it('has the defaults that follow from other fields, so that they go when those change', () => {
    const { strategy, template } = objectOr(applied(aFork()).spec)
    expect(listOr(at(template, 'spec', 'containers'))).to.deep.equal([
      { name: 'cart', image: 'example/cart:1', imagePullPolicy: 'IfNotPresent' },
    ])
    expect(strategy).to.deep.equal({ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } })
  })

  it('is the fork itself where there is nothing to add, and of a Rollout, whose spec is replaced', () => {
    expect(applied(applied(aFork()))).to.deep.equal(applied(aFork()))
    const rollout = aFork(aRollout())
    expect(applied(rollout)).to.deep.equal(rollout)
  })
})
