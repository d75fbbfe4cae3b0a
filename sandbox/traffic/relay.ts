import { once } from 'node:events'
import { createConnection, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net'

interface Ends {
  readonly from: ListenOptions
  readonly to: NetConnectOpts
}

/**
 * Carries bytes from whoever connects to `from` to whoever listens at `to`, both ways. A Unix socket is seen from
 * inside and outside of a network namespace: two relays make a bridge. Resolves when it listens.
 */
export async function relay({ from, to }: Ends): Promise<Server> {
  const server = createServer((near) => {
    const far = createConnection(to)
    near.pipe(far).pipe(near)
    // either end may break off; then the other learns it
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await once(server.listen(from), 'listening')
  return server
}
