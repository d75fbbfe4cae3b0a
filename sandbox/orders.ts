import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { Agent, request } from 'undici'
import { PROGRAMS } from '../build/bundle.ts'

/** The socket in the state directory of a sandbox through which another terminal gives orders. */
const socketIn = (stateDirectory: string): string => join(stateDirectory, 'orders.sock')

const MOST_REQUESTS = 10_000

/** What is wrong with the words of an order. Undefined: it may be given. */
export function mistakeIn([verb, ...words]: readonly string[]): string | undefined {
  const [first, second, ...rest] = words
  const tooMany = (unwanted: string) => `"${unwanted}" is one word too many after ${verb}`
  switch (verb) {
    case 'restart':
      if (second !== undefined) return tooMany(second)
      if (first !== undefined && Object.hasOwn(PROGRAMS, first)) return undefined
      return `${first === undefined ? 'restart what' : `"${first}" cannot be restarted`}: ${Object.keys(PROGRAMS).join(' or ')}`
    case 'requests':
      if (rest[0] !== undefined) return tooMany(rest[0])
      if (first === undefined) return 'requests to which Service: NAMESPACE/NAME or NAME'
      if (!/^([a-z0-9-]+\/)?[a-z0-9-]+$/.test(first))
        return `"${first}" is not the name of a Service: NAMESPACE/NAME or NAME`
      if (second === undefined || (/^\d{1,9}$/.test(second) && Number(second) > 0 && Number(second) <= MOST_REQUESTS))
        return undefined
      return `"${second}" is not a number of requests: 1 to ${MOST_REQUESTS}`
    default:
      return `"${verb}" is no order: restart or requests`
  }
}

/** Does what the words of an order say, and returns what to print. @throws Error that says why not */
export type Take = (words: readonly string[]) => Promise<string>

/** Takes orders for the sandbox with this state directory. Resolves when it listens. */
export async function takeOrders(stateDirectory: string, take: Take): Promise<Server> {
  const server = createServer(async (asked, response) => {
    try {
      response.end(await take((await json(asked)) as readonly string[]))
    } catch (error) {
      response.writeHead(422).end(error instanceof Error ? error.message : String(error))
    }
  })
  await once(server.listen(socketIn(stateDirectory)), 'listening')
  return server
}

/**
 * Gives an order to the sandbox whose kubeconfig this is, and returns what it answers.
 * @throws Error with its words if it refuses, or that says what to do if it does not run
 */
export async function giveOrder(kubeconfig: string | undefined, words: readonly string[]): Promise<string> {
  const remedy = 'paste the two lines that `npm run sandbox` has printed into this terminal'
  if (kubeconfig === undefined) throw new Error(`KUBECONFIG is not set: ${remedy}`)
  const dispatcher = new Agent({
    connect: { socketPath: socketIn(dirname(dirname(kubeconfig))) },
    bodyTimeout: 0,
    headersTimeout: 0,
  })
  try {
    const answer = await request('http://sandbox/', { dispatcher, method: 'POST', body: JSON.stringify(words) })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(text)
    return text
  } catch (error) {
    if (!isNobody(error)) throw error
    throw new Error(`no sandbox runs whose KUBECONFIG is ${kubeconfig}: ${remedy}`, { cause: error })
  } finally {
    await dispatcher.close()
  }
}

/** Whether nobody listens at the socket, or there is no such socket. */
const isNobody = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
