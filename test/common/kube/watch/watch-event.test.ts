import { expect } from 'chai'
import { UNREAD } from '../../../../common/api/object.ts'
import { BadLine } from '../../../../common/kube/client/body.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { watchEvent } from '../../../../common/kube/watch/watch-event.ts'
import { added, bookmark, cart, deleted, errorEvent, modified } from '../../../fakes/wire-by-hand.ts'

const read = (event: unknown) =>
  watchEvent(typeof event === 'string' ? event : JSON.stringify(event), {
    resource: RESOURCES.Deployment,
    managedFields: 'none',
    project: (object) => object,
  })

describe('watchEvent', () => {
  for (const [type, event] of Object.entries({ ADDED: added, MODIFIED: modified }))
    it(`takes ${type} for an object that is present`, () => {
      const found = read(event(cart({ version: 7 })))
      expect(found).to.include({ is: 'present', version: '7' })
      expect(found).to.have.nested.property('arrival.key', 'shop/cart')
    })

  it('takes DELETED for an object that is gone, with the version of its deletion', () => {
    expect(read(deleted(cart({ version: 8 })))).to.include({ is: 'deleted', version: '8' })
  })

  it('reads the version of a bookmark', () =>
    expect(read(bookmark(20))).to.deep.equal({ is: 'bookmark', version: '20' }))

  it('N29: marks an object that is known by its name only', () => {
    const event = { ...modified(cart({ version: 7 })), unread: 'it is longer than 1.5 MiB' }
    const found = read(event)
    expect(found).to.have.nested.property('arrival.unread', 'it is longer than 1.5 MiB')
    expect(found.is === 'present' && found.arrival.value?.[UNREAD]).to.equal('it is longer than 1.5 MiB')
  })

  const errors: Record<string, readonly [event: object, kind: string]> = {
    'ERROR with code 410 for a version that is no longer kept': [errorEvent(410), 'gone'],
    'ERROR with code 500 for a failure of the server': [errorEvent(500, { reason: 'InternalError' }), 'server'],
    'ERROR without a code for a failure of the server': [
      { type: 'ERROR', object: { kind: 'Status', reason: 'InternalError' } },
      'server',
    ],
  }
  for (const [what, [event, kind]] of Object.entries(errors))
    it(`takes ${what}`, () => expect(read(event)).to.have.nested.property('error.kind', kind))

  for (const [what, line] of Object.entries({
    'a line that is not JSON': '{"type":"ADD',
    'a line that is no object': '7',
    'an event of another type': { type: 'RENAMED', object: {} },
    'an object without a version': added({ metadata: { name: 'x', uid: 'y' } }),
    'a bookmark without a version': { type: 'BOOKMARK', object: {} },
  }))
    it(`throws BadLine for ${what}`, () => expect(() => read(line)).to.throw(BadLine))
})
