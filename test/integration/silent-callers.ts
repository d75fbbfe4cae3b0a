/** Callers of the admission port that connect and then say or read nothing. They come back when they are closed. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { eventually } from '../../sandbox/eventually.ts'
import { aReview } from '../webhook/reviews.ts'

/** How long a caller waits before it connects again. */
const AGAIN_MS = { plain: 1_000, announcing: 100, unread: 1_000 }
const LATER_MS = 300

const MIB = 1024 * 1024
/**
 * The last ten announce 1 MiB, and a little later: what announced bodies of 7 MiB leave of 64 MiB is then taken too.
 */
const isSmall = (number: number): boolean => number >= 20
const announcement = (bytes: number): string =>
  `POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

/**
 * A review whose answer repeats most of it: the name of the requester becomes an annotation. Ten of them take all of
 * the 64 MiB for bodies.
 */
function largeReview(): Buffer {
  const bodyOf = (username: string) => JSON.stringify(aReview({ userInfo: { username } }))
  const body = bodyOf('x'.repeat(Math.floor(6.4 * MIB) - bodyOf('').length))
  return Buffer.from(`${announcement(body.length).replace('/validate', '/mutate')}${body}`)
}

/**
 * `plain`: no TLS handshake. `announcing`: a request with a body of which nothing arrives. `unread`: a large review,
 * whose answer is not read.
 */
export type Silence = 'plain' | 'announcing' | 'unread'

/** Keeps `count` such callers connected to `port` until the returned function is called. */
export async function silentCallers(port: number, count: number, silence: Silence): Promise<() => void> {
  const open = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let connected = 0
  let isOver = false
  const large = silence === 'unread' ? largeReview() : undefined
  const call = (number: number): void => {
    const at = { host: '127.0.0.1', port }
    const socket = silence === 'plain' ? connect(at) : connectTls({ ...at, rejectUnauthorized: false })
    open.add(socket)
    socket.once(silence === 'plain' ? 'connect' : 'secureConnect', () => {
      connected += 1
      if (silence === 'plain') return
      if (large) socket.write(large)
      else if (isSmall(number)) setTimeout(() => socket.write(announcement(MIB)), LATER_MS)
      else socket.write(announcement(7 * MIB))
    })
    if (!large) socket.resume()
    socket.on('error', () => undefined)
    socket.once('close', () => {
      open.delete(socket)
      if (isOver) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        call(number)
      }, AGAIN_MS[silence])
      timers.add(timer)
    })
  }
  for (let number = 0; number < count; number++) call(number)
  const end = () => {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
    for (const socket of open) socket.destroy()
  }
  try {
    await eventually(`${count} callers to have connected`, 30_000, () => {
      if (connected < count) throw new Error(`${connected} have`)
    })
  } catch (error) {
    end()
    throw error
  }
  return end
}
