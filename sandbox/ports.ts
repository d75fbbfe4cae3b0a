import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * `count` different ports of the loopback interface that nobody listens on. All are held until the last is known,
 * or the system might hand out one of them twice.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
