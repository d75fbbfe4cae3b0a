import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that Linux gives to outgoing connections. Such a connection, of any process, could take a port
 * between the moment in which it was found free and that in which a program listens on it.
 */
const FIRST = 20_000
/** The number of ports in a block, and the number of blocks. */
const [BLOCK, BLOCKS] = [200, 60]

/**
 * Finds ports for this process. They come from a block that no other process uses: its first port is kept, and the
 * others are returned in turn. So a port stays free until the program that it is for listens on it, which may take
 * many seconds on a busy machine.
 * @param draw a whole number from 0, less than its argument
 */
export function portFinder(draw: (below: number) => number = randomInt) {
  let block: Promise<number> | undefined
  let returned = 0
  return async (count: number): Promise<readonly number[]> => {
    block ??= keepBlock(draw)
    const first = await block
    const ports = new Set<number>()
    for (let tried = 0; ports.size < count; tried += 1) {
      if (tried === BLOCK) throw new Error(`there are no ${count} free ports from ${first} to ${first + BLOCK - 1}`)
      const port = first + 1 + (returned % (BLOCK - 1))
      returned += 1 // before the wait, because of other calls
      if (await isFree(port)) ports.add(port)
    }
    return [...ports]
  }
}

/**
 * `count` different free ports of the loopback interface. None is returned again soon, or to another process.
 * @throws Error if fewer are free
 */
export const freePorts = portFinder()

/** Keeps a block for this process, until it ends, and returns its first port. @throws Error if all are kept */
async function keepBlock(draw: (below: number) => number): Promise<number> {
  const start = draw(BLOCKS) // others look for a block, too, and would meet this process again and again at the first
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const first = FIRST + BLOCK * ((start + tried) % BLOCKS)
    const server = await listening(first)
    if (server) return first
  }
  throw new Error(`all ${BLOCKS} blocks of ports from ${FIRST} on are in use`)
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  if (server) await once(server.close(), 'close')
  return server !== undefined
}

/** A server on `port` of the loopback interface, which keeps no process alive. Undefined if the port is taken. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().unref()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return undefined
  }
}
