import { expect } from 'chai'
import { orUnread, partedByRead, UNREAD } from '../../../common/api/object.ts'

const of = (name: string) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } })

describe('the view of an object that may be too large', () => {
  const view = orUnread('service', ({ metadata: { name } }) => ({ name }))

  it('is that of an object that was read', () => {
    expect(view(of('cart'))).to.deep.equal({ name: 'cart' })
  })

  it('N29: has the name of one that was not read, and why', () => {
    const large = { ...of('large'), [UNREAD]: 'it is longer than 1.5 MiB' }
    expect(view(large)).to.deep.equal({ name: 'service/large', unread: 'it is longer than 1.5 MiB' })
    expect(JSON.stringify(large)).to.equal(JSON.stringify(of('large')))
  })

  it('N29: is told from those of objects that were read', () => {
    const unread = { name: 'service/large', unread: 'it is longer than 1.5 MiB' }
    expect(partedByRead([{ name: 'cart' }, unread])).to.deep.equal({ read: [{ name: 'cart' }], unread: [unread] })
  })
})
