import { expect } from 'chai'
import { PLUGIN } from '../../../../controller/analysis/providers/plugin.ts'
import { aWindowQuery } from '../../../common/analysis/query/queries.ts'
import { answering, aProvider, json } from './sending.ts'

const PROVIDER = aProvider({ type: 'Plugin' })

describe('a plugin', () => {
  it('is asked once, and decides', async () => {
    const { send, sent } = answering(json({ decision: 'Fail', message: 'p99 is up' }))
    const query = aWindowQuery({ kind: 'Decision', plugin: { args: { a: 'b' } } })
    expect(await PLUGIN.ask(query, PROVIDER, send)).to.deep.equal({
      is: 'data',
      data: { is: 'decision', decision: 'Fail', message: 'p99 is up' },
    })
    expect(sent.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['POST /'])
    expect(sent[0]?.body?.text).to.include('"args":{"a":"b"}')
  })

  it('may give data instead', async () => {
    const { send } = answering(json({ treatment: { samples: [0.2] }, control: { samples: [0.1] } }))
    expect(await PLUGIN.ask(aWindowQuery({ plugin: {} }), PROVIDER, send)).to.deep.equal({
      is: 'data',
      data: { is: 'samples', treatment: [{ values: [0.2] }], control: [{ values: [0.1] }] },
    })
  })

  it('may fail', async () => {
    const { send } = answering({ is: 'failed', message: '500' })
    expect(await PLUGIN.ask(aWindowQuery({ plugin: {} }), PROVIDER, send)).to.deep.equal({
      is: 'failed',
      message: '500',
    })
  })

  it('is not asked without a query', async () => {
    const { send, sent } = answering(json({}))
    expect(await PLUGIN.ask(aWindowQuery({ kind: 'Decision' }), PROVIDER, send)).to.deep.equal({
      is: 'failed',
      message: 'the metric has no plugin query',
    })
    expect(sent).to.deep.equal([])
  })
})
