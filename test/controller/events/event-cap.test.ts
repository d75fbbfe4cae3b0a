import { expect } from 'chai'
import { EventCap, regardingId } from '../../../controller/events/event-cap.ts'
import { VirtualTime } from '../../virtual-time.ts'

const MINUTE_MS = 60_000
const named = (name: string, uid?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(uid && { uid }) },
})

/** How many of `tries` Events about the object pass. */
const passed = (cap: EventCap, object: ReturnType<typeof named>, tries = 100): number =>
  Array.from({ length: tries }, () => cap.take(object)).filter(Boolean).length

describe('the cap of Events about one object', () => {
  it('lets 25 pass at once, then one in five minutes', async () => {
    const time = new VirtualTime()
    const cap = new EventCap(time)
    expect(passed(cap, named('busy'))).to.equal(25)
    await time.pass(5 * MINUTE_MS - 1)
    expect(passed(cap, named('busy'))).to.equal(0)
    await time.pass(1)
    expect(passed(cap, named('busy'))).to.equal(1)
    await time.pass(50 * MINUTE_MS)
    expect(passed(cap, named('busy'))).to.equal(10)
    await time.pass(1_000 * MINUTE_MS)
    expect(passed(cap, named('busy'))).to.equal(25)
  })

  it('is of each object alone, also of one with the name of an earlier one', () => {
    const cap = new EventCap(new VirtualTime())
    expect([named('a', 'u1'), named('b', 'u2'), named('a', 'u3')].map((object) => passed(cap, object))).to.deep.equal([
      25, 25, 25,
    ])
  })

  it('forgets an object when all of its Events may be sent again', async () => {
    const time = new VirtualTime()
    const cap = new EventCap(time)
    passed(cap, named('once'), 1)
    passed(cap, named('busy'))
    await time.pass(5 * MINUTE_MS)
    cap.sweep()
    expect(cap.size).to.equal(1)
    await time.pass(120 * MINUTE_MS)
    cap.sweep()
    expect(cap.size).to.equal(0)
    expect(passed(cap, named('busy'))).to.equal(25)
    cap.clear()
    expect(cap.size).to.equal(0)
  })
})

describe('the identity of an object', () => {
  it('is its uid, or its kind and name if it has none', () =>
    expect([named('a', 'u1'), named('a')].map(regardingId)).to.deep.equal(['u1', 'Pod//a']))
})
