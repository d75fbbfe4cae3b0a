import { expect } from 'chai'
import { timeoutMs } from '../../../webhook/http/server.ts'

describe('timeoutMs', () => {
  const cases: Record<string, number> = {
    '/validate?timeout=5s': 4_500,
    '/validate?timeout=2s': 1_500,
    '/mutate?a=b&timeout=1s&c=d': 500,
    '/validate?timeout=30s': 4_500,
    '/validate': 4_500,
    '/validate?timeout=0s': 500,
    '/validate?timeout=soon': 4_500,
  }
  for (const [url, expected] of Object.entries(cases))
    it(`is ${expected} ms for ${url}`, () => expect(timeoutMs(url)).to.equal(expected))
})
