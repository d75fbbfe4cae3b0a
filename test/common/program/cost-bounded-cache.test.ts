import { expect } from 'chai'
import { CostBoundedCache } from '../../../common/program/cost-bounded-cache.ts'
import { VirtualTime } from '../../virtual-time.ts'

/** A cache of lists that grow by one item with each reading, each kept for a second per item over two. */
function world() {
  const time = new VirtualTime()
  let readings = 0
  const cache = new CostBoundedCache<readonly number[]>(time, ({ length }) => (length > 2 ? length * 1_000 : 0))
  const of = (key = 'shop') =>
    cache.of(key, async () => {
      readings += 1
      return Array.from({ length: readings }, (_, index) => index)
    })
  return {
    time,
    cache,
    of,
    sizes: async (...keys: string[]) => (await Promise.all(keys.map(of))).map((of) => of.length),
  }
}

describe('BriefCache', () => {
  it('keeps nothing that was read quickly', async () => {
    const { of, cache } = world()
    expect((await of()).length).to.equal(1)
    expect((await of()).length).to.equal(2)
    expect(cache.size).to.equal(0)
  })

  it('keeps the rest for the time that belongs to the value', async () => {
    const { of, time, cache } = world()
    for (let reading = 0; reading < 3; reading += 1) await of()
    await time.pass(2_999)
    expect((await of()).length).to.equal(3)
    await time.pass(1)
    expect((await of()).length).to.equal(4)
    await time.pass(4_000)
    await of('other')
    expect(cache.size).to.equal(1)
    expect(time.pending).to.equal(0)
  })

  it('keeps each key on its own', async () => {
    const { sizes } = world()
    expect(await sizes('a', 'b', 'c', 'd')).to.deep.equal([1, 2, 3, 4])
    expect(await sizes('a', 'c', 'd')).to.deep.equal([5, 3, 4])
  })

  it('lets those who come during a reading share the next one', async () => {
    const { sizes } = world()
    expect(await sizes('a', 'a', 'a')).to.deep.equal([1, 2, 2])
  })

  it('keeps nothing of a reading that failed', async () => {
    const { cache, of } = world()
    const failing = () => cache.of('shop', () => Promise.reject(new Error('no answer')))
    expect(await failing().catch(({ message }) => message)).to.equal('no answer')
    expect((await of()).length).to.equal(1)
  })
})
