import { once } from 'node:events'
import { createConnection, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net'

interface Ends {
  readonly from: ListenOptions
  readonly to: NetConnectOpts
}

/**
 * Forwards bytes between connections to `from` and the server at `to`, both ways. A Unix socket is visible inside and
 * outside of a network namespace, so two relays are a bridge. Resolves when it listens.
 */
export async function relay({ from, to }: Ends): Promise<Server> {
  const server = createServer((near) => {
    const far = createConnection(to)
    near.pipe(far).pipe(near)
    // if one end breaks off, the other one is closed
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await once(server.listen(from), 'listening')
  return server
}
