import { expect } from 'chai'
import { turn } from '../../../virtual-time.ts'
import { bookmark, cart, deploymentList, kubeError, modified } from '../scripted-client.ts'
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
