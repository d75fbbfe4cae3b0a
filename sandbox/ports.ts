import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to outgoing connections. Such a connection, of any process, could take a port
 * between the moment in which it was found free and that in which a program listens on it.
 */
const FIRST = 20_000
const RANGE = 12_000

/** The ports that this process has returned. None is returned soon again. */
const returned = new Set<number>()

/**
 * `count` different free ports of the loopback interface. They are drawn, because other processes look for ports, too,
 * and would meet this one again and again if all of them counted upwards.
 * @param draw a whole number from 0, less than its argument
 * @throws Error if fewer are free
 */
export async function freePorts(
  count: number,
  draw: (below: number) => number = randomInt,
): Promise<readonly number[]> {
  const ports = new Set<number>()
  for (let tried = 0; ports.size < count; tried += 1) {
    if (tried === 2 * RANGE) throw new Error(`there are no ${count} free ports from ${FIRST} on`)
    if (returned.size > RANGE / 2) returned.clear()
    const port = FIRST + draw(RANGE)
    if (returned.has(port)) continue
    returned.add(port) // before the wait, because of other calls
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
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
