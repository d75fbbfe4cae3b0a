import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { relay } from './relay.ts'

/** Ports of 127.0.0.1 in a network namespace, as ports outside. */
export interface PortsInside {
  /** Leads connections to a port inside. Returns the address outside, the same each time: `http://127.0.0.1:20001`. */
  readonly reach: (port: number) => Promise<string>
  readonly close: () => void
}

/** @param listen lets a Unix socket lead to a port inside; `folder` is for these sockets */
export function portsInside(folder: string, listen: (path: string, port: number) => Promise<unknown>): PortsInside {
  const known = new Map<number, Promise<Server>>()
  async function relayTo(port: number): Promise<Server> {
    const path = join(folder, `${port}.sock`)
    await listen(path, port)
    return relay({ from: { host: '127.0.0.1', port: 0 }, to: { path } })
  }
  return {
    async reach(port) {
      const reached = known.get(port) ?? relayTo(port)
      known.set(port, reached)
      const { port: outside } = (await reached).address() as AddressInfo
      return `http://127.0.0.1:${outside}`
    },
    close() {
      for (const server of known.values()) server.then((each) => each.close()).catch(() => undefined) // it never listened
    },
  }
}
