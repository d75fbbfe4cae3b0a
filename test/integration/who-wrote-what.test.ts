import { expect } from 'chai'
import { ownWrites } from '../../sandbox/proof.ts'
import { controlPlane } from './fixture.ts'
import { usesProduct } from './product.ts'

// named so that it is the last of its folder: the audit log then holds the whole integration run
describe('the audit log of the whole run, on the real control plane', () => {
  usesProduct()

  it('shows no write of our two accounts to any source, source pod or Service, and no 403 for them', async () => {
    const { all, forbidden, denied } = await ownWrites((await controlPlane()).auditLog)
    expect(all.length).to.be.greaterThan(0)
    expect(forbidden).to.deep.equal([])
    expect(denied).to.deep.equal([])
  })
})
