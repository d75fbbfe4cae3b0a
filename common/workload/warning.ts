import { cut } from '../api/cut.ts'
import type { Reason } from '../api/reasons.ts'
import type { Warning } from '../api/types.ts'

/** Of a line that `kubectl` prints. */
const MAX_LENGTH = 120

/** A warning that fits in one line of `[reason] message`, whatever names are in it. */
export const warn = (reason: Reason, message: string): Warning => ({
  reason,
  message: cut(message, MAX_LENGTH - `[${reason}] `.length),
})

/** `a`, `a, b`, `a, b and 3 more`. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 2).join(', ')
  return names.length <= 2 ? shown : `${shown} and ${names.length - 2} more`
}
