import { cut } from '../common/api/cut.ts'

/** The API server cuts every warning to 256 bytes once they pass 4,096 together; nobody reads that many. */
const MAX_WARNINGS = 12
const MAX_LENGTH = 120

/** One line for `kubectl` to print: `[reason] text`, printable ASCII, at most 120 characters, the middle cut out. */
export function warning(reason: string, text: string): string {
  const line = `[${reason}] ${text}`.replaceAll(/[^ -~]/g, '?') // a line break would make the whole warning vanish
  return cut(line, MAX_LENGTH)
}

/** The first twelve of `warnings`; the twelfth counts the rest where there are more. */
export function limited(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings
  const shown = warnings.slice(0, MAX_WARNINGS - 1)
  return [...shown, warning('Plan', `and ${warnings.length - shown.length} more`)]
}
