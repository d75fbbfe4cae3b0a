import { expect } from 'chai'
import type { ReadResult } from '../../../common/program/read-cache.ts'
import { TtlCache } from '../../../common/program/ttl-cache.ts'
import { turn, VirtualTime } from '../../virtual-time.ts'

const KEPT_MS = 1_000

/** A cache whose readings count up, and the keys that were read. */
function world({ isLasting = true } = {}) {
  const time = new VirtualTime()
  const read: string[] = []
  const cache = new TtlCache<number>(time, KEPT_MS)
  const of = (key: string) =>
    cache.of(key, async (): Promise<ReadResult<number>> => {
      read.push(key)
      return { value: read.length, isLasting }
    })
  return { time, read, cache, of }
}

describe('TtlCache', () => {
  it('reads a key once for all who ask before the time is over', async () => {
    const { time, read, of } = world()
    expect(await Promise.all([of('shop'), of('shop')])).to.deep.equal([1, 1])
    await time.pass(KEPT_MS - 1)
    expect(await of('shop')).to.equal(1)
    expect(read).to.deep.equal(['shop'])
  })

  it('N20: reads a key again for a caller who wants it newer', async () => {
    const { time, read, cache, of } = world()
    const newer = (maxAgeMs: number) => cache.of('shop', async () => ({ value: 7, isLasting: true }), maxAgeMs)
    await of('shop')
    await time.pass(10)
    expect(await newer(10)).to.equal(1)
    expect(await newer(9)).to.equal(7)
    expect(await of('shop')).to.equal(7)
    expect(read).to.deep.equal(['shop'])
  })

  it('reads a key again after the time is over', async () => {
    const { time, of } = world()
    await of('shop')
    await time.pass(KEPT_MS)
    expect(await of('shop')).to.equal(2)
  })

  it('counts the time from the beginning of a reading', async () => {
    const { time, cache, of } = world()
    const reading = Promise.withResolvers<ReadResult<number>>()
    const first = cache.of('shop', () => reading.promise)
    await time.pass(KEPT_MS - 1)
    reading.resolve({ value: 7, isLasting: true })
    expect(await first).to.equal(7)
    await time.pass(1)
    expect(await of('shop')).to.equal(1)
  })

  it('reads each key by itself', async () => {
    const { read, of } = world()
    await Promise.all([of('shop'), of('stall')])
    expect(read).to.deep.equal(['shop', 'stall'])
  })

  it('forgets a reading that is not lasting, and the next caller reads again', async () => {
    const { read, cache, of } = world({ isLasting: false })
    expect(await Promise.all([of('shop'), of('shop')])).to.deep.equal([1, 1])
    expect(cache.size).to.equal(0)
    await of('shop')
    expect(read).to.have.length(2)
  })

  it('throws what a reading throws, and the next caller reads again', async () => {
    const { cache, of } = world()
    const failed = cache.of('shop', () => Promise.reject(new Error('broken'))).catch((error: Error) => error.message)
    expect(await failed).to.equal('broken')
    expect(await of('shop')).to.equal(1)
  })

  it('forgets expired keys when any key is asked for', async () => {
    const { time, cache, of } = world()
    await of('shop')
    await time.pass(KEPT_MS - 1)
    await of('stall')
    await time.pass(1)
    expect(cache.size).to.equal(2)
    await of('stall')
    await turn()
    expect(cache.size).to.equal(1)
  })

  it('expires keys by their last reading, also where an earlier one was not kept', async () => {
    const { time, cache, of } = world()
    await cache.of('shop', async () => ({ value: 0, isLasting: false }))
    await time.pass(500)
    await of('stall')
    await time.pass(100)
    await of('shop')
    await time.pass(KEPT_MS - 100)
    expect(await of('stall')).to.equal(3)
    expect(cache.size).to.equal(2)
  })
})
