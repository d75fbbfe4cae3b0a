import { Readable } from 'node:stream'
import { realTimers } from '../../common/program/clock.ts'
import { Yielder } from '../../common/program/yielder.ts'
import { replyOf } from '../../controller/analysis/http/reply.ts'
import { PROMETHEUS } from '../../controller/analysis/providers/prometheus.ts'
import type { Send } from '../../controller/analysis/providers/provider.ts'
import { answerOf, LONG_QUERY, MAX_BYTES, PODS, podsAsked } from '../controller/analysis/http/long-answers.ts'
import { aProvider } from '../controller/analysis/providers/sending.ts'
import { type Figure, limitFigure, median, ratioFigure } from './figure.ts'
import { longestTurnMs } from './turns.ts'

/** The longest turn that reading an answer may have, in milliseconds of CPU. */
const MAX_TURN_MS = 50
/** Of which the median counts. */
const ROUNDS = 15

/** The milliseconds of CPU that `work` takes. */
async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const CHUNK = 64 * 1_024
/** The codes of responses with which an answer about 64 pods has 4 MiB. */
const CODES = 12

/** What two answers of 4 MiB cost, beside JSON.parse of the same bytes. */
export async function longAnswerFigures(): Promise<readonly Figure[]> {
  const bytes = new Map(Object.values(PODS).map((pods) => [pods, Buffer.from(answerOf(pods, MAX_BYTES, CODES))]))
  const reading = { type: 'Prometheus', clock: () => new Date(), yielder: new Yielder(realTimers()) } as const
  const send: Send = (request, list) => {
    const all = bytes.get(podsAsked(request)) ?? Buffer.of()
    const chunks = Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, at) =>
      all.subarray(at * CHUNK, (at + 1) * CHUNK),
    )
    return replyOf({ statusCode: 200, headers: {}, body: Readable.from(chunks) }, { ...reading, list })
  }
  const ask = async () => {
    const answer = await PROMETHEUS.ask(LONG_QUERY, aProvider({ type: 'Prometheus' }), send)
    if (answer.is !== 'data') throw new Error(`long answers were asked for, but: ${JSON.stringify(answer)}`)
  }
  const parse = () => [...bytes.values()].map((each) => JSON.parse(each.toString()))
  const found: Record<'turn' | 'asked' | 'parsed', number[]> = { turn: [], asked: [], parsed: [] }
  await ask() // compiles the functions
  for (let round = 0; round < ROUNDS; round += 1) {
    found.parsed.push(await cpuMsOf(parse))
    found.asked.push(await cpuMsOf(ask))
    found.turn.push(await longestTurnMs(ask))
  }
  const [value, against] = [median(found.asked), median(found.parsed)]
  return [
    ratioFigure({ name: 'CPU of two answers of 4 MiB, beside JSON.parse', value, against, unit: 'ms', atMost: 15 }),
    limitFigure({
      name: 'longest turn of two such answers',
      value: median(found.turn),
      against,
      unit: 'ms',
      atMost: MAX_TURN_MS,
    }),
  ]
}
