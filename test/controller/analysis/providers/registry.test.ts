import { expect } from 'chai'
import fc from 'fast-check'
import { PROVIDER_TYPES } from '../../../../common/analysis/kinds/provider.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { PROVIDER_ADAPTERS } from '../../../../controller/analysis/providers/registry.ts'
import { aWindowQuery } from '../../../common/analysis/query/queries.ts'
import { LAW } from '../../../property.ts'
import { anyJson, countIn, HOSTILE_CASES, HOSTILE_VALUES, type HostileCase, replacedAt, SECRET } from './hostile.ts'
import { answering, aProvider, json } from './sending.ts'

describe('the registry of providers', () => {
  it('has every type', () => expect(Object.keys(PROVIDER_ADAPTERS)).to.have.members(PROVIDER_TYPES))

  it('has the adapter of each type', async () => {
    const metric: Partial<Metric> = {
      kind: 'Value',
      newRelic: { nrql: 'SELECT 1' },
      web: { path: '/stats', pointers: { value: '' } },
      plugin: {},
    }
    const asked = async (type: 'NewRelic' | 'Web' | 'Plugin') => {
      const { send, sent } = answering({ is: 'failed', message: '503' })
      const provider = aProvider({ type, newRelic: { accountId: 1 } })
      const answer = await PROVIDER_ADAPTERS[type].ask(aWindowQuery(metric), provider, send)
      expect(answer).to.deep.equal({ is: 'failed', message: '503' })
      return sent.map(({ method, path }) => `${method} ${path}`)
    }
    expect(await asked('NewRelic')).to.deep.equal(['POST /graphql'])
    expect(await asked('Web')).to.deep.equal(['GET /stats'])
    expect(await asked('Plugin')).to.deep.equal(['POST /'])
  })
})

async function answerTo({ type, metric, query }: HostileCase, reply: unknown): Promise<WindowAnswer> {
  const provider = aProvider({ type, newRelic: { accountId: 1 } })
  const answer = await PROVIDER_ADAPTERS[type]?.ask(aWindowQuery(metric, query), provider, answering(json(reply)).send)
  return answer ?? { is: 'failed', message: 'no adapter' }
}

/** The most characters of an answer as JSON: 20,000 samples with some digits. */
const LARGEST = 500_000

/** Whatever a provider says, an answer is small, has finite numbers, and gives nothing away. */
function expectHarmless(answer: WindowAnswer, { metric }: HostileCase): void {
  if (answer.is === 'failed') {
    expect(answer.message.length).to.be.within(1, 120)
    expect(answer.message)
      .to.match(/^[ -~]+$/)
      .and.not.include(SECRET)
  } else if (answer.is === 'silent') expect(answer.arms).to.have.length.within(1, 2)
  else {
    const { data } = answer
    const shown = JSON.stringify(data, (_, value) => {
      if (typeof value === 'number') expect(value).to.satisfy(Number.isFinite)
      return value
    })
    expect(shown.length).to.be.below(LARGEST)
    if (metric.kind !== 'Decision') expect(shown).not.to.include(SECRET)
  }
  expect(Object.keys(Object.prototype)).to.deep.equal([])
}

const named = ({ type, metric: { kind } }: HostileCase, at: number) => `${type} ${kind} (case ${at})`

describe('an answer of a provider', () => {
  for (const [at, each] of HOSTILE_CASES.entries()) {
    it(`is read where it is sound: ${named(each, at)}`, async () =>
      expect((await answerTo(each, each.sound)).is).to.equal('data'))

    it(`does no harm, whatever it is: ${named(each, at)}`, () =>
      fc.assert(
        fc.asyncProperty(anyJson, async (reply) => expectHarmless(await answerTo(each, reply), each)),
        LAW,
      ))

    it(`does no harm where any part of it is another: ${named(each, at)}`, () =>
      fc.assert(
        fc.asyncProperty(fc.nat({ max: countIn(each.sound) - 1 }), anyJson, async (index, value) =>
          expectHarmless(await answerTo(each, replacedAt(each.sound, index, value)), each),
        ),
        LAW,
      ))

    for (const [name, value] of HOSTILE_VALUES)
      it(`does no harm with ${name} anywhere: ${named(each, at)}`, async () => {
        for (let index = 0; index < countIn(each.sound); index += 1)
          expectHarmless(await answerTo(each, replacedAt(each.sound, index, value)), each)
      })
  }

  it('is not used where its numbers are too large to be counts', async () => {
    for (const each of HOSTILE_CASES.filter(({ metric: { kind } }) => kind === 'ErrorRate'))
      for (let index = 0; index < countIn(each.sound); index += 1)
        expect((await answerTo(each, replacedAt(each.sound, index, 1.7e308))).is).not.to.equal('data')
  })
})
