import { createServer } from 'node:http'
import { expect } from 'chai'
import { at } from '../../common/api/object.ts'
import { closed, listening } from '../../common/listen.ts'
import { jsonLog } from '../../common/log.ts'
import { admissionApp, type Deciding } from '../../webhook/server.ts'
import { aReview } from './reviews.ts'

const lines: string[] = []
const log = jsonLog({ destination: { write: (line) => lines.push(line) }, level: 'debug' })

type Ask = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>

/** Serves the app on a free port while `story` runs. */
async function serving(validate: Deciding['validate'], story: (ask: Ask) => Promise<void>): Promise<void> {
  const server = createServer(admissionApp({ validate, log }))
  const port = await listening(server, 0, '127.0.0.1')
  const ask: Ask = (path, body, headers = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  try {
    await story(ask)
  } finally {
    await closed(server)
  }
}

const allow: Deciding['validate'] = async () => ({ is: 'admitted', warnings: ['[Plan] x'] })

describe('the admission app', () => {
  it('echoes the uid of every review', () =>
    serving(allow, async (ask) => {
      for (const path of ['/mutate', '/validate'])
        expect(at(await (await ask(path, aReview())).json(), 'response', 'uid')).to.equal('uid-of-review')
    }))

  it('passes on warnings', () =>
    serving(allow, async (ask) => {
      expect(at(await (await ask('/validate', aReview())).json(), 'response')).to.deep.equal({
        uid: 'uid-of-review',
        allowed: true,
        warnings: ['[Plan] x'],
      })
    }))

  it('answers a bug of ours with a denial, and keeps the stack to its log', () =>
    serving(
      async () => {
        throw new TypeError('of mine')
      },
      async (ask) => {
        const response = await ask('/validate', aReview())
        expect(response.status).to.equal(200)
        expect(at(await response.json(), 'response', 'status')).to.deep.equal({
          code: 500,
          reason: 'InternalError',
          message: 'internal error, reference uid-of-review',
        })
        expect(lines.at(-1)).to.include('of mine').and.include('"level":"error"')
      },
    ))

  it('never denies on /mutate', () =>
    serving(allow, async (ask) => {
      const response = await ask('/mutate', aReview({ object: { spec: 'nonsense' } }))
      expect(at(await response.json(), 'response')).to.deep.equal({ uid: 'uid-of-review', allowed: true })
    }))

  it('lets a Pod be, and does not know what is to come', () =>
    serving(allow, async (ask) => {
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
        message: 'version v9 is not known here',
      })
    }))

  it('refuses a body with too much structure unparsed, by the uid it can see', () =>
    serving(allow, async (ask) => {
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
    'what is no review is 400': [400, { kind: 'Pod' }],
    'text is 415': [415, 'hello', { 'content-type': 'text/plain' }],
    'a compressed body is 415': [415, 'x', { 'content-encoding': 'gzip' }],
    'more than 7 MiB is 413': [413, JSON.stringify('x'.repeat(8 * 1024 * 1024))],
  }
  for (const [sentence, [status, body, headers]] of Object.entries(statuses))
    it(sentence, () =>
      serving(allow, async (ask) => {
        expect((await ask('/validate', body, headers)).status).to.equal(status)
      }),
    )

  it('serves nothing else, and does not say by what it is made', () =>
    serving(allow, async (ask) => {
      const response = await ask('/metrics', {})
      expect(response.status).to.equal(404)
      expect(response.headers.has('x-powered-by')).to.equal(false)
      expect(response.headers.has('etag')).to.equal(false)
    }))
})
