import { expect } from 'chai'
import type { ApiCall } from './api-call.ts'
import { among, around, between, freeze, Rules, sometimes } from './rules.ts'

const aCall = (of: Partial<ApiCall> = {}): ApiCall => ({
  method: 'PATCH',
  path: '/',
  query: new URLSearchParams(),
  resource: 'deployments',
  subresource: '',
  namespace: 'shop',
  name: 'cart',
  isWatch: false,
  isWrite: true,
  userAgent: '',
  ...of,
})
const aWatch = aCall({ method: 'GET', isWatch: true, isWrite: false, name: '' })
const anEvent = (type: string, name: string) =>
  JSON.stringify({ type, object: { metadata: { namespace: 'shop', name } } })

describe('rules of faults', () => {
  const fates = async (rules: Rules, calls: readonly ApiCall[]) =>
    Promise.all(calls.map((call) => rules.interference.onCall(call)))

  it('concern the calls that match, until they end', async () => {
    const rules = new Rules()
    const end = rules.add({ of: { resource: 'deployments', isWrite: true }, onCall: () => 'reset' })
    const calls = [aCall(), aCall({ resource: 'services' }), aCall({ isWrite: false })]
    expect(await fates(rules, calls)).to.deep.equal(['reset', undefined, undefined])
    end()
    expect(await fates(rules, calls)).to.deep.equal([undefined, undefined, undefined])
  })

  it('count only what matches', async () => {
    const rules = new Rules()
    rules.add({ of: { name: 'cart' }, when: between(2, 3), onCall: () => 'hang' })
    const calls = [aCall(), aCall({ name: 'other' }), aCall(), aCall(), aCall()]
    expect(await fates(rules, calls)).to.deep.equal([undefined, undefined, 'hang', 'hang', undefined])
  })

  it('are asked in their order, and each counts what the one before decides', async () => {
    const rules = new Rules()
    rules.add({ of: {}, when: between(1, 1), onCall: () => 'hang' })
    rules.add({ of: {}, when: between(1, 2), onCall: () => 'reset' })
    expect(await fates(rules, [aCall(), aCall(), aCall()])).to.deep.equal(['hang', 'reset', undefined])
  })

  it('hit the same part of the calls for the same seed', () => {
    const hits = (seed: number) => Array.from({ length: 100 }, sometimes(30, seed).bind(undefined, aCall()))
    expect(hits(7)).to.deep.equal(hits(7)).and.not.to.deep.equal(hits(8))
    expect(hits(7).filter(Boolean).length).to.be.within(20, 40)
  })

  it('count only the calls among which they pick', () => {
    const when = among(({ name }) => name === 'cart', between(2, 2))
    const calls = [aCall(), aCall({ name: 'other' }), aCall(), aCall()]
    expect(calls.map(when)).to.deep.equal([false, false, true, false])
  })

  it('begin or end with an event on a key', async () => {
    const rules = new Rules()
    const gone = around({ resource: 'deployments' }, { type: 'DELETED', key: 'shop/cart' })
    rules.add(gone.rule)
    rules.add({ of: { isWrite: true }, when: gone.after, onCall: () => 'reset' })
    rules.add({ of: { isWrite: true }, when: gone.before, onCall: () => 'hang' })
    await rules.interference.onLine(aWatch, anEvent('DELETED', 'other'))
    expect(await fates(rules, [aCall()])).to.deep.equal(['hang'])
    expect(await rules.interference.onLine(aWatch, anEvent('DELETED', 'cart'))).to.equal(undefined)
    expect(await fates(rules, [aCall()])).to.deep.equal(['reset'])
  })

  it('keep back lines until they are released', async () => {
    const rules = new Rules()
    const { rule, holds, release } = freeze({ resource: 'deployments' })
    rules.add(rule)
    let hasPassed = false
    const passing = Promise.resolve(rules.interference.onLine(aWatch, anEvent('ADDED', 'cart'))).then((line) => {
      hasPassed = true
      return line
    })
    await holds
    expect(hasPassed).to.equal(false)
    release()
    expect(await passing).to.equal(undefined)
  })
})
