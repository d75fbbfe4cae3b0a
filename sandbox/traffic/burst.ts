import { type RequestOptions, request } from 'node:http'

/** The target and the number of requests. */
export interface Burst {
  readonly count: number
  readonly host: string
  readonly port: number
  /** default: `/` */
  readonly path?: string
}

/** The results of the requests. All counts together are the number of requests. */
export interface Answers {
  /** How many requests each pod answered, by its address. */
  readonly byPod: Readonly<Record<string, number>>
  /** How many requests failed, by the error: `ECONNREFUSED`, `timeout`, `not sent`. */
  readonly failures: Readonly<Record<string, number>>
}

interface Limits {
  readonly parallel?: number
  readonly requestMs?: number
  readonly totalMs?: number
  readonly now?: () => number
}

const MOST = 100_000

/**
 * Sends `count` requests, each over a new connection, because a Service distributes connections.
 * @throws RangeError for more than 100,000
 */
export async function send(
  { count, host, port, path = '/' }: Burst,
  { parallel = 16, requestMs = 5_000, totalMs = 60_000, now = () => performance.now() }: Limits = {},
): Promise<Answers> {
  if (!(count >= 0 && count <= MOST)) throw new RangeError(`count must be 0 to ${MOST}, found ${count}`)
  const end = now() + totalMs
  const byPod: Record<string, number> = {}
  const failures: Record<string, number> = {}
  let left = count
  const client = async () => {
    while (left > 0 && now() < end) {
      left--
      try {
        const pod = await askOnce({ host, port, path }, requestMs)
        byPod[pod] = (byPod[pod] ?? 0) + 1
      } catch (error) {
        const reason = reasonOf(error)
        failures[reason] = (failures[reason] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, client))
  if (left > 0) failures['not sent'] = left
  return { byPod, failures }
}

const TIMED_OUT = new Error('timeout')

const reasonOf = (error: unknown): string => {
  if (error === TIMED_OUT) return 'timeout'
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** The parts in which the time of a request is counted. */
const PARTS = 10

/** Calls `give` after `ms`. While this process stands still, an answer waits for it, so a stall counts as one part. */
function afterRunning(ms: number, give: () => void): NodeJS.Timeout {
  let left = PARTS
  return setInterval(() => {
    left -= 1
    if (left === 0) give()
  }, ms / PARTS)
}

/** The body of the response: the address of the pod that answered. */
function askOnce(to: Pick<RequestOptions, 'host' | 'port' | 'path'>, requestMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const asked = request({ ...to, agent: false }, (answer) => {
    let body = ''
    answer.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    answer.once('error', reject)
    answer.once('end', () => (answer.statusCode === 200 ? resolve(body) : reject(`HTTP ${answer.statusCode}`)))
  })
  asked.once('error', reject)
  asked.end()
  const timer = afterRunning(requestMs, () => asked.destroy(TIMED_OUT))
  return promise.finally(() => clearInterval(timer))
}
