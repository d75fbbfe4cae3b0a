import { expect } from 'chai'
import { Presence } from '../../../../common/kube/watch/presence.ts'
import { turn } from '../../../virtual-time.ts'

/** Whether `promise` has resolved by now. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  const state = { isOver: false }
  void promise.then(() => {
    state.isOver = true
  })
  await turn()
  return state.isOver
}

describe('the presence of a kind', () => {
  it('ends the waits when the kind is served, and begins new ones when it is lost', async () => {
    const presence = new Presence()
    const { signal } = new AbortController()
    const waiting = presence.served(signal)
    expect(await isOver(waiting)).to.equal(false)
    presence.lost() // as before
    presence.found()
    expect([await isOver(waiting), await isOver(presence.served(signal))]).to.deep.equal([true, true])
    presence.lost()
    expect(await isOver(presence.served(signal))).to.equal(false)
  })

  it('ends a wait with its signal', async () => {
    const leaving = new AbortController()
    const waiting = new Presence().served(leaving.signal)
    leaving.abort()
    expect(await isOver(waiting)).to.equal(true)
  })
})
