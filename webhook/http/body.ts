import type { Request, RequestHandler } from 'express'
import { type Cancel, realTimers, type Timers } from '../../common/program/clock.ts'
import { type InFlight, reserve, whenOver } from './in-flight.ts'
import { RequestError, type RequestErrorReason } from './request-error.ts'

/** Two objects of 3 MiB, the limit of the API server, fit into it. */
export const BODY_LIMIT = 7 * 1024 * 1024
/** The space for a body when its first bytes arrive. Most reviews fit into it. */
const FIRST_BYTES = 16 * 1024

export interface BodyOptions {
  readonly timers?: Timers
  /** the longest time without any byte, also before the first one */
  readonly silenceMs?: number
  /** the time for the whole body: the API server waits no longer for the answer */
  readonly wholeMs?: number
}

/**
 * Reads the body into `request.body`, as bytes, and rejects it when it is too large or arrives too slowly. Not
 * `express.raw`, because a limit by Content-Length counts bytes that may never be sent, and one without any limit on
 * the parts lets many small parts use far more memory than their bytes.
 */
export const readBody =
  (flight: InFlight, { timers = realTimers(), silenceMs = 2_000, wholeMs = 5_000 }: BodyOptions = {}): RequestHandler =>
  (request, response, next) => {
    const { arriving } = flight
    const held = new HeldBytes(flight, announcedBytes(request))
    whenOver(flight, response, () => held.free())
    let cancelSilence = (): void => undefined
    const end = (): void => {
      arriving.delete(evict)
      cancelSilence()
      cancelWhole()
      request.off('data', take).off('end', finish).off('close', abort)
    }
    const reject = (reason: RequestErrorReason, status: number, message: string): void => {
      end()
      held.free()
      request.resume() // what still arrives is discarded
      next(new RequestError(message, { status, reason }))
    }
    const dismiss: typeof reject = (...rejection) => {
      response.set('connection', 'close') // the rest of the body may never arrive
      reject(...rejection)
    }
    const evict = () => dismiss('bytes', 503, 'too many bytes at once; try again')
    const stall = () => dismiss('stalled', 408, 'the body arrives too slowly')
    const abort = () => dismiss('size', 400, 'the connection was closed before the whole body had arrived')
    const waitForBytes = () => {
      cancelSilence()
      cancelSilence = afterReading(timers, silenceMs, stall)
    }
    const take = (bytes: Buffer): void => {
      waitForBytes()
      if (held.hasRoom(bytes)) held.add(bytes, evict)
      else reject('size', 413, 'the body is too large')
    }
    const finish = (): void => {
      end()
      request.body = held.bytes
      next()
    }
    const cancelWhole = afterReading(timers, wholeMs, stall)
    arriving.add(evict)
    waitForBytes()
    request.on('data', take).on('end', finish).on('close', abort)
  }

/**
 * Runs `run` after `delayMs`, when what has arrived until then is read. After a stall of the process Node runs the
 * timers that are due before it reads the sockets, and `setImmediate` after that.
 */
function afterReading(timers: Timers, delayMs: number, run: () => void): Cancel {
  let immediate: NodeJS.Immediate | undefined
  const cancel = timers.after(delayMs, () => {
    immediate = setImmediate(run)
  })
  return () => {
    cancel()
    clearImmediate(immediate)
  }
}

/** The length of the body, if it is known. @throws RequestError if no such body is accepted */
function announcedBytes({ headers }: Request): number {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    // 7 MiB could decompress to 7 GiB
    throw new RequestError('the Content-Encoding is not supported; send the body uncompressed', {
      status: 415,
      reason: 'contentType',
    })
  const length = Number(headers['content-length'] ?? BODY_LIMIT)
  if (length > BODY_LIMIT) throw new RequestError('the body is too large', { status: 413, reason: 'size' })
  return length
}

/** The bytes of a body that have arrived. All memory that it uses is reserved. */
class HeldBytes {
  readonly #flight: InFlight
  readonly #mostBytes: number
  #memory = Buffer.alloc(0)
  #used = 0
  readonly #frees: (() => void)[] = []

  constructor(flight: InFlight, mostBytes: number) {
    this.#flight = flight
    this.#mostBytes = mostBytes
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#used)
  }

  /** Whether the body may be that long. */
  hasRoom(bytes: Buffer): boolean {
    return this.#used + bytes.length <= this.#mostBytes
  }

  /**
   * Adds `bytes`. If there is no memory left, unread answers are evicted, and then the bodies that have been arriving
   * for the longest time: one that arrives in time is never among them. That may be this one, whose eviction is `own`.
   */
  add(bytes: Buffer, own: () => void): void {
    const needed = this.#used + bytes.length
    while (needed > this.#memory.length && !this.#grow(needed)) {
      const [oldest = own] = this.#flight.arriving
      oldest()
      if (oldest === own) return
    }
    bytes.copy(this.#memory, this.#used)
    this.#used = needed
  }

  /** Frees the memory. The bytes must not be used any more. */
  free(): void {
    this.#memory = Buffer.alloc(0)
    this.#used = 0
    for (const free of this.#frees.splice(0)) free()
  }

  /** Doubles, so that all copies together cost no more than the body. */
  #grow(needed: number): boolean {
    const size = Math.min(Math.max(needed, 2 * this.#memory.length, FIRST_BYTES), this.#mostBytes)
    const free = reserve(this.#flight, this.#flight.bytes, size - this.#memory.length)
    if (!free) return false
    this.#frees.push(free)
    const memory = Buffer.allocUnsafeSlow(size) // not from the pool, whose blocks live as long as their last part
    this.#memory.copy(memory, 0, 0, this.#used)
    this.#memory = memory
    return true
  }
}
