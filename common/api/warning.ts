import { cut } from '../text/cut.ts'
import type { Reason } from './reasons.ts'
import type { Warning } from './types.ts'

/** The longest warning that `kubectl` prints in full. */
const MAX_LENGTH = 120

/** A warning whose message is cut so that `[reason] message` has at most 120 characters. */
export const warning = (reason: Reason, message: string): Warning => ({
  reason,
  message: cut(message, MAX_LENGTH - `[${reason}] `.length),
})
