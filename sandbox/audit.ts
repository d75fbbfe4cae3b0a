import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { KubeObject } from '../common/api/object.ts'

/**
 * Logs every request once, when it is answered. Requests that write are logged with their bodies. Tokens and Secrets
 * are logged without.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true, // they are half of every object, and nothing reads them
  rules: [
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }] },
    { level: 'RequestResponse', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'Metadata' },
  ],
}

/** One line of the audit log: the fields of an audit.k8s.io/v1 Event that are read here. */
export interface AuditEvent {
  readonly auditID: string
  /** `ResponseStarted` (a watch), `ResponseComplete` or `Panic`. */
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: {
    readonly username: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string }
  /** those of admission webhooks; each key begins with the name of the webhook */
  readonly annotations?: Readonly<Record<string, string>>
  readonly requestObject?: KubeObject
  readonly responseObject?: KubeObject
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/**
 * All events so far whose line contains `mentions`, in the order of the responses. A line that is still being written
 * is left out. Yields one event after the other, because the log of a long run is longer than a string can be (512
 * MiB).
 */
export async function* auditEvents(auditLog: string, mentions = ''): AsyncGenerator<AuditEvent> {
  let rest = ''
  for await (const chunk of createReadStream(auditLog, { encoding: 'utf8', highWaterMark: 2 ** 20 })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '' && line.includes(mentions)) yield JSON.parse(line)
  }
}

/** The events whose lines begin from now on. Reads each part of a long log once, however often it is asked. */
export class AuditTail {
  readonly #auditLog: string
  readonly #mentions: string
  readonly #events: AuditEvent[] = []
  #position: Promise<number>
  #isWithinLine = true

  /** Keeps only events whose line contains `mentions`. */
  constructor(auditLog: string, mentions: string) {
    this.#auditLog = auditLog
    this.#mentions = mentions
    // from the byte before, because a line may be incomplete now: what precedes the next line break is left out
    this.#position = stat(auditLog).then(({ size }) => {
      this.#isWithinLine = size > 0
      return Math.max(0, size - 1)
    })
  }

  /** All events so far, in the order of the responses. */
  async events(): Promise<readonly AuditEvent[]> {
    this.#position = this.#position.then((from) => this.#read(from))
    await this.#position
    return this.#events
  }

  /** Reads the complete lines from a byte on. Resolves to the first byte after them. */
  async #read(from: number): Promise<number> {
    let rest = Buffer.alloc(0)
    let position = from
    for await (const chunk of createReadStream(this.#auditLog, { start: from, highWaterMark: 2 ** 20 })) {
      const bytes = Buffer.concat([rest, chunk as Buffer])
      const end = bytes.lastIndexOf(10) + 1
      for (const line of bytes
        .toString('utf8', 0, end)
        .split('\n')
        .slice(this.#isWithinLine ? 1 : 0))
        if (line !== '' && line.includes(this.#mentions)) this.#events.push(JSON.parse(line))
      if (end > 0) this.#isWithinLine = false
      rest = bytes.subarray(end)
      position += end
    }
    return position
  }
}
