import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { timeoutMs } from '../../../webhook/http/server.ts'
import { allow, serving } from '../asking.ts'
import { aReview } from '../reviews.ts'

describe('admissionApp', () => {
  it('returns the uid of every review', () =>
    serving(allow, async ({ ask }) => {
      for (const path of ['/mutate', '/validate'])
        expect(at(await (await ask(path, aReview())).json(), 'response', 'uid')).to.equal('uid-of-review')
    }))

  it('returns warnings', () =>
    serving(allow, async ({ ask }) => {
      expect(at(await (await ask('/validate', aReview())).json(), 'response')).to.deep.equal({
        uid: 'uid-of-review',
        allowed: true,
        warnings: ['[Plan] x'],
      })
    }))

  it('denies after a bug, and writes the stack only to the log', () =>
    serving(
      async () => {
        throw new TypeError('of mine')
      },
      async ({ ask, log }) => {
        const response = await ask('/validate', aReview())
        expect(response.status).to.equal(200)
        expect(at(await response.json(), 'response', 'status')).to.deep.equal({
          code: 500,
          reason: 'InternalError',
          message: 'internal error, reference uid-of-review',
        })
        expect(log.at(-1)).to.include('of mine').and.include('"level":"error"')
      },
    ))

  it('never denies on /mutate', () =>
    serving(allow, async ({ ask }) => {
      const { resource } = aReview().request
      for (const what of [{ object: { spec: 'nonsense' } }, { resource: { ...resource, version: 'v9' } }]) {
        const response = await ask('/mutate', aReview(what))
        expect(at(await response.json(), 'response')).to.deep.equal({ uid: 'uid-of-review', allowed: true })
      }
    }))

  it('allows other resources, and denies unknown versions of ours', () =>
    serving(allow, async ({ ask }) => {
      const response = async (resource: object) =>
        at(await (await ask('/validate', aReview({ resource }))).json(), 'response')
      expect(await response({ group: '', version: 'v1', resource: 'pods' })).to.deep.equal({
        uid: 'uid-of-review',
        allowed: true,
      })
      const { group, resource } = aReview().request.resource
      expect(at(await response({ group, resource, version: 'v9' }), 'status')).to.deep.equal({
        code: 400,
        reason: 'BadRequest',
        message: 'version v9 is not supported by this webhook',
      })
    }))

  it('denies a body with too much structure by its uid, without parsing it', () =>
    serving(allow, async ({ ask }) => {
      const monster = JSON.stringify(aReview({ object: { list: Array.from({ length: 100_000 }, () => 1) } }))
      const answer = await (await ask('/validate', monster)).json()
      expect(at(answer, 'response', 'uid')).to.equal('uid-of-review')
      expect(at(answer, 'response', 'status', 'code')).to.equal(413)
      expect((await ask('/validate', `[${monster}]`)).status).to.equal(413)
      expect(at(await (await ask('/mutate', monster)).json(), 'response', 'allowed')).to.equal(true)
    }))

  const statuses: Record<string, readonly [status: number, body: unknown, headers?: Record<string, string>]> = {
    'broken JSON is 400': [400, '{"a":'],
    'a scalar is 400': [400, '"a"'],
    'JSON that is no review is 400': [400, { kind: 'Pod' }],
    'text is 415': [415, 'hello', { 'content-type': 'text/plain' }],
    'a compressed body is 415': [415, 'x', { 'content-encoding': 'gzip' }],
    'more than 7 MiB is 413': [413, JSON.stringify('x'.repeat(8 * 1024 * 1024))],
  }
  for (const [sentence, [status, body, headers]] of Object.entries(statuses))
    it(sentence, () =>
      serving(allow, async ({ ask }) => {
        expect((await ask('/validate', body, headers)).status).to.equal(status)
      }),
    )

  it('has no other paths, and does not reveal its framework', () =>
    serving(allow, async ({ ask }) => {
      const response = await ask('/metrics', {})
      expect(response.status).to.equal(404)
      expect(response.headers.has('x-powered-by')).to.equal(false)
      expect(response.headers.has('etag')).to.equal(false)
    }))
})

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
