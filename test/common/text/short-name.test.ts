import { expect } from 'chai'
import { shortName, shortNameOf } from '../../../common/text/short-name.ts'

describe('shortName', () => {
  it('has the kind as kubectl takes it', () => {
    expect(shortName({ kind: 'StatefulSet', name: 'cart' })).to.equal('statefulset/cart')
    expect(shortNameOf({ kind: 'Rollout', metadata: { name: 'cart' } })).to.equal('rollout/cart')
  })
})
