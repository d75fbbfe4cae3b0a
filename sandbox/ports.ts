import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to outgoing connections. Such a connection, of any process, could take a port
 * between the moment in which it was found free and that in which a program listens on it.
 */
const FIRST = 20_000
const RANGE = 12_000

/** Processes begin at different ports, and none returns a port soon again. */
let next = (process.pid * 97) % RANGE

/** `count` different free ports of the loopback interface. @throws Error if there are not so many */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried === RANGE) throw new Error(`there are no ${count} free ports from ${FIRST} on`)
    const port = FIRST + next
    next = (next + 1) % RANGE
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
