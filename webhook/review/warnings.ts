import type { Warning } from '../../common/api/types.ts'
import { cut } from '../../common/text/cut.ts'

/** The API server cuts each warning to 256 bytes if all together exceed 4,096. These limits stay below that. */
const MAX_WARNINGS = 12
const MAX_LENGTH = 120

/** One line for `kubectl`: `[Reason] message` in printable ASCII, at most 120 characters. The middle is cut out. */
export function lineOf({ reason, message }: Warning): string {
  const line = `[${reason}] ${message}`.replaceAll(/[^ -~]/g, '?') // the API server drops a warning with a line break
  return cut(line, MAX_LENGTH)
}

/** The lines of `warnings` without duplicates, at most twelve. If there are more, the twelfth line is their number. */
export function linesOf(warnings: readonly Warning[]): readonly string[] {
  const lines = [...new Set(warnings.map(lineOf))]
  if (lines.length <= MAX_WARNINGS) return lines
  const shown = lines.slice(0, MAX_WARNINGS - 1)
  return [...shown, lineOf({ reason: 'Plan', message: `and ${lines.length - shown.length} more` })]
}
