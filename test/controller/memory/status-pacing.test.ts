import { expect } from 'chai'
import { StatusPacing } from '../../../controller/memory/status-pacing.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('the pace of shares', () => {
  it('R12: is ten seconds after the last write of this process, and none before the first', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    expect(pace.waitMs('a/b')).to.equal(0)
    pace.noteWrite('a/b')
    await time.pass(4_000)
    expect([pace.waitMs('a/b'), pace.waitMs('a/c')]).to.deep.equal([6_000, 0])
    pace.noteWrite('a/b')
    expect(pace.waitMs('a/b')).to.equal(10_000)
    await time.pass(10_000)
    expect(pace.waitMs('a/b')).to.equal(0)
  })

  it('P3: is 20 shares in a second among many keys, but each within a minute', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    const write = (count: number) => {
      for (let index = 0; index < count; index += 1) pace.noteWrite(`${count}/${index}`)
    }
    write(200)
    expect(pace.waitMs('200/0')).to.equal(10_000)
    write(400)
    expect(pace.waitMs('200/0')).to.equal(30_000)
    write(5_000)
    expect(pace.waitMs('200/0')).to.equal(50_000)
    await time.pass(60_000)
    pace.noteWrite('a/b')
    expect(pace.waitMs('a/b')).to.equal(10_000)
  })

  it('P3: is 20 shares in a second, too, after a quiet time', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    await time.pass(3_600_000)
    const keys = Array.from({ length: 1_000 }, (_, index) => `a/${index}`)
    const waitsMs = keys.map((key) => pace.waitMs(key))
    expect(waitsMs.slice(0, 2)).to.deep.equal([0, 18])
    expect(waitsMs.slice(1)).to.deep.equal(keys.slice(1).map((_, index) => 18 + index * 54))
    await time.pass(5_000)
    const due = keys.filter((key) => pace.waitMs(key) <= 0)
    expect(due).to.deep.equal(keys.slice(0, 94))
    for (const key of due) pace.noteWrite(key)
    expect(pace.waitMs('a/94')).to.equal(40)
    expect(pace.waitMs('a/new')).to.equal(48_964)
  })

  it('P3: gives keys that were written lately the same turns as others', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    const keys = Array.from({ length: 1_000 }, (_, index) => `a/${index}`)
    for (const key of keys.slice(0, 500)) {
      pace.noteWrite(key)
      await time.pass(50)
    }
    const waitsMs = keys.toReversed().map((key) => pace.waitMs(key))
    expect(Math.max(...waitsMs)).to.be.at.most(55_000)
    const perSecond = Map.groupBy(waitsMs, (waitMs) => Math.floor(waitMs / 1_000)).values()
    expect(Math.max(...perSecond.map(({ length }) => length))).to.be.at.most(20)
    for (const [index, key] of keys.slice(0, 500).entries()) expect(pace.waitMs(key)).to.be.at.least(index * 50)
  })

  it('P3: is within a minute, too, while other statuses make the wait longer', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    const waiting = new Set(Array.from({ length: 900 }, (_, index) => `a/${index}`))
    for (const key of waiting) {
      pace.noteWrite(key)
      await time.pass(54)
    }
    for (const key of waiting) pace.waitMs(key)
    for (let index = 0; index < 100; index += 1) pace.noteWrite(`b/${index}`)
    const perSecond: number[] = []
    for (let second = 0; second < 60; second += 1) {
      await time.pass(1_000)
      const due = [...waiting].filter((key) => pace.waitMs(key) <= 0)
      for (const key of due) {
        pace.noteWrite(key)
        waiting.delete(key)
      }
      perSecond.push(due.length)
    }
    expect(waiting.size).to.equal(0)
    expect(Math.max(...perSecond)).to.be.at.most(40) // at most two keys have the same turn
  })

  it('P3: has no turn left after the share was as before again', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    for (let index = 0; index < 100; index += 1) pace.waitMs(`a/${index}`)
    for (let index = 0; index < 100; index += 1) pace.noteCurrent(`a/${index}`)
    expect(pace.size).to.equal(0)
    await time.pass(10_000)
    for (let index = 0; index < 100; index += 1) pace.waitMs(`a/${index}`)
    expect(pace.waitMs('a/99')).to.be.at.least(98 * 54)
  })

  it('P3: forgets turns that nobody needs any more', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    for (let index = 0; index < 100; index += 1) pace.waitMs(`a/${index}`)
    await time.pass(120_000)
    expect([pace.waitMs('a/99'), pace.size]).to.deep.equal([0, 1])
  })

  it('P2: lets the progress of a fork wait for five seconds, from the first time that it is asked', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    pace.noteWrite('a/b')
    await time.pass(20_000)
    expect(pace.progressWaitMs('a/b')).to.equal(5_000)
    await time.pass(5_000)
    expect(pace.progressWaitMs('a/b')).to.equal(0)
    pace.noteWrite('a/b')
    expect(pace.progressWaitMs('a/b')).to.equal(5_000)
  })

  it('P2: lets the progress of many forks wait for the status in which they are ready', () => {
    const pace = new StatusPacing(new VirtualTime())
    for (let index = 0; index < 600; index += 1) pace.noteWrite(`a/${index}`)
    expect(pace.progressWaitMs('a/0')).to.equal(30_000)
  })

  it('remembers only the keys that were written in the last minute', async () => {
    const time = new VirtualTime()
    const pace = new StatusPacing(time)
    for (let index = 0; index < 1_000; index += 1) {
      pace.noteWrite(`a/${index}`)
      await time.pass(100)
    }
    expect(pace.size).to.equal(600)
    for (let index = 0; index < 1_000; index += 1) {
      pace.progressWaitMs(`b/${index}`)
      await time.pass(100)
    }
    pace.noteWrite('a/0')
    expect(pace.size).to.equal(601)
  })

  it('forgets an experiment that is gone', () => {
    const pace = new StatusPacing(new VirtualTime())
    pace.noteWrite('a/b')
    pace.progressWaitMs('a/b')
    pace.forget('a/b')
    expect([pace.size, pace.waitMs('a/b')]).to.deep.equal([0, 0])
  })
})
