import { createReadStream } from 'node:fs'
import type { KubeObject } from '../common/api/object.ts'

/**
 * Every request once, when it is answered; for those that write also what they said. Tokens and secrets stay out.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true, // half of every object, and nobody's question
  rules: [
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }] },
    { level: 'RequestResponse', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'Metadata' },
  ],
}

/** One line of the audit log: audit.k8s.io/v1 Event, as far as we read it. */
export interface AuditEvent {
  readonly auditID: string
  /** `ResponseStarted` (a watch), `ResponseComplete` or `Panic`. */
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: { readonly username: string; readonly groups?: readonly string[] }
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string }
  /** of admission webhooks: each name after that of the webhook */
  readonly annotations?: Readonly<Record<string, string>>
  readonly requestObject?: KubeObject
  readonly responseObject?: KubeObject
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/**
 * All events so far whose line contains `mentions`, in the order in which they were answered. A line that is still being
 * written is left out. The log of a long run is longer than a string may be (512 MiB), hence one after the other.
 */
export async function* auditEvents(auditLog: string, mentions = ''): AsyncGenerator<AuditEvent> {
  let rest = ''
  for await (const chunk of createReadStream(auditLog, { encoding: 'utf8', highWaterMark: 2 ** 20 })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '' && line.includes(mentions)) yield JSON.parse(line)
  }
}
