import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http'
import { expect } from 'chai'
import { close, listen } from '../../../common/program/listen.ts'

const HOST = '127.0.0.1'
/** What is open after so long is cut; Node, too, keeps idle connections for 5 s. */
const CUT_MS = 5_000

const answerOf = async (port: number, agent: Agent): Promise<string> => {
  const [response] = (await once(get({ host: HOST, port, agent }), 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

describe('listening', () => {
  it('resolves to the port on which the server answers', async () => {
    const server = createServer((_request, response) => response.end('here'))
    const port = await listen(server, 0, HOST)
    const agent = new Agent()
    expect(await answerOf(port, agent)).to.equal('here')
    await close(server)
  })

  it('listens on all addresses if none is given', async () => {
    const server = createServer((_request, response) => response.end('here'))
    const port = await listen(server, 0)
    expect(await answerOf(port, new Agent())).to.equal('here')
    await close(server)
  })

  it('throws if the port is taken', async () => {
    const [first, second] = [createServer(), createServer()]
    const port = await listen(first, 0, HOST)
    const failure = await listen(second, port, HOST).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'EADDRINUSE' })
    await close(first)
  })
})

describe('closed', () => {
  /** Answers each call only when `answer` is called. */
  async function slowServer() {
    const arrived = Promise.withResolvers<() => void>()
    const server: Server = createServer((_request, response) => arrived.resolve(() => response.end('late')))
    return { server, port: await listen(server, 0, HOST), arrived: arrived.promise }
  }

  it('lets a call under way end, then closes its connection', async () => {
    const { server, port, arrived } = await slowServer()
    const agent = new Agent({ keepAlive: true })
    const call = answerOf(port, agent)
    const answer = await arrived
    let isClosed = false
    const gone = close(server).then(() => {
      isClosed = true
    })
    expect(isClosed).to.equal(false)
    const answeredAt = performance.now()
    answer()
    expect(await call).to.equal('late')
    await gone
    expect(performance.now() - answeredAt).to.be.below(CUT_MS - 1_000)
    agent.destroy()
  })

  it('does not wait for connections that are kept open but idle', async () => {
    const server = createServer((_request, response) => response.end('here'))
    const port = await listen(server, 0, HOST)
    const agent = new Agent({ keepAlive: true })
    await answerOf(port, agent)
    const startedAt = performance.now()
    await close(server)
    expect(performance.now() - startedAt).to.be.below(CUT_MS - 1_000)
    agent.destroy()
  })
})
