import { expect } from 'chai'
import { schemaSource } from '../../../common/schema/catalog.ts'

describe('schemaSource', () => {
  it('requests the path of an address with its query', async () => {
    const requests: unknown[] = []
    const request = async (asked: unknown) => {
      requests.push(asked)
      return { paths: {} }
    }
    const source = schemaSource({ request })
    expect(await source.get('/openapi/v3')).to.deep.equal({ paths: {} })
    await source.get('/openapi/v3/apis/apps/v1?hash=A%2FB')
    expect(requests).to.deep.equal([
      { verb: 'get', path: '/openapi/v3', query: {} },
      { verb: 'get', path: '/openapi/v3/apis/apps/v1', query: { hash: 'A/B' } },
    ])
  })
})
