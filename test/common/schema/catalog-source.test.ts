import { expect } from 'chai'
import { schemaSource } from '../../../common/schema/catalog.ts'

describe('schemaSource', () => {
  it('requests the path of an address with its query, until it is aborted', async () => {
    const requests: unknown[] = []
    const request = async (asked: unknown) => {
      requests.push(asked)
      return { paths: {} }
    }
    const { signal } = new AbortController()
    const source = schemaSource({ request }, signal)
    expect(await source.get('/openapi/v3')).to.deep.equal({ paths: {} })
    await source.get('/openapi/v3/apis/apps/v1?hash=A%2FB')
    expect(requests).to.deep.equal([
      { verb: 'get', path: '/openapi/v3', query: {}, signal },
      { verb: 'get', path: '/openapi/v3/apis/apps/v1', query: { hash: 'A/B' }, signal },
    ])
  })
})
