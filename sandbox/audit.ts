import { readFile } from 'node:fs/promises'
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
  readonly requestObject?: KubeObject
  readonly responseObject?: KubeObject
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/** All events so far, in the order in which they were answered. A line that is still being written is left out. */
export async function auditEvents(auditLog: string): Promise<readonly AuditEvent[]> {
  const text = await readFile(auditLog, 'utf8')
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as AuditEvent)
}
