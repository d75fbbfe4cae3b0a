/** What people would stumble over in the output of a command, although it succeeds. */

/** Whoever sees no line for longer thinks that it hangs. What goes on says so each minute. */
const SILENCE_MS = 120_000

/** A line, and when it was printed. */
export interface Line {
  readonly atMs: number
  readonly text: string
}

const TOTAL = /^\d+ passed, \d+ failed$/

/** Silences, warnings of Node, and totals that look like the end, of a command that began at 0. */
export function stumblingBlocks(lines: readonly Line[], endMs: number): readonly string[] {
  const found: string[] = []
  let [lastMs, after] = [0, 'the beginning']
  for (const { atMs, text } of [...lines, { atMs: endMs, text: 'the end' }]) {
    if (atMs - lastMs > SILENCE_MS) found.push(`${Math.round((atMs - lastMs) / 1000)} s of silence after: ${after}`)
    lastMs = atMs
    after = text
  }
  const said = lines.map(({ text }) => text).filter((text) => text !== '')
  for (const text of said) if (/^\(node:\d+\)/.test(text)) found.push(`a warning of Node: ${text}`)
  for (const text of said.slice(0, -1)) if (TOTAL.test(text)) found.push(`looks like the end: ${text}`)
  return found
}
