import { expect } from 'chai'
import { UNREAD } from '../../../../common/api/object.ts'
import { added, bookmark, cart, deleted, errorEvent, kubeError, modified } from '../../../fakes/wire-by-hand.ts'
import { turn } from '../../../virtual-time.ts'
import { following, world } from './reflecting.ts'

describe('a reflector that watches', () => {
  it('stores newer versions and ignores others, also beyond 2^53', async () => {
    const { wire, reflector, changes } = await following()
    const [nine, ten] = [cart({ version: 9_007_199_254_740_992 }), '9007199254740993']
    wire.send(modified(nine), modified(nine), modified({ metadata: { ...nine.metadata, resourceVersion: ten } }))
    wire.send(modified(cart({ version: 12 })))
    await turn()
    expect(changes).to.deep.equal(['updated shop/cart u1@9007199254740992', `updated shop/cart u1@${ten}`])
    await reflector.stop()
  })

  it('treats another uid under the same name as another object', async () => {
    const { wire, reflector, changes } = await following()
    wire.send(modified(cart({ uid: 'u2', version: 11 })))
    await turn()
    expect(changes).to.deep.equal(['deleted shop/cart u1@9', 'added shop/cart u2@11'])
    await reflector.stop()
  })

  it('removes only the stored uid, and only once', async () => {
    const { wire, reflector, changes } = await following()
    wire.send(deleted(cart({ uid: 'u0', version: 11 })))
    await turn()
    expect(changes).to.deep.equal([])
    wire.send(deleted(cart({ version: 12 })), added(cart({ version: 13 })), deleted(cart({ version: 12 })))
    await turn()
    expect(changes).to.deep.equal(['deleted shop/cart u1@9', 'added shop/cart u1@13'])
    await reflector.stop()
  })

  it('reconnects from the last bookmark, and at once after a watch that lasted', async () => {
    const { client, time, wire, reflector } = await following()
    wire.send(bookmark(50))
    await time.pass(5_000)
    wire.end()
    expect((await client.watch()).request.query?.resourceVersion).to.equal('50')
    await reflector.stop()
  })

  it('waits longer each time when every watch ends after a second, and does not list again', async () => {
    const { client, time, reflector, ...it } = await following()
    let wire = it.wire
    for (const waitMs of [800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000]) {
      await time.pass(1_000)
      wire.end()
      const before = client.diary.length
      await time.pass(waitMs - 1)
      expect(client.diary).to.have.length(before)
      await time.pass(1)
      wire = await client.open()
    }
    expect(client.diary.filter((asked) => asked === 'list')).to.have.length(1)
    await time.pass(119_000)
    wire.send(bookmark(60))
    await time.pass(1_000) // two minutes of health: the waits start again
    wire.break(new Error('reset'))
    const before = client.diary.length
    await time.pass(800)
    expect(client.diary).to.have.length(before + 1)
    await reflector.stop()
  })

  it('lists again after five failures in a row', async () => {
    const { client, time, wire, reflector } = await following()
    wire.break(new Error('reset'))
    for (const waitMs of [800, 1_600, 3_200, 6_400]) {
      await time.pass(waitMs)
      ;(await client.watch()).fail(kubeError('unreachable'))
    }
    await time.pass(12_800)
    await client.list()
    await reflector.stop()
  })

  for (const [what, line] of Object.entries({
    'an ERROR event 410': errorEvent(410),
    'a line that is not JSON': '{"type":"ADD',
    'an event of unknown type': { type: 'RENAMED', object: {} },
    'an object without a version': added({ metadata: { name: 'x', uid: 'y' } }),
  }))
    it(`lists again, after a wait, because of ${what}`, async () => {
      const { client, time, wire, reflector } = await following()
      wire.send(line)
      await time.pass(799)
      expect(client.diary).to.deep.equal(['list', 'watch 10'])
      await time.pass(1)
      await client.list()
      await reflector.stop()
    })

  it('lists again after a wait when opening a watch fails with 410', async () => {
    const { client, time, wire, reflector } = await following()
    await time.pass(5_000)
    wire.end()
    ;(await client.watch()).fail(kubeError('gone'))
    await time.pass(799)
    expect(client.diary).to.deep.equal(['list', 'watch 10', 'watch 10'])
    await time.pass(1)
    await client.list()
    await reflector.stop()
  })

  it('resumes the watch, after a wait, because of another ERROR event', async () => {
    const { client, time, wire, reflector } = await following()
    wire.send(modified(cart({ version: 11 })), errorEvent(500))
    await time.pass(800)
    expect((await client.watch()).request.query?.resourceVersion).to.equal('11')
    await reflector.stop()
  })

  it('treats 120 s of silence as a dead connection and resumes', async () => {
    const { client, time, wire, reflector } = await following()
    await time.pass(60_000)
    wire.send(bookmark(20))
    await time.pass(119_999)
    expect(wire.isCut).to.equal(false)
    await time.pass(1)
    expect(wire.isCut).to.equal(true)
    await time.pass(800)
    expect((await client.watch()).request.query?.resourceVersion).to.equal('20')
    await reflector.stop()
  })

  it('goes on when a handler throws, and calls the next handler', async () => {
    const { wire, reflector, log } = await following()
    const heard: string[] = []
    reflector.subscribe(() => {
      throw new Error('a bug')
    })
    reflector.subscribe(({ key }) => heard.push(key))
    wire.send(modified(cart({ version: 11 })), modified(cart({ version: 12 })))
    await turn()
    expect(heard).to.deep.equal(['shop/cart', 'shop/cart'])
    expect(log.lines.map(({ text }) => text)).to.include('error a handler threw')
    await reflector.stop()
  })

  it('logs missing rights once, not with every try', async () => {
    const { client, time, reflector, log } = world()
    for (let tries = 0; tries < 8; tries++) {
      ;(await client.list()).fail(kubeError('forbidden'))
      await time.pass(20_000)
    }
    expect(log.lines).to.have.length(1)
    expect(reflector.hasSynced).to.equal(false)
    await reflector.stop()
  })

  it('N29: keeps an object that is too large by its name, logs that once, and lists no more for it', async () => {
    const { client, log, wire, reflector, changes } = await following()
    const large = (version: number) => ({ ...modified(cart({ version })), unread: 'it is longer than 1.5 MiB' })
    wire.send(large(11), large(12), modified(cart({ version: 13 })), large(14))
    await turn()
    expect(changes).to.have.length(4)
    expect(reflector.get('shop/cart')?.[UNREAD]).to.equal('it is longer than 1.5 MiB')
    expect(log.lines.filter(({ text }) => text.includes('too large'))).to.have.length(2)
    expect(client.diary.filter((asked) => asked === 'list')).to.have.length(1)
    await reflector.stop()
  })
})
