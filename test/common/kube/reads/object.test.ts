import { expect } from 'chai'
import { asObject, orUndefined } from '../../../../common/kube/reads/object.ts'
import { kubeError } from '../scripted-client.ts'

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
