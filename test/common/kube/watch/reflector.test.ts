import { expect } from 'chai'
import {
  bookmark,
  cart,
  deploymentList,
  errorEvent,
  kubeError,
  modified,
  ScriptedClient,
} from '../../../fakes/wire-by-hand.ts'
import { turn } from '../../../virtual-time.ts'
import { following, world } from './reflecting.ts'

describe('Reflector', () => {
  it('knows nothing before its first list', async () => {
    const { reflector } = world()
    expect([reflector.hasSynced, reflector.isAbsent, reflector.size]).to.deep.equal([false, false, 0])
    await reflector.stop()
  })

  it('gives objects by key and all at once', async () => {
    const { reflector } = await following()
    expect(reflector.get('shop/cart')?.metadata).to.include({ name: 'cart', uid: 'u1' })
    expect(reflector.get('shop/till')).to.equal(undefined)
    expect([reflector.list().length, reflector.size, reflector.hasSynced]).to.deep.equal([1, 1, true])
    await reflector.stop()
  })

  it('calls a handler after the store has changed', async () => {
    const { wire, reflector } = await following()
    const found: unknown[] = []
    reflector.subscribe(({ key }) => found.push(reflector.get(key)?.metadata.resourceVersion))
    wire.send(modified(cart({ version: 11 })))
    await turn()
    expect(found).to.deep.equal(['11'])
    await reflector.stop()
  })

  it('does not call a handler that has unsubscribed', async () => {
    const { wire, reflector } = await following()
    const calls: string[] = []
    const unsubscribe = reflector.subscribe(({ is }) => calls.push(is))
    wire.send(modified(cart({ version: 11 })))
    await turn()
    unsubscribe()
    wire.send(modified(cart({ version: 12 })), bookmark(13))
    await turn()
    expect(calls).to.deep.equal(['updated'])
    await reflector.stop()
  })

  it('starts once, however often start is called', async () => {
    const { client, reflector } = await following()
    reflector.start()
    await turn()
    expect(client.diary).to.deep.equal(['list', 'watch 10'])
    await reflector.stop()
  })

  it('says that a kind is absent, until it is there', async () => {
    const { client, time, reflector } = world()
    ;(await client.list()).fail(kubeError('kindAbsent'))
    await turn()
    expect([reflector.isAbsent, reflector.hasSynced]).to.deep.equal([true, true])
    await time.pass(30_000)
    ;(await client.list()).answer(deploymentList(5, []))
    await turn()
    expect(reflector.isAbsent).to.equal(false)
    await reflector.stop()
  })
})

describe('a reflector that is stopped', () => {
  const moments: Record<string, (it: Awaited<ReturnType<typeof following>>) => Promise<unknown>> = {
    'while it watches': async () => {},
    'while it waits to reconnect': async ({ wire }) => {
      wire.break(new Error('reset'))
      await turn()
    },
    'while it connects': async ({ wire, time }) => {
      await time.pass(5_000)
      wire.end()
      await turn()
    },
    'while it lists': async ({ wire, time }) => {
      wire.send(errorEvent(410))
      await time.pass(800)
    },
    'with events on the way': async ({ wire }) => {
      wire.send(modified(cart({ version: 11 })), modified(cart({ version: 12 })))
    },
  }
  for (const [when, arrange] of Object.entries(moments))
    it(`${when} leaves no timer and calls no handler`, async () => {
      const it = await following()
      await arrange(it)
      const asked = it.client.diary.length
      const told = it.log.lines.length
      await it.reflector.stop()
      it.changes.length = 0
      it.wire.send(modified(cart({ version: 99 })))
      await it.time.pass(600_000)
      expect(it.changes).to.deep.equal([])
      expect(it.client.diary).to.have.length(asked)
      expect(it.log.lines).to.have.length(told)
      expect(it.time.pending).to.equal(0)
    })

  it('waits for the end of a slow request, and ignores its response', async () => {
    const client = new ScriptedClient()
    const late = Promise.withResolvers<unknown>()
    client.request = () => late.promise // deaf to signals
    const { reflector, changes } = world({}, client)
    await turn()
    let isOver = false
    const stopped = reflector.stop().then(() => {
      isOver = true
    })
    await turn()
    expect(isOver).to.equal(false)
    late.resolve(deploymentList(10, [cart({ version: 9 })]))
    await stopped
    expect([changes.length, reflector.size]).to.deep.equal([0, 0])
  })

  it('before its first list rejects those who wait for that', async () => {
    const { reflector } = world()
    const synced = reflector.synced()
    await reflector.stop()
    const outcome = await synced.then(
      () => 'synced',
      (error: Error) => error.message,
    )
    expect(outcome).to.match(/stopped before it had synced/)
  })
})
