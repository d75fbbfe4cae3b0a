import { expect } from 'chai'
import { KubeError, type KubeErrorKind } from '../../common/kube/errors.ts'
import { neighboursIn } from '../../common/kube/neighbours.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../common/workload/neighbours.ts'
import { MinuteCache } from '../../controller/minute-cache.ts'
import { VirtualTime } from '../virtual-time.ts'

function aCache(answers: Record<string, Neighbours | undefined> = { shop: NO_NEIGHBOURS }, watched: string[] = []) {
  const time = new VirtualTime()
  const asked: string[] = []
  const list = async (namespace: string) => {
    asked.push(namespace)
    return answers[namespace]
  }
  const changes: string[] = []
  const changed = (namespace: string) => changes.push(namespace)
  return {
    time,
    asked,
    changes,
    answers,
    cache: new MinuteCache({ list, changed, timers: time, isWatched: (each) => watched.includes(each) }),
  }
}

describe('MinuteCache', () => {
  it('asks once for all who ask within a minute', async () => {
    const { time, asked, cache } = aCache()
    await Promise.all([cache.of('shop'), cache.of('shop')])
    await time.pass(59_999)
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop'])
  })

  it('asks anew at the first look after a minute, and not before one', async () => {
    const { time, asked, cache } = aCache()
    await cache.of('shop')
    await time.pass(600_000)
    expect(asked).to.deep.equal(['shop'])
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop', 'shop'])
  })

  it('looks once more for those who were given what others had read, and says if it was no longer so', async () => {
    const { time, asked, answers, changes, cache } = aCache()
    await cache.of('shop')
    answers.shop = { ...NO_NEIGHBOURS, budgets: [{ name: 'new', selector: {} }] }
    expect(await cache.of('shop')).to.deep.equal(NO_NEIGHBOURS)
    await time.pass(60_000)
    expect(changes).to.deep.equal(['shop'])
    expect(await cache.of('shop')).to.deep.equal(answers.shop)
    await time.pass(600_000)
    expect([asked.length, changes.length, cache.size, time.pending]).to.deep.equal([3, 1, 0, 0])
  })

  it('looks every minute where somebody cares though nobody looks, until nobody does', async () => {
    const watched = ['shop']
    const { time, asked, answers, changes, cache } = aCache({ shop: NO_NEIGHBOURS }, watched)
    await cache.of('shop')
    await time.pass(600_000)
    expect([asked.length, changes]).to.deep.equal([11, []])
    answers.shop = { ...NO_NEIGHBOURS, budgets: [{ name: 'new', selector: {} }] }
    await time.pass(60_000)
    expect(changes).to.deep.equal(['shop'])
    watched.pop()
    await time.pass(120_000)
    expect([asked.length, cache.size, time.pending]).to.deep.equal([12, 0, 0])
  })

  it('does not remember that nobody could tell', async () => {
    const { asked, cache, time } = aCache({})
    expect(await cache.of('shop')).to.equal(undefined)
    await cache.of('shop')
    expect(asked).to.deep.equal(['shop', 'shop'])
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
  })

  it('is empty a minute after the last look, and once it is stopped', async () => {
    const { time, cache } = aCache({ shop: NO_NEIGHBOURS, stall: NO_NEIGHBOURS })
    await cache.of('shop')
    await time.pass(60_000)
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
    await cache.of('stall')
    cache.stop()
    expect([cache.size, time.pending]).to.deep.equal([0, 0])
  })
})

describe('neighboursIn', () => {
  const api = (failure: KubeErrorKind | undefined) => ({
    request: async ({ path }: { readonly path: string }) => {
      if (failure && path.includes('horizontal')) throw new KubeError({ kind: failure, message: 'no' })
      const spec = {
        scaleTargetRef: { kind: 'Deployment', name: 'cart' },
        maxReplicas: 3,
        selector: {},
        podSelector: {},
      }
      return { items: [{ metadata: { name: 'cart' }, spec }, 'junk'] }
    },
  })
  const autoscaler = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3 }
  const others = { budgets: [{ name: 'cart', selector: {} }], networkPolicies: [{ name: 'cart', selector: {} }] }
  const cases: Record<string, readonly [KubeErrorKind | undefined, Neighbours | undefined]> = {
    'reads all three': [undefined, { autoscalers: [autoscaler], ...others }],
    'does without what it may not read': ['forbidden', { autoscalers: [], ...others }],
    'does without a kind that is not there': ['kindAbsent', { autoscalers: [], ...others }],
    'knows nothing while the API server cannot tell': ['unreachable', undefined],
  }
  for (const [sentence, [failure, expected]] of Object.entries(cases))
    it(sentence, async () => expect(await neighboursIn(api(failure), 'shop', 1_000)).to.deep.equal(expected))
})
