import { expect } from 'chai'
import { turn } from '../../../virtual-time.ts'
import { cart, deploymentList, errorEvent, modified, ScriptedClient } from '../scripted-client.ts'
import { following, world } from './reflecting.ts'

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
