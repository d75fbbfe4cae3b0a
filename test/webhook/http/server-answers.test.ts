import { createServer } from 'node:http'
import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { Metrics } from '../../../common/program/metrics.ts'
import { inFlight } from '../../../webhook/http/in-flight.ts'
import { reviewMetrics } from '../../../webhook/http/metrics.ts'
import { RequestError } from '../../../webhook/http/request-error.ts'
import { type AdmissionHandlers, admissionApp } from '../../../webhook/http/server.ts'
import { diaryLog } from '../../virtual-time.ts'
import { allow, defaults } from '../asking.ts'
import { aReview } from '../reviews.ts'

interface Served {
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>
  readonly url: string
  readonly log: ReturnType<typeof diaryLog>
  readonly metrics: Metrics
}

/** Serves these handlers while `story` runs. */
async function serving(deciding: Partial<AdmissionHandlers>, story: (served: Served) => Promise<void>): Promise<void> {
  const [log, metrics, flight] = [diaryLog(), new Metrics(), inFlight()]
  const counters = reviewMetrics(metrics, flight)
  const app = admissionApp({ mutate: defaults, validate: allow, log, flight, metrics: counters, ...deciding })
  const server = createServer(app)
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const post: Served['post'] = (path, body, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  try {
    await story({ post, url, log, metrics })
  } finally {
    await close(server)
  }
}

const responseOf = async (answer: Promise<Response>): Promise<unknown> => at(await (await answer).json(), 'response')
const bug = async () => {
  throw new TypeError('of mine')
}

describe('the answer to the API server', () => {
  it('is decided within the timeout of the request', async () => {
    const limits: [string, number][] = []
    const mutate: AdmissionHandlers['mutate'] = async (_request, limitMs) => {
      limits.push(['mutate', limitMs])
      return { allowed: true }
    }
    const validate: AdmissionHandlers['validate'] = async (request, limitMs) => {
      limits.push(['validate', limitMs])
      return allow(request, limitMs)
    }
    await serving({ mutate, validate }, async ({ post }) => {
      await post('/mutate?timeout=2s', aReview())
      await post('/validate?timeout=3s', aReview())
    })
    expect(limits).to.deep.equal([
      ['mutate', 1_500],
      ['validate', 2_500],
    ])
  })

  it('is a patch from /mutate', () =>
    serving({}, async ({ post }) => {
      expect(await responseOf(post('/mutate', aReview()))).to.include({ allowed: true, patchType: 'JSONPatch' })
    }))

  it('is no denial from /mutate even after a bug, which is logged and counted', () =>
    serving({ mutate: bug }, async ({ post, log, metrics }) => {
      expect(await responseOf(post('/mutate', aReview()))).to.deep.equal({ uid: 'uid-of-review', allowed: true })
      const [line] = log.lines
      expect(line?.text).to.equal('error review failed')
      expect(line?.facts).to.deep.include({
        uid: 'uid-of-review',
        namespace: 'shop',
        operation: 'CREATE',
        path: 'mutate',
      })
      expect(await metrics.text()).to.include('experiment_webhook_internal_errors_total 1')
    }))

  it('is logged without any content of the object: an override may be secret', () =>
    serving({}, async ({ post, log }) => {
      await post('/validate', aReview())
      expect(log.lines).to.deep.equal([
        {
          text: 'info reviewed',
          facts: { uid: 'uid-of-review', namespace: 'shop', operation: 'CREATE', path: 'validate', allowed: true },
        },
      ])
    }))

  it('is measured for each path separately', () =>
    serving({}, async ({ post, metrics }) => {
      await post('/validate', aReview())
      await post('/validate', aReview())
      await post('/mutate', aReview())
      const text = await metrics.text()
      expect(text).to.include('experiment_webhook_review_seconds_count{path="validate"} 2')
      expect(text).to.include('experiment_webhook_review_seconds_count{path="mutate"} 1')
    }))

  it('contains at most 60 characters of an unknown version', () =>
    serving({}, async ({ post }) => {
      const { resource } = aReview().request
      const review = aReview({ resource: { ...resource, version: 'v'.repeat(99) } })
      expect(at(await responseOf(post('/validate', review)), 'status', 'message')).to.equal(
        `version ${'v'.repeat(60)} is not supported by this webhook`,
      )
    }))

  it('is the same for a large body', () =>
    serving({}, async ({ post }) => {
      const annotations = { much: 'x'.repeat(300 * 1024) }
      const review = aReview({ object: { metadata: { annotations }, spec: {} } })
      expect(at(await responseOf(post('/validate', review)), 'allowed')).to.equal(true)
    }))

  it('is 404 for other methods and paths', () =>
    serving({}, async ({ url, post }) => {
      for (const answer of [
        await fetch(`${url}/validate`, { headers: { connection: 'close' } }),
        await post('/', {}),
      ]) {
        expect(answer.status).to.equal(404)
        expect(await answer.text()).to.equal('not found; this server has POST /mutate and POST /validate\n')
      }
    }))

  const unread: Record<string, readonly [string, Readonly<Record<string, string>>, number, string]> = {
    'an empty body': ['', {}, 400, 'the body is not JSON\n'],
    'a body that is not JSON': ['{"a":', {}, 400, 'the body is not JSON\n'],
    'a body that is no review': ['{}', {}, 400, 'expected an AdmissionReview of admission.k8s.io/v1\n'],
    text: ['x', { 'content-type': 'text/plain' }, 415, 'expected Content-Type: application/json\n'],
    'a compressed body': [
      'x',
      { 'content-encoding': 'gzip' },
      415,
      'the Content-Encoding is not supported; send the body uncompressed\n',
    ],
    'a body that is too large': [`"${'x'.repeat(8 * 1024 * 1024)}"`, {}, 413, 'the body is too large\n'],
  }
  for (const [words, [body, headers, status, message]] of Object.entries(unread))
    it(`is plain text for ${words}, where there is no review to answer`, () =>
      serving({}, async ({ post }) => {
        const answer = await post('/validate', body, headers)
        expect([answer.status, await answer.text()]).to.deep.equal([status, message])
        expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
      }))

  it('is 413 for a body over 7 MiB, into which two objects of 3 MiB fit', () =>
    serving({}, async ({ post }) => {
      const textOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
      expect((await post('/validate', textOf(7 * 1024 * 1024))).status).to.equal(400) // read, and found to be no review
      expect((await post('/validate', textOf(7 * 1024 * 1024 + 1))).status).to.equal(413)
    }))

  it('is the rejection of the guard, before the body is read', async () => {
    let decided = 0
    const validate: AdmissionHandlers['validate'] = (...review) => {
      decided += 1
      return allow(...review)
    }
    const guard = () => {
      throw new RequestError('not you', { status: 403, reason: 'caller' })
    }
    await serving({ validate, guards: [guard] }, async ({ post, metrics }) => {
      expect((await post('/validate', aReview())).status).to.equal(403)
      expect(await metrics.text()).to.include('experiment_webhook_refused_total{why="caller"} 1')
    })
    expect(decided).to.equal(0)
  })

  it('is 500 after a bug before the review, which is logged and counted', () =>
    serving(
      {
        guards: [
          () => {
            throw new TypeError('of mine')
          },
        ],
      },
      async ({ post, log, metrics }) => {
        const answer = await post('/validate', aReview())
        expect([answer.status, await answer.text()]).to.deep.equal([500, 'internal error\n'])
        expect(log.lines.map(({ text }) => text)).to.deep.equal(['error request failed'])
        expect(await metrics.text()).to.include('experiment_webhook_internal_errors_total 1')
      },
    ))
})
