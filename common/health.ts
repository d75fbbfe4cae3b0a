import { createServer, type Server } from 'node:http'

/** What a probe asks. */
export interface Probes {
  /** undefined: ready; else what is waited for */
  readonly unreadyBecause: () => string | undefined
}

/** Plain HTTP for kubelet: `/livez` answers while the event loop turns, `/readyz` when reviews can be answered well. */
export const healthServer = ({ unreadyBecause }: Probes): Server =>
  createServer((request, response) => {
    const finding = request.url === '/readyz' ? unreadyBecause() : undefined
    const isKnown = request.url === '/readyz' || request.url === '/livez'
    response.writeHead(isKnown ? (finding === undefined ? 200 : 503) : 404, { 'content-type': 'text/plain' })
    response.end(`${isKnown ? (finding ?? 'ok') : 'only /livez and /readyz are served here'}\n`)
  })
