import { expect } from 'chai'
import { Gate } from '../../webhook/gate.ts'
import { turn } from '../virtual-time.ts'

/** Work that says when it begins and lasts until it is told to end. */
function works(gate: Gate) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (name: string, signal?: AbortSignal) =>
    gate.pass(async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      return name
    }, signal)
  return { begun, begin, end: (name: string) => ends.get(name)?.() }
}

describe('a gate', () => {
  it('lets so many in at once, and the others in their order', async () => {
    const { begun, begin, end } = works(new Gate(2))
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => begin(name)))
    await turn()
    expect(begun).to.deep.equal(['a', 'b'])
    end('b')
    await turn()
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    for (const name of ['a', 'c']) end(name)
    await turn()
    end('d')
    expect(await all).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('forgets who gives up waiting, and lets in who came behind', async () => {
    const { begun, begin, end } = works(new Gate(1))
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

  it('passes a place on that came to somebody just as she gave up', async () => {
    const { begun, begin, end } = works(new Gate(1))
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

  it('is open again after work that failed', async () => {
    const gate = new Gate(1)
    const failed = gate
      .pass(() => Promise.reject(new Error('broken')), undefined)
      .catch((error: Error) => error.message)
    expect([await failed, await gate.pass(async () => 'fine', undefined)]).to.deep.equal(['broken', 'fine'])
  })
})
