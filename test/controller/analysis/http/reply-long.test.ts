import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { LongList } from '../../../../common/analysis/query/window-query.ts'
import { Yielder } from '../../../../common/program/yielder.ts'
import { replyOf } from '../../../../controller/analysis/http/reply.ts'
import { PROMETHEUS } from '../../../../controller/analysis/providers/prometheus.ts'
import { jsonReply } from '../../../common/analysis/query/answers.ts'
import { answering, serve } from '../../../fakes/wire.ts'
import { aProvider } from '../providers/sending.ts'
import { answerOf, LONG_QUERY, MAX_BYTES, PODS, podsAsked } from './long-answers.ts'
import { failed, QUERY, World } from './serving.ts'

const MIB = 1_024 * 1_024
const CHUNK = 16 * 1_024
/** Answers in small chunks, each in a turn of its own. */
const slowly =
  (bytesOf: (pods: readonly string[]) => Buffer): RequestListener =>
  (request, response) => {
    const chunks: string[] = []
    request.on('data', (chunk) => chunks.push(`${chunk}`))
    request.on('end', () => {
      const bytes = bytesOf(podsAsked({ body: { type: 'application/x-www-form-urlencoded', text: chunks.join('') } }))
      const more = (from: number) => {
        if (from >= bytes.length) response.end()
        else response.write(bytes.subarray(from, from + CHUNK), () => setImmediate(more, from + CHUNK))
      }
      more(0)
    })
  }

describe('a long answer', () => {
  const world = new World()
  afterEach(() => world.close())
  const clientOf = async (listener: RequestListener, type: 'Prometheus' | 'Web' = 'Prometheus') => {
    const { port } = await world.started(serve(listener))
    return world.client({ type, address: `http://127.0.0.1:${port}` })
  }

  it('N30: says the same as at once, of 64 pods with 14 buckets and two codes in 4 MiB that arrive slowly', async () => {
    const { send } = await clientOf(slowly((pods) => Buffer.from(answerOf(pods, MAX_BYTES))))
    const answer = await PROMETHEUS.ask(LONG_QUERY, aProvider({ type: 'Prometheus' }), send)
    const atOnce = await PROMETHEUS.ask(LONG_QUERY, aProvider({ type: 'Prometheus' }), async (request) =>
      jsonReply(JSON.parse(answerOf(podsAsked(request)))),
    )
    expect(answer).to.deep.equal(atOnce)
    expect(answer).to.have.nested.property('data.treatment').with.length(64)
  })

  const listOf = (take: LongList['take'] = () => true): LongList => ({
    path: ['data', 'result'],
    maxBytes: 1_000,
    take,
  })

  for (const [what, size] of [
    ['small chunks', CHUNK],
    ['one chunk', MIB],
  ] as const)
    it(`N30, A49: leaves other work its turns, in ${what}: two at once share turns of five items of 1 ms`, async () => {
      const bytes = Buffer.from(answerOf(PODS.control.slice(0, 8)))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const turns = [0]
      let nowMs = 0
      const yielder = new Yielder({ now: () => nowMs })
      const nextTurn = () => {
        turns.push(0)
        return Yielder.prototype.nextTurn()
      }
      const list = listOf(() => {
        nowMs += 1
        turns.push((turns.pop() ?? 0) + 1)
        return true
      })
      const reading = {
        type: 'Prometheus',
        clock: () => new Date(),
        list,
        yielder: Object.assign(yielder, { nextTurn }),
      } as const
      const read = () => replyOf({ statusCode: 200, headers: {}, body: Readable.from(chunks) }, reading)
      await Promise.all([read(), read()])
      expect(Math.max(...turns)).to.equal(5)
      expect(turns.reduce((sum, items) => sum + items)).to.equal(2 * 8 * 28)
    })

  const taken = async (body: string) => {
    const items: unknown[] = []
    const { send } = await clientOf(answering(body))
    const reply = await send(
      QUERY,
      listOf((item) => items.push(item) > 0),
    )
    return { reply, items }
  }

  it('N30: has its items taken one by one, and none of them in its JSON', async () => {
    const long = 'x'.repeat(MIB)
    expect(await taken(`\ufeff{"data": {"result": [1e999, {"a": 1, "a": 2}, "${long}", "é"], "x": 1}}`)).to.deep.equal({
      items: [Number.POSITIVE_INFINITY, { a: 2 }, undefined, 'é'],
      reply: { is: 'json', json: { data: { result: [], x: 1 } } },
    })
    expect((await taken('{"data":{"result":[ ]}}')).items).to.deep.equal([])
  })

  for (const [what, body, message] of [
    ['an item that is no JSON', '{"data":{"result":[1,x]}}', 'answer is not JSON'],
    ['an item that is missing', '{"data":{"result":[1,]}}', 'answer is not JSON'],
    ['an item with a mark of byte order', '{"data":{"result":[\ufeff1]}}', 'answer is not JSON'],
    ['an end that is missing', '{"data":{"result":[1]}', 'answer is not JSON'],
    ['a deep item', `{"data":{"result":[${'['.repeat(30)}`, 'answer nested deeper than 32 levels'],
    [
      'many values beside its items',
      `{"data":{"result":[1]},"x":[0${',0'.repeat(50_000)}]}`,
      'answer has more than 50000 values',
    ],
  ] as const)
    it(`N30: is refused with ${what}`, async () => expect((await taken(body)).reply).to.deep.equal(failed(message)))

  it('N30: is not parsed any more once no more is wanted, but must be no longer than others', async () => {
    let count = 0
    const list = listOf(() => {
      count += 1
      return count < 2
    })
    const { send } = await clientOf(answering(`{"data":{"result":[${'1,'.repeat(1_000)}x]}}`))
    expect(await send(QUERY, list)).to.deep.equal({ is: 'json', json: { data: { result: [] } } })
    expect(count).to.equal(2)
    const { send: sendLonger } = await clientOf(answering(`{"data":{"result":[${'1,'.repeat(3 * MIB)}1]}}`))
    expect(
      await sendLonger(
        QUERY,
        listOf(() => false),
      ),
    ).to.deep.equal(failed('answer longer than 4 MiB'))
  })

  it('N30: of more than 4 MiB is told with the remedy', async () => {
    const { send } = await clientOf(slowly((pods) => Buffer.from(answerOf(pods, 0, 20))))
    expect(await PROMETHEUS.ask(LONG_QUERY, aProvider({ type: 'Prometheus' }), send)).to.deep.equal(
      failed('answer longer than 4 MiB; choose fewer by prometheus.matchers'),
    )
  })

  it('N30: of a web service has at most 50,000 values, however long they are', async () => {
    const { send } = await clientOf(answering(`["${'x'.repeat(3 * MIB)}"]`), 'Web')
    expect(await send(QUERY)).to.have.property('is', 'json')
    const { send: sendMany } = await clientOf(answering(`[${'{"a":{}},'.repeat(50_000)}1]`), 'Web')
    expect(await sendMany(QUERY)).to.deep.equal(failed('answer has more than 50000 values'))
  })

  it('N30: of a failure is read as far as it can have a word of Prometheus', async () => {
    const body = (length: number) => JSON.stringify({ errorType: 'bad_data', error: 'x'.repeat(length) })
    const status = async (length: number) => {
      const { send } = await clientOf((_request, response) => response.writeHead(422).end(body(length)))
      return send(QUERY)
    }
    expect(await status(60_000)).to.deep.equal(failed('422 bad_data'))
    expect(await status(70_000)).to.deep.equal(failed('422'))
  })
})
