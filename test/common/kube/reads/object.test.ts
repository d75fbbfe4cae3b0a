import { expect } from 'chai'
import { UNREAD } from '../../../../common/api/object.ts'
import { asObject, asWholeObject, orUndefined, unlessUnread } from '../../../../common/kube/reads/object.ts'
import { kubeError } from '../../../fakes/wire-by-hand.ts'

const CART = { kind: 'Deployment', metadata: { name: 'cart' } }

describe('asObject', () => {
  it('returns an object that has metadata', () => expect(asObject(CART)).to.equal(CART))

  for (const answer of [undefined, 'OK', [], {}, { metadata: 'cart' }])
    it(`throws unreachable for ${JSON.stringify(answer)}`, () =>
      expect(() => asObject(answer))
        .to.throw('the response is not an object')
        .with.property('kind', 'unreachable'))
})

describe('orUndefined', () => {
  it('returns the object', async () => expect(await orUndefined(Promise.resolve(CART))).to.equal(CART))

  it('returns undefined after notFound, and after no other failure', async () => {
    expect(await orUndefined(Promise.reject(kubeError('notFound')))).to.equal(undefined)
    expect(await orUndefined(Promise.reject(kubeError('kindAbsent'))).catch((error: unknown) => error)).to.include({
      kind: 'kindAbsent',
    })
  })

  it('returns undefined after the failures that the caller names', async () => {
    expect(await orUndefined(Promise.reject(kubeError('kindAbsent')), ['kindAbsent'])).to.equal(undefined)
  })
})

describe('N29: an object that is too large to be read', () => {
  it('is no whole object, and says its name', () => {
    expect(asWholeObject(CART)).to.equal(CART)
    expect(() => asWholeObject({ ...CART, [UNREAD]: 'it is longer than 1.5 MiB' }))
      .to.throw('cart is too large to be read: it is longer than 1.5 MiB')
      .with.property('kind', 'unread')
  })

  it('is unknown, and another failure is none of its', async () => {
    expect(await unlessUnread(Promise.resolve(1))).to.deep.equal({ is: 'known', value: 1 })
    expect(await unlessUnread(Promise.resolve(undefined))).to.deep.equal({ is: 'absent' })
    expect(await unlessUnread(Promise.reject(kubeError('unread')))).to.have.property('is', 'unknown')
    const failed = await unlessUnread(Promise.reject(kubeError('server'))).catch((error: unknown) => error)
    expect(failed).to.have.property('kind', 'server')
  })
})
