import { Agent, type AgentOptions, request } from 'node:https'
import { TLSSocket } from 'node:tls'

/** A response, and the certificate of the server. */
export interface Answered {
  readonly status: number | undefined
  readonly serialNumber: string | undefined
  readonly connection: string | undefined
  readonly text: string
}

/** POST to `/validate` at `port` of this machine. @throws Error if the call fails */
export const post = (port: number, agent: Agent, body = '{}'): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const call = request({ host: '127.0.0.1', port, path: '/validate', method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      const { socket } = response
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          serialNumber: certificate?.serialNumber,
          connection: response.headers.connection,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })

/** Calls `ask` with a new agent, and destroys the agent afterwards. */
export async function withAgent<T>(options: AgentOptions, ask: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = new Agent(options)
  try {
    return await ask(agent)
  } finally {
    agent.destroy()
  }
}
