import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { retryAfterMs } from '../../../../controller/analysis/http/reply.ts'
import { answering, serve, serveBytes } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'
import { failed, QUERY, World } from './serving.ts'

/** What must be in no reply. */
const SECRET = 'the body of an internal page'

describe('replyOf', () => {
  const world = new World()
  afterEach(() => world.close())
  const asked = async (...of: Parameters<typeof serve>) => {
    const { port } = await world.started(serve(...of))
    return world.client({ address: `http://127.0.0.1:${port}` }).send(QUERY)
  }
  const askedBytes = async (bytes: string) => {
    const { port } = await world.started(serveBytes((socket) => socket.once('data', () => socket.end(bytes))))
    return world.client({ address: `http://127.0.0.1:${port}` }).send(QUERY)
  }
  const status = (code: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    asked((_request, response) => response.writeHead(code, headers).end(JSON.stringify(body)))

  for (const code of [301, 302, 303, 307, 308])
    it(`follows no redirect ${code}, to whatever address`, async () => {
      const other = await world.started(serve(answering({ secret: SECRET })))
      for (const location of [`http://127.0.0.1:${other.port}/`, 'http://169.254.169.254/latest/meta-data/'])
        expect(await status(code, {}, { location })).to.deep.equal(failed(`${code}`))
      expect(other.connections).to.equal(0)
    })

  for (const code of [304, 400, 401, 403, 404, 429, 500, 503])
    it(`says the status ${code} and nothing of the body`, async () =>
      expect(await status(code, { error: SECRET, errorType: SECRET, message: SECRET })).to.deep.equal(
        failed(`${code}`),
      ))

  it('does not read the body of a failure without end', async () => {
    const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
    const { port } = await world.started(
      serve((_request, response) => {
        response.on('close', isClosed)
        response.writeHead(404).write('x') // and no more
      }),
    )
    const { send } = world.client({ type: 'Web', address: `http://127.0.0.1:${port}` }, { timers: new VirtualTime() })
    expect(await send(QUERY)).to.deep.equal(failed('404'))
    await closed
  })

  it('adds the word of Prometheus', async () => {
    const body = { status: 'error', errorType: 'bad_data', error: SECRET }
    expect(await status(422, body)).to.deep.equal(failed('422 bad_data'))
  })

  it('adds no word of other providers', async () => {
    const { port } = await world.started(
      serve((_request, response) => response.writeHead(422).end('{"errorType":"bad_data"}')),
    )
    const { send } = world.client({ type: 'Web', address: `http://127.0.0.1:${port}` })
    expect(await send(QUERY)).to.deep.equal(failed('422'))
  })

  it('says the status if the body of an error cannot be read', async () => {
    const cut = 'HTTP/1.1 500 Oops\r\ncontent-length: 100\r\n\r\n{"errorType":'
    expect([
      await askedBytes(cut),
      await asked((_request, response) => response.writeHead(503).end('<html>')),
    ]).to.deep.equal([failed('500'), failed('503')])
  })

  it('says when to ask again', async () => {
    expect(await status(429, {}, { 'retry-after': '7' })).to.deep.equal({ ...failed('429'), retryAfterMs: 7_000 })
    expect(await status(503, {}, { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' })).to.deep.equal({
      ...failed('503'),
      retryAfterMs: 30_000,
    })
  })

  for (const [what, body] of Object.entries({
    'a page': `<html>${SECRET}</html>`,
    'no bytes': '',
    'JSON that ends early': '{"a":',
    'two values': '{}{}',
    NaN: 'NaN',
  }))
    it(`refuses ${what}`, async () => expect(await asked(answering(body))).to.deep.equal(failed('answer is not JSON')))

  it('refuses an answer of 5 MiB, with and without its length', async () => {
    const body = `"${'x'.repeat(5 * 1024 * 1024)}"`
    expect(await asked(answering(body, { 'content-length': `${body.length}` }))).to.deep.equal(
      failed('answer longer than 4 MiB'),
    )
    expect(await asked(answering(body, { 'transfer-encoding': 'chunked' }))).to.deep.equal(
      failed('answer longer than 4 MiB'),
    )
  })

  it('reads an answer of 4 MiB', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024 - 2)
    expect(await asked(answering(JSON.stringify(text)))).to.deep.equal({ is: 'json', json: text })
  })

  it('does not read the rest of an answer without end', async () => {
    const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
    const reply = asked((_request, response) => {
      const more = () => void (response.write('[1,'.repeat(10_000)) ? setImmediate(more) : response.once('drain', more))
      response.on('close', isClosed)
      more()
    })
    expect(await reply).to.deep.equal(failed('answer longer than 4 MiB'))
    await closed
  })

  const bomb = Buffer.from(JSON.stringify('0'.repeat(50_000_000)))
  for (const [coding, bytes] of Object.entries({
    gzip: gzipSync(bomb),
    br: brotliCompressSync(bomb, {}),
    'identity, GZIP': gzipSync('{}'),
  }))
    it(`decodes no answer with the content encoding ${coding}`, async () => {
      expect(bytes.length).to.be.below(4 * 1024 * 1024)
      expect(await asked(answering(bytes, { 'content-encoding': coding }))).to.deep.equal(
        failed('answer is compressed'),
      )
    })

  it('refuses compressed bytes that are not declared', async () =>
    expect(await asked(answering(gzipSync('{}')))).to.deep.equal(failed('answer is not JSON')))

  it('reads 32 levels of JSON, and not 33 or 10,000', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
    const deep = failed('answer nested deeper than 32 levels')
    expect(await asked(answering(nested(32)))).to.include({ is: 'json' })
    expect(await asked(answering(nested(33)))).to.deep.equal(deep)
    expect(await asked(answering(nested(10_000)))).to.deep.equal(deep)
    expect(await asked(answering('{"a":'.repeat(10_000)))).to.deep.equal(deep)
  })

  for (const [what, bytes, message] of [
    ['that is not HTTP', `SSH-2.0-${SECRET}\r\n`, 'answer is not HTTP'],
    ['with a header without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, 'headers too long'],
    ['that ends before its length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}', 'connection closed'],
    ['that has no bytes', '', 'connection closed'],
  ] as const)
    it(`refuses an answer ${what}`, async () => expect(await askedBytes(bytes)).to.deep.equal(failed(message)))

  for (const [what, drip] of Object.entries({
    body: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    'body of an error': 'HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n',
    header: 'HTTP/1.1 200 OK\r\nx-',
  }))
    it(`gives up a ${what} that drips without end`, async () => {
      const time = new VirtualTime()
      const { promise: dripping, resolve: isDripping } = Promise.withResolvers<void>()
      const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
      const server = await world.started(
        serveBytes((socket) => {
          socket.once('close', isClosed).once('data', () => {
            socket.write(drip)
            for (let count = 0; count < 5; count++)
              socket.write(what === 'header' ? 'x' : '1\r\n \r\n', () => isDripping())
          })
        }),
      )
      const reply = world.client({ address: `http://127.0.0.1:${server.port}` }, { timers: time }).send(QUERY)
      await dripping
      await time.pass(9_999)
      expect(await Promise.race([reply, 'none yet'])).to.equal('none yet')
      await time.pass(1)
      expect(await reply).to.deep.equal(failed(what === 'body of an error' ? '500' : 'no answer within 10 s'))
      await closed
      expect(time.pending).to.equal(0)
    })
})

const NOW = new Date('2026-11-21T12:00:00Z')
const HOUR_MS = 3_600_000

const CASES: readonly (readonly [header: string, ms: number | undefined])[] = [
  ['1', 1_000],
  ['120', 120_000],
  ['3600', HOUR_MS],
  ['3601', HOUR_MS],
  ['99999999999999999999', HOUR_MS],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 18:00:00 GMT', HOUR_MS],
  ['Sat, 21 Nov 2026 11:59:59 GMT', undefined],
  ['Sat, 99 Nov 2026 12:00:30 GMT', undefined],
  ['2026-11-21T12:00:30Z', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['soon', undefined],
]

describe('retryAfterMs', () => {
  for (const [header, ms] of CASES)
    it(`reads ${JSON.stringify(header)} as ${ms}`, () => expect(retryAfterMs(header, NOW)).to.equal(ms))

  it('reads none without one header', () =>
    expect([retryAfterMs(undefined, NOW), retryAfterMs(['1', '2'], NOW)]).to.deep.equal([undefined, undefined]))
})
