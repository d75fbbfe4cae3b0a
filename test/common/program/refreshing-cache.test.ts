import { expect } from 'chai'
import { RefreshingCache } from '../../../common/program/refreshing-cache.ts'
import { turn, VirtualTime } from '../../virtual-time.ts'

type Values = Record<string, readonly string[] | undefined>

function aCache(values: Values = { shop: ['a'] }, watched: readonly string[] = [], keepsUnread = false) {
  const time = new VirtualTime()
  const asked: string[] = []
  const read = async (key: string) => {
    asked.push(key)
    return values[key]
  }
  const changes: string[] = []
  const changed = (key: string) => changes.push(key)
  const isWatched = (key: string) => watched.includes(key)
  return {
    time,
    asked,
    changes,
    values,
    cache: new RefreshingCache({ read, changed, timers: time, isWatched, keepsUnread }),
  }
}

describe('RefreshingCache', () => {
  it('reads a key once for all callers within a minute', async () => {
    const { time, asked, cache } = aCache()
    await Promise.all([cache.of('shop'), cache.of('shop')])
    await time.pass(59_999)
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop'])
  })

  it('N20: reads a key again for a caller who wants it newer, and tells the others that it has changed', async () => {
    const { time, asked, changes, values, cache } = aCache()
    await Promise.all([cache.of('shop'), cache.of('shop', 0)])
    expect(asked).to.deep.equal(['shop'])
    await time.pass(1_000)
    values.shop = ['a', 'b']
    expect(await cache.of('shop')).to.deep.equal(['a'])
    expect(await cache.of('shop', 0)).to.deep.equal(['a', 'b'])
    expect([asked, changes]).to.deep.equal([['shop', 'shop'], ['shop']])
    await time.pass(59_999)
    expect(await cache.of('shop')).to.deep.equal(['a', 'b'])
    expect(asked).to.have.length(2)
    cache.stop()
  })

  it('reads a key again at the first call after a minute, and not before a call', async () => {
    const { time, asked, cache } = aCache()
    await cache.of('shop')
    await time.pass(600_000)
    expect(asked).to.deep.equal(['shop'])
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop', 'shop'])
  })

  it('reads a value once more after several callers got it, and reports that it has changed', async () => {
    const { time, asked, values, changes, cache } = aCache()
    await cache.of('shop')
    values.shop = ['b']
    expect(await cache.of('shop')).to.deep.equal(['a'])
    await time.pass(60_000)
    expect(changes).to.deep.equal(['shop'])
    expect(await cache.of('shop')).to.deep.equal(['b'])
    await time.pass(600_000)
    expect([asked.length, changes.length, cache.size, time.pending]).to.deep.equal([3, 1, 0, 0])
  })

  it('reports no change where an equal value is read', async () => {
    const { time, asked, values, changes, cache } = aCache()
    await Promise.all([cache.of('shop'), cache.of('shop')])
    values.shop = ['a']
    await time.pass(60_000)
    expect([asked.length, changes]).to.deep.equal([2, []])
  })

  it('reads a watched key every minute until it is no longer watched', async () => {
    const watched = ['shop']
    const { time, asked, values, changes, cache } = aCache({ shop: ['a'] }, watched)
    await cache.of('shop')
    await time.pass(600_000)
    expect([asked.length, changes]).to.deep.equal([11, []])
    values.shop = ['b']
    await time.pass(60_000)
    expect(changes).to.deep.equal(['shop'])
    watched.pop()
    await time.pass(120_000)
    expect([asked.length, cache.size, time.pending]).to.deep.equal([12, 0, 0])
  })

  it('does not keep that a value could not be read', async () => {
    const { asked, cache, time } = aCache({})
    expect(await cache.of('shop')).to.equal(undefined)
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop', 'shop'])
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
  })

  it('keeps it for a minute if that is wanted, and then reads nothing before a caller asks', async () => {
    const { asked, cache, time, values } = aCache({}, ['shop'], true)
    for (let calls = 0; calls < 5; calls += 1) expect(await cache.of('shop')).to.equal(undefined)
    await time.pass(59_999)
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop'])
    await time.pass(600_000)
    expect([asked.length, cache.size, time.pending]).to.deep.equal([1, 0, 0])
    values.shop = ['a']
    expect(await cache.of('shop')).to.deep.equal(['a'])
    cache.stop()
  })

  it('gives what a reading throws to its callers, and does not keep it', async () => {
    const time = new VirtualTime()
    const failure = new Error('throttled')
    const readings: Promise<string>[] = [Promise.reject(failure), Promise.resolve('a')]
    const read = () => readings.shift() ?? Promise.resolve('b')
    const cache = new RefreshingCache({ read, changed: () => undefined, timers: time })
    const callers = [cache.of('shop'), cache.of('shop')].map((found) => found.catch((thrown: unknown) => thrown))
    expect(await Promise.all(callers)).to.deep.equal([failure, failure])
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
    expect(await cache.of('shop')).to.equal('a')
    cache.stop()
  })

  it('reports a change when a value that several callers got cannot be read again', async () => {
    const time = new VirtualTime()
    const changes: string[] = []
    let reads = 0
    const read = async () => {
      reads += 1
      if (reads > 1) throw new Error('throttled')
      return 'a'
    }
    const cache = new RefreshingCache({ read, changed: (key) => changes.push(key), timers: time })
    await Promise.all([cache.of('shop'), cache.of('shop')])
    await time.pass(60_000)
    expect([reads, changes, cache.size, time.pending]).to.deep.equal([2, ['shop'], 0, 0])
  })

  it('shares a new reading where the former one takes longer than a minute', async () => {
    const time = new VirtualTime()
    const readings: PromiseWithResolvers<string>[] = []
    const changes: string[] = []
    const read = () => {
      const reading = Promise.withResolvers<string>()
      readings.push(reading)
      return reading.promise
    }
    const cache = new RefreshingCache({ read, changed: (key) => changes.push(key), timers: time })
    const former = [cache.of('shop'), cache.of('shop')]
    await time.pass(60_000)
    const later = cache.of('shop')
    readings[0]?.resolve('a')
    readings[1]?.resolve('b')
    await turn()
    expect([await Promise.all(former), await later]).to.deep.equal([['a', 'a'], 'b'])
    expect([readings.length, changes, time.pending]).to.deep.equal([2, ['shop'], 1])
    cache.stop()
  })

  it('is empty a minute after the last call, and after it was stopped', async () => {
    const { time, cache } = aCache({ shop: ['a'], stall: ['a'] })
    await cache.of('shop')
    await time.pass(60_000)
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
    await cache.of('stall')
    cache.stop()
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
  })
})
