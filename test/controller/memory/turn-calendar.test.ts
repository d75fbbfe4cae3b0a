import { expect } from 'chai'
import { TurnCalendar } from '../../../controller/memory/turn-calendar.ts'

const keys = (count: number) => Array.from({ length: count }, (_, index) => `a/${index}`)

describe('the calendar of turns', () => {
  it('gives each key the first free time that it may have', () => {
    const calendar = new TurnCalendar()
    expect(calendar.turnMs('a/1', { now: 0, notBefore: -5_000 })).to.equal(0)
    expect(calendar.turnMs('a/2', { now: 0, notBefore: 1_000 })).to.equal(1_000)
    expect(calendar.turnMs('a/3', { now: 0, notBefore: 1_010 })).to.equal(1_026)
    expect(calendar.turnMs('a/4', { now: 0, notBefore: 990 })).to.equal(1_080)
    expect(calendar.turnMs('a/5', { now: 0, notBefore: 0 })).to.equal(54)
  })

  it('lets a key keep its turn until it is forgotten', () => {
    const calendar = new TurnCalendar()
    calendar.turnMs('a/1', { now: 0, notBefore: 0 })
    expect(calendar.turnMs('a/2', { now: 0, notBefore: 0 })).to.equal(54)
    expect(calendar.turnMs('a/2', { now: 900, notBefore: 0 })).to.equal(54)
    calendar.forget('a/2', 900)
    expect(calendar.turnMs('a/2', { now: 900, notBefore: 0 })).to.equal(900)
  })

  it('gives a key another turn if it must now wait longer', () => {
    const calendar = new TurnCalendar()
    calendar.turnMs('a/1', { now: 0, notBefore: 540 })
    expect(calendar.turnMs('a/1', { now: 0, notBefore: 5_400 })).to.equal(5_400)
    expect(calendar.turnMs('a/2', { now: 0, notBefore: 540 })).to.equal(540)
  })

  it('gives no turn later than 55 s after a key first asked, even if it must wait longer', () => {
    const calendar = new TurnCalendar()
    for (const key of keys(1_000)) calendar.turnMs(key, { now: 0, notBefore: 0 })
    const times = keys(900).map((key) => calendar.turnMs(key, { now: 48_000, notBefore: 50_000 }))
    expect(Math.min(...times)).to.be.at.least(50_000)
    expect(Math.max(...times)).to.be.at.most(55_000)
    expect(calendar.turnMs('a/0', { now: 60_000, notBefore: 50_000 })).to.equal(times[0])
  })

  it('gives a turn back that has not begun', () => {
    const calendar = new TurnCalendar()
    for (const key of keys(3)) calendar.turnMs(key, { now: 0, notBefore: 0 })
    calendar.forget('a/0', 10)
    calendar.forget('a/1', 10)
    calendar.forget('a/unknown', 10)
    expect(calendar.turnMs('a/3', { now: 10, notBefore: 0 })).to.equal(54)
    expect(calendar.turnMs('a/4', { now: 10, notBefore: 0 })).to.equal(162)
  })

  it('shares the turns of a minute in equal parts among more keys', () => {
    const calendar = new TurnCalendar()
    const times = keys(3_000).map((key) => calendar.turnMs(key, { now: 0, notBefore: 0 }))
    expect(Math.max(...times)).to.be.at.most(55_000)
    const counts = [...Map.groupBy(times, (timeMs) => timeMs).values()].map(({ length }) => length)
    expect(new Set(counts)).to.deep.equal(new Set([2, 3]))
    for (const key of keys(3_000)) calendar.forget(key, -1)
    expect([calendar.size, calendar.turnMs('a/0', { now: 0, notBefore: 0 })]).to.deep.equal([0, 0])
    expect(calendar.turnMs('a/1', { now: 0, notBefore: 0 })).to.equal(54)
  })

  it('forgets keys that did not use their turns for a minute', () => {
    const calendar = new TurnCalendar()
    for (const key of keys(10)) calendar.turnMs(key, { now: 0, notBefore: 0 })
    calendar.turnMs('b/0', { now: 60_000, notBefore: 0 })
    expect(calendar.size).to.equal(11)
    calendar.turnMs('b/0', { now: 60_200, notBefore: 0 })
    expect(calendar.size).to.equal(7)
  })
})
