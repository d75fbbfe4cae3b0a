import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * `count` different free ports of the loopback interface. All of them are kept open until the last one is known,
 * because the system might otherwise return one of them twice.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
