import type { AuditEvent } from '../../sandbox/audit.ts'

/** What begins and ends a delay. */
export interface Delays {
  /** the object whose change begins delays, such as `shop/cart`; undefined for other events */
  readonly begins: (event: AuditEvent) => string | undefined
  /** the object whose change ends one, and the change that it answers */
  readonly ends: (event: AuditEvent) => { readonly answers: string; readonly by: string } | undefined
}

/**
 * The milliseconds from the arrival of each change at the API server until its answer was stored. Each answerer ends
 * one delay for each change. The log has requests in the order of their ends, and an answer may end first.
 */
export async function delaysIn(
  events: AsyncIterable<AuditEvent> | Iterable<AuditEvent>,
  of: Delays,
): Promise<readonly number[]> {
  const relevant: AuditEvent[] = []
  for await (const event of events) if (of.begins(event) !== undefined || of.ends(event)) relevant.push(event)
  const receivedMs = (event: AuditEvent) => Date.parse(event.requestReceivedTimestamp)
  const begun = new Map<string, { readonly atMs: number; readonly answered: Set<string> }>()
  const delays: number[] = []
  for (const event of relevant.sort((a, b) => receivedMs(a) - receivedMs(b))) {
    const begins = of.begins(event)
    if (begins !== undefined) begun.set(begins, { atMs: receivedMs(event), answered: new Set() })
    const ends = of.ends(event)
    const change = ends && begun.get(ends.answers)
    if (!ends || !change || change.answered.has(ends.by)) continue
    change.answered.add(ends.by)
    delays.push(Date.parse(event.stageTimestamp) - change.atMs)
  }
  return delays
}
