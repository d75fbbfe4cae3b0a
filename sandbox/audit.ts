import { createReadStream } from 'node:fs'
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
