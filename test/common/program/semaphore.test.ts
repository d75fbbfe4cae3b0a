import { expect } from 'chai'
import { Semaphore } from '../../../common/program/semaphore.ts'
import { turn } from '../../virtual-time.ts'

/** Work that records its beginning and lasts until `end` is called. */
function works(semaphore: Semaphore) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (name: string, signal?: AbortSignal) =>
    semaphore.run(async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      return name
    }, signal)
  return { begun, begin, end: (name: string) => ends.get(name)?.() }
}

describe('Semaphore', () => {
  it('runs as many at once as it allows, and the others in their order', async () => {
    const semaphore = new Semaphore(2)
    const { begun, begin, end } = works(semaphore)
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => begin(name)))
    await turn()
    expect(begun).to.deep.equal(['a', 'b'])
    end('b')
    await turn()
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    expect(semaphore.waiting).to.equal(1)
    for (const name of ['a', 'c']) end(name)
    await turn()
    end('d')
    expect(await all).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('skips a caller that stopped waiting, and runs the next one', async () => {
    const { begun, begin, end } = works(new Semaphore(1))
    const impatience = new AbortController()
    const first = begin('a')
    const second = begin('b', impatience.signal).catch((error: Error) => error.message)
    const third = begin('c')
    impatience.abort(new Error('enough'))
    expect(await second).to.equal('enough')
    end('a')
    await first
    await turn()
    end('c')
    await third
    expect(begun).to.deep.equal(['a', 'c'])
  })

  it('gives a place to the next caller if its owner stops waiting in the same moment', async () => {
    const { begun, begin, end } = works(new Semaphore(1))
    const impatience = new AbortController()
    const first = begin('a')
    const second = begin('b', impatience.signal).catch((error: Error) => error.message)
    const third = begin('c')
    await turn()
    end('a')
    impatience.abort(new Error('enough'))
    expect(await Promise.all([first, second])).to.deep.equal(['a', 'enough'])
    await turn()
    end('c')
    expect(await third).to.equal('c')
    expect(begun).to.deep.equal(['a', 'c'])
  })

  it('frees the place of work that failed', async () => {
    const semaphore = new Semaphore(1)
    const failed = semaphore
      .run(() => Promise.reject(new Error('broken')), undefined)
      .catch((error: Error) => error.message)
    expect([await failed, await semaphore.run(async () => 'fine', undefined)]).to.deep.equal(['broken', 'fine'])
  })
})
