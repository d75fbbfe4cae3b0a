import { expect } from 'chai'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { WEB } from '../../../../controller/analysis/providers/web.ts'
import { aWindowQuery } from '../../../common/analysis/query/queries.ts'
import { answering, aProvider, json } from './sending.ts'

const PROVIDER = aProvider({ type: 'Web' })
const RATE: Partial<Metric> = {
  kind: 'ErrorRate',
  web: { path: '/stats/{{arm}}', params: { pods: '{{pods}}' }, pointers: { events: '/bad', total: '/all' } },
}

describe('a web service', () => {
  it('is asked once for each arm', async () => {
    const { send, sent } = answering(json({ bad: 1, all: 20 }), json({ bad: 2, all: 90, more: {} }))
    expect(await WEB.ask(aWindowQuery(RATE), PROVIDER, send)).to.deep.equal({
      is: 'data',
      data: { is: 'events', treatment: [{ events: 1, exposure: 20 }], control: [{ events: 2, exposure: 90 }] },
    })
    expect(sent).to.deep.equal([
      { method: 'GET', path: '/stats/treatment', params: { pods: 'cart-fork-0' } },
      { method: 'GET', path: '/stats/control', params: { pods: 'cart-0,cart-1' } },
    ])
  })

  it('is asked only about the treatment for a Threshold', async () => {
    const { send, sent } = answering(json([{ value: 3 }]))
    const metric: Partial<Metric> = { kind: 'Threshold', web: { path: '/', pointers: { value: '/0/value' } } }
    expect(await WEB.ask(aWindowQuery(metric), PROVIDER, send)).to.deep.equal({
      is: 'data',
      data: { is: 'treatmentValue', treatment: 3 },
    })
    expect(sent).to.have.length(1)
  })

  it('may know nothing of an arm', async () => {
    const { send } = answering(json({ bad: 1, all: 20 }), json(null))
    expect(await WEB.ask(aWindowQuery(RATE), PROVIDER, send)).to.deep.equal({ is: 'silent', arms: ['control'] })
  })

  it('may fail for one arm, and then is not asked about the other', async () => {
    const failed = { is: 'failed', message: '503', retryAfterMs: 5_000 } as const
    const { send, sent } = answering(failed)
    expect(await WEB.ask(aWindowQuery(RATE), PROVIDER, send)).to.equal(failed)
    expect(sent).to.have.length(1)
  })

  it('tells nothing of what it answered wrongly', async () => {
    const { send } = answering(json({ bad: 'token-123', all: 20 }))
    expect(await WEB.ask(aWindowQuery(RATE), PROVIDER, send)).to.deep.equal({
      is: 'failed',
      message: 'events of the treatment: must be a whole number, not negative',
    })
  })

  it('is not asked where the path leads elsewhere, or where there is no query', async () => {
    const { send, sent } = answering(json({}))
    const elsewhere = { ...RATE, web: { path: '/a%2F..%2Fb', pointers: { value: '' } } }
    expect(await WEB.ask(aWindowQuery(elsewhere), PROVIDER, send)).to.deep.equal({
      is: 'failed',
      message: 'web.path: with what is filled in it leads elsewhere',
    })
    expect(await WEB.ask(aWindowQuery({ kind: 'Value' }), PROVIDER, send)).to.deep.equal({
      is: 'failed',
      message: 'the metric has no web query',
    })
    expect(sent).to.deep.equal([])
  })
})
