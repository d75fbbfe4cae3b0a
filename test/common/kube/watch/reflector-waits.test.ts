import { expect } from 'chai'
import { bookmark, cart, deploymentList, kubeError, modified } from '../../../fakes/wire-by-hand.ts'
import { turn } from '../../../virtual-time.ts'
import { following, world } from './reflecting.ts'

describe('a reflector of an absent kind', () => {
  it('is empty and synced, and tries again every 30 s', async () => {
    const { client, time, reflector, changes } = world()
    ;(await client.list()).fail(kubeError('kindAbsent'))
    await reflector.synced()
    await time.pass(29_999)
    expect(client.diary).to.have.length(1)
    await time.pass(1)
    ;(await client.list()).answer(deploymentList(5, [cart({ version: 4 })]))
    await turn()
    expect(changes).to.deep.equal(['added shop/cart u1@4'])
    await reflector.stop()
  })

  it('waits for another reflector to find the kind, if there is one, and then tries at once', async () => {
    const { promise: isServed, resolve } = Promise.withResolvers<void>()
    const { client, time, reflector } = world({}, undefined, () => isServed)
    ;(await client.list()).fail(kubeError('kindAbsent'))
    await reflector.synced()
    await time.pass(600_000)
    expect(client.diary).to.have.length(1)
    resolve()
    ;(await client.list()).answer(deploymentList(5, []))
    await turn()
    expect(reflector.isAbsent).to.equal(false)
    await reflector.presence.served(new AbortController().signal)
    await reflector.stop()
  })

  it('waits for 0.8 s only after the first failure of a kind that comes again', async () => {
    const { client, time, reflector } = world()
    for (let removals = 0; removals < 4; removals += 1) {
      ;(await client.list()).fail(kubeError('kindAbsent'))
      await time.pass(30_000)
      ;(await client.list()).answer(deploymentList(5, []))
      ;(await client.watch()).fail(kubeError('gone'))
      await time.pass(800)
      ;(await client.list()).answer(deploymentList(6, []))
      ;(await client.watch()).fail(kubeError('kindAbsent'))
      await time.pass(30_000)
    }
    ;(await client.list()).answer(deploymentList(7, []))
    await turn()
    await reflector.stop()
  })

  it('removes all objects when the kind is removed', async () => {
    const { client, time, wire, reflector, changes } = await following()
    await time.pass(5_000)
    wire.end()
    ;(await client.watch()).fail(kubeError('kindAbsent'))
    await turn()
    expect(changes).to.deep.equal(['deleted shop/cart u1@9'])
    await reflector.stop()
  })
})

describe('a wait for a version', () => {
  /** Whether `promise` has resolved by now. */
  function watched(promise: Promise<void>) {
    const state = { isOver: false }
    void promise.then(() => {
      state.isOver = true
    })
    return state
  }

  it('ends with an event or a bookmark of that version', async () => {
    const { wire, reflector } = await following()
    const [event, mark, past] = ['11', '20', '10'].map((version) => watched(reflector.caughtUp(version)))
    await turn()
    expect([event?.isOver, mark?.isOver, past?.isOver]).to.deep.equal([false, false, true])
    wire.send(modified(cart({ version: 11 })))
    await turn()
    expect([event?.isOver, mark?.isOver]).to.deep.equal([true, false])
    wire.send(bookmark(21))
    await turn()
    expect(mark?.isOver).to.equal(true)
    await reflector.stop()
  })

  it('of a deletion ends when the object is gone, being deleted, or has another uid', async () => {
    const { wire, reflector } = await following()
    const gone = watched(reflector.caughtUpDeletion('shop/cart', 'u1'))
    const other = watched(reflector.caughtUpDeletion('shop/cart', 'u0'))
    await turn()
    expect([gone.isOver, other.isOver]).to.deep.equal([false, true])
    wire.send(modified(cart({ version: 11, more: { deletionTimestamp: '2026-01-01T00:00:00Z' } })))
    await turn()
    expect(gone.isOver).to.equal(true)
    await reflector.stop()
  })

  it('causes one list after 60 s, however many wait', async () => {
    const { client, time, wire, reflector } = await following()
    const first = watched(reflector.caughtUp('30'))
    await time.pass(1_000)
    const second = watched(reflector.caughtUp('31'))
    await time.pass(58_999)
    expect(wire.isCut).to.equal(false)
    await time.pass(801)
    expect(wire.isCut).to.equal(true)
    ;(await client.list()).answer(deploymentList(31, []))
    await client.open()
    expect([first.isOver, second.isOver]).to.deep.equal([true, true])
    expect(client.diary).to.deep.equal(['list', 'watch 10', 'list', 'watch 31'])
    await reflector.stop()
    expect(time.pending).to.equal(0)
  })

  it('ends at once after the kind was removed, also while another reflector looks for it', async () => {
    const { promise: isServed, resolve } = Promise.withResolvers<void>()
    const { client, reflector } = world({}, undefined, () => isServed)
    ;(await client.list()).answer(deploymentList(5, [cart({ version: 4 })]))
    ;(await client.watch()).fail(kubeError('kindAbsent'))
    await turn()
    await Promise.all([reflector.caughtUp('9'), reflector.caughtUpDeletion('shop/cart', 'u1')])
    expect(reflector.isAbsent).to.equal(true)
    resolve()
    await reflector.stop()
  })

  it('ends with its signal and with stop', async () => {
    const { reflector, time } = await following()
    const leaving = new AbortController()
    const [one, two] = [reflector.caughtUp('99', leaving.signal), reflector.caughtUp('99')]
    leaving.abort()
    await one
    await reflector.stop()
    await two
    await reflector.caughtUp('100')
    expect(time.pending).to.equal(0)
  })
})
