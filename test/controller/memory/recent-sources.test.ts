import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Source } from '../../../common/workload/kind.ts'
import { RecentSources } from '../../../controller/memory/recent-sources.ts'
import { aDeployment } from '../../builders.ts'

function counting({ maxBytes = 30_000, isComplete = true } = {}) {
  const reads: string[] = []
  const cache = new RecentSources({
    fetch: async (_kind, watched: KubeObject): Promise<Source | undefined> => {
      reads.push(watched.metadata.name)
      return watched.metadata.name === 'gone' ? undefined : { object: watched, referents: [] }
    },
    fingerprint: (_kind, { object }) => `${object.metadata.generation}`,
    isComplete: () => isComplete,
    maxBytes,
  })
  const get = (watched: Source) => cache.get(deployment, watched)
  const read = ({ object }: Source) => cache.read(deployment, object)
  return { cache: { get, read }, reads }
}

const source = (name: string, generation = 1): Source => ({
  object: aDeployment({ name, metadata: { uid: name, generation } }),
  referents: [],
})

describe('the recent sources', () => {
  it('reads a source once for many callers, and again for another generation', async () => {
    const { cache, reads } = counting()
    await Promise.all([cache.get(source('a')), cache.get(source('a')), cache.get(source('a'))])
    await cache.get(source('a'))
    expect(reads).to.deep.equal(['a'])
    await cache.get(source('a', 2))
    expect(reads).to.deep.equal(['a', 'a'])
  })

  it('reads the present state of a source that it has, and keeps that', async () => {
    const { cache, reads } = counting()
    await cache.get(source('a'))
    expect((await cache.read(source('a', 2)))?.object.metadata.generation).to.equal(2)
    await cache.get(source('a', 2))
    expect(reads).to.deep.equal(['a', 'a'])
  })

  it('returns and keeps no managedFields, neither of the source nor of what it refers to', async () => {
    const { cache } = counting()
    const { object } = source('a')
    const managed = { ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'kubectl' }] } }
    for (const found of [await cache.get({ object: managed, referents: [managed] }), await cache.get(source('a'))])
      expect(JSON.stringify(found)).to.contain('"uid":"a"').and.not.contain('managedFields')
  })

  it('drops the least recently used source', async () => {
    const size = 3 * JSON.stringify(source('a')).length
    const { cache, reads } = counting({ maxBytes: 2 * size + 10 })
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(source(name))
    expect(reads).to.deep.equal(['a', 'b', 'c', 'b'])
  })

  it('keeps only the last state of a source, which takes no place of others', async () => {
    const size = 3 * JSON.stringify(source('a')).length
    const { cache, reads } = counting({ maxBytes: 2 * size + 10 })
    await cache.get(source('b'))
    for (const generation of [1, 2, 3]) await cache.get(source('a', generation))
    await cache.get(source('b'))
    await cache.get(source('a', 3))
    expect(reads).to.deep.equal(['b', 'a', 'a', 'a'])
    await cache.get(source('a', 2)) // for example while a watch is late
    expect(reads).to.have.length(5)
  })

  it('keeps no source that does not exist or is incomplete', async () => {
    const { cache, reads } = counting()
    expect(await cache.get(source('gone'))).to.equal(undefined)
    await cache.get(source('gone'))
    const partial = counting({ isComplete: false })
    await partial.cache.get(source('a'))
    await partial.cache.get(source('a'))
    expect([reads, partial.reads]).to.deep.equal([
      ['gone', 'gone'],
      ['a', 'a'],
    ])
  })

  it('keeps no source that is too large or too deep, and keeps the others', async () => {
    const { cache, reads } = counting({ maxBytes: 9 * JSON.stringify(source('a')).length })
    const large = { ...source('large'), object: { ...source('large').object, spec: { text: 'x'.repeat(10_000) } } }
    let nested: JsonObject = {}
    for (let depth = 0; depth < 20_000; depth++) nested = { nested }
    const deep = { ...source('deep'), object: { ...source('deep').object, spec: nested } }
    await cache.get(source('a'))
    for (const each of [large, deep]) expect((await cache.get(each))?.object.spec).to.equal(each.object.spec)
    reads.length = 0
    for (const each of [source('a'), deep, large, source('a')]) await cache.get(each)
    expect(reads).to.deep.equal(['deep', 'large'])
  })
})
