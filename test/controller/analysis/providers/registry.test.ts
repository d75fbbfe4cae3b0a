import { expect } from 'chai'
import { PROVIDER_TYPES } from '../../../../common/analysis/kinds/provider.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { PROVIDER_ADAPTERS } from '../../../../controller/analysis/providers/registry.ts'
import { aWindowQuery } from '../../../common/analysis/query/queries.ts'
import { answering, aProvider } from './sending.ts'

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
