import { createServer } from 'node:http'
import { expect } from 'chai'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { close, listen } from '../../../common/program/listen.ts'
import { type InFlight, inFlight } from '../../../webhook/http/in-flight.ts'
import { intake, uidWithoutParsing } from '../../../webhook/http/intake.ts'
import { RequestError } from '../../../webhook/http/request-error.ts'
import { turn } from '../../virtual-time.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const UID = '705ab4f5-6393'
/** The beginning of a review as the API server writes it. */
const HEAD = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${UID}"`

/** What becomes of a body: `{ body }` as parsed, or `{ status, reason, uid }` of its rejection. */
async function taken(
  body: string | undefined,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
  flight?: InFlight,
) {
  const app = express()
  app.post('/', ...intake(flight ?? inFlight()), (request, response) => void response.json({ body: request.body }))
  const refused: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const { status, reason, uid } = error instanceof RequestError ? error : {}
    response.json({ status, reason, ...(uid === undefined ? {} : { uid }) })
  }
  app.use(refused)
  const server = createServer(app)
  const port = await listen(server, 0, '127.0.0.1')
  try {
    const options = { method: 'POST', headers: { ...headers, connection: 'close' } }
    const answer = await fetch(`http://127.0.0.1:${port}/`, { ...options, ...(body === undefined ? {} : { body }) })
    return await answer.json()
  } finally {
    await close(server)
  }
}

describe('intake', () => {
  it('parses a body of JSON', async () => expect(await taken('{"a":["é"]}')).to.deep.equal({ body: { a: ['é'] } }))

  it('parses a body over 256 KiB, which lets other requests pass between its steps', async () => {
    const text = 'x'.repeat(300 * 1024)
    expect(await taken(JSON.stringify(text))).to.deep.equal({ body: text })
  })

  it('accepts a content type with a character set', async () => {
    expect(await taken('7', { 'content-type': 'application/json; charset=utf-8' })).to.deep.equal({ body: 7 })
  })

  const structure = `${HEAD},"object":[${'1,'.repeat(100_001)}1]}}`
  const rejected: Record<string, readonly [given: Parameters<typeof taken>, rejection: object]> = {
    'text by its content type': [['{}', { 'content-type': 'text/plain' }], { status: 415, reason: 'contentType' }],
    'a compressed body': [['{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }], { status: 415, reason: 'contentType' }],
    'a body over 7 MiB': [[`"${'x'.repeat(7 * 1024 * 1024)}"`], { status: 413, reason: 'size' }],
    'no body at all': [[''], { status: 400, reason: 'json' }],
    'what is not JSON': [['{"a":'], { status: 400, reason: 'json' }],
    'more than 100,000 keys and items, by the uid of the review': [
      [structure],
      { status: 413, reason: 'structure', uid: UID },
    ],
    'a body over the budget of bytes': [
      [HEAD, JSON_TYPE, inFlight({ maxBytes: HEAD.length - 1 })],
      { status: 503, reason: 'bytes' },
    ],
    'a review over the budget of reviews, by its uid': [
      [HEAD, JSON_TYPE, inFlight({ maxReviews: 0 })],
      { status: 429, reason: 'cap', uid: UID },
    ],
  }
  for (const [what, [given, rejection]] of Object.entries(rejected))
    it(`rejects ${what}`, async () => expect(await taken(...given)).to.deep.equal(rejection))

  it('takes no further step for a caller that has hung up', async () => {
    const app = express()
    const diary: string[] = []
    const hangUp: RequestHandler = (request, response, next) => {
      request.once('end', () => response.destroy())
      response.once('close', () => diary.push('closed'))
      next()
    }
    app.post('/', hangUp, ...intake(inFlight()), () => void diary.push('all steps taken'))
    const server = createServer(app)
    const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}/`
    const body = JSON.stringify('x'.repeat(300 * 1024))
    const answer = await fetch(url, { method: 'POST', headers: JSON_TYPE, body }).catch(() => undefined)
    await close(server)
    for (let step = 0; step < 8; step++) await turn()
    expect([answer, diary]).to.deep.equal([undefined, ['closed']])
  })

  it('frees what it has reserved, whether the body was accepted or rejected', async () => {
    const flight = inFlight()
    for (const body of ['{}', '{"a":', structure]) await taken(body, JSON_TYPE, flight)
    expect([flight.reviews.used, flight.bytes.used]).to.deep.equal([0, 0])
  })
})

describe('uidWithoutParsing', () => {
  const head = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"705ab4f5-6393","kind":{'
  it('reads the uid where the API server writes it', () => {
    expect(uidWithoutParsing(Buffer.from(head))).to.equal('705ab4f5-6393')
  })
  it('reads no uid at another place', () => {
    expect(uidWithoutParsing(Buffer.from(` ${head}`))).to.equal(undefined)
    expect(uidWithoutParsing(Buffer.from('{"a":"{\\"uid\\":\\"x\\"}"}'))).to.equal(undefined)
  })

  const headWith = (uid: string) =>
    `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}"`

  it('returns only the characters of a uid, none that could end a string', () => {
    expect(uidWithoutParsing(Buffer.from(headWith('705ab4f5-6393_A')))).to.equal('705ab4f5-6393_A')
    for (const uid of ['', 'a b', 'a\\"b', 'a'.repeat(65)])
      expect(uidWithoutParsing(Buffer.from(headWith(uid)))).to.equal(undefined)
  })

  it('reads the uid only at the beginning', () =>
    expect(uidWithoutParsing(Buffer.from(`${' '.repeat(300)}${headWith('a')}`))).to.equal(undefined))
})
