import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { SourceSeen } from '../../controller/reconcile/observe.ts'
import { SourceCache } from '../../controller/sources.ts'
import { aDeployment } from '../builders.ts'

function counting({ maxCharacters = 10_000, isComplete = true } = {}) {
  const asked: string[] = []
  const cache = new SourceCache({
    fetch: async (known: KubeObject): Promise<SourceSeen | undefined> => {
      asked.push(known.metadata.name)
      return known.metadata.name === 'gone' ? undefined : { source: known, referents: [] }
    },
    pulse: ({ metadata }) => `${metadata.generation}`,
    isComplete: () => isComplete,
    maxCharacters,
  })
  return { cache, asked }
}

const source = (name: string, generation = 1) => aDeployment({ name, metadata: { uid: name, generation } })

describe('the cache of sources', () => {
  it('asks once for what many want at once, and again for another generation', async () => {
    const { cache, asked } = counting()
    await Promise.all([cache.get(source('a')), cache.get(source('a')), cache.get(source('a'))])
    await cache.get(source('a'))
    expect(asked).to.deep.equal(['a'])
    await cache.get(source('a', 2))
    expect(asked).to.deep.equal(['a', 'a'])
  })

  it('lets the one go that was used longest ago', async () => {
    const size = JSON.stringify({ source: source('a'), referents: [] }).length
    const { cache, asked } = counting({ maxCharacters: 2 * size + 10 })
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(source(name))
    expect(asked).to.deep.equal(['a', 'b', 'c', 'b'])
  })

  it('keeps nothing of what is not there, or not all there', async () => {
    const { cache, asked } = counting()
    expect(await cache.get(source('gone'))).to.equal(undefined)
    await cache.get(source('gone'))
    const partial = counting({ isComplete: false })
    await partial.cache.get(source('a'))
    await partial.cache.get(source('a'))
    expect([asked, partial.asked]).to.deep.equal([
      ['gone', 'gone'],
      ['a', 'a'],
    ])
  })
})
