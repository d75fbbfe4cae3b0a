import type { Facts } from '../facts/facts.ts'
import { returnerOf, type WrittenObject, writtenBy } from '../outcome/conclusion.ts'
import type { RunState, ServiceState } from '../situation/situation.ts'

interface Switched {
  readonly of: ServiceState
  readonly reason: 'CutOver' | 'Returned'
}

/** An Event about the active Service, which a pass limits to the fork or returns. */
export function switchEvent(
  { experiment }: Facts,
  state: RunState,
  { of: { service: object }, reason }: Switched,
): { readonly written?: WrittenObject } {
  if (!object) return {}
  return reason === 'CutOver'
    ? { written: writtenBy(experiment, { object, reason, what: 'sends only to the fork of' }) }
    : { written: writtenBy(experiment, { object, reason, what: RETURNED, by: returnerOf(experiment, state) }) }
}

const RETURNED = 'sends to its own pods again, not to the fork of'
