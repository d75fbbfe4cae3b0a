/**
 * Loaded into a program under test before its own code. Answers each connection to the Unix socket, whose path is the
 * last argument of the process, with the memory after a garbage collection and the number of open handles.
 */
import { createServer } from 'node:net'

const path = process.argv.at(-1) ?? ''
const isOf = (kind: string) => (resource: string) => resource === kind
createServer((socket) => {
  globalThis.gc?.()
  globalThis.gc?.() // finalizers of the first one free more
  const { heapUsed, external, rss } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  const [sockets, timers] = ['TCPSocketWrap', 'Timeout'].map((kind) => resources.filter(isOf(kind)).length)
  socket.end(JSON.stringify({ bytes: heapUsed + external, rss, sockets, timers }))
})
  .listen(path)
  .unref()
