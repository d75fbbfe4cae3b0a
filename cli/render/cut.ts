import { type Text, text } from '../../common/view/text.ts'
import type { Style } from './style.ts'

/** `whole` in at most `most` characters, without its middle: names differ at their ends. */
export function withoutMiddle(whole: Text, most: number, { isPlain }: Style): Text {
  const characters = [...whole]
  if (characters.length <= most) return whole
  const gap = cutMark(isPlain)
  const kept = Math.max(0, most - gap.length)
  const first = Math.ceil(kept / 2)
  return text([...characters.slice(0, first), gap, ...characters.slice(characters.length - (kept - first))].join(''))
}

const cutMark = (isPlain: boolean): string => (isPlain ? '...' : '…')

interface Size {
  readonly columns: number
  readonly rows: number
}

/**
 * As many of `lines` as a terminal has room for, and how many are left out. One row stays free for the cursor, and no
 * line is longer than a row: a terminal that wraps it would show fewer.
 */
export function fitted(lines: readonly string[], { columns, rows }: Size, { isPlain }: Style): readonly string[] {
  const room = Math.max(1, rows - 1)
  const kept = lines.length > room ? lines.slice(0, room - 1) : lines
  const left = lines.length - kept.length
  return [
    ...kept.map((line) => shortLine(line, columns, isPlain)),
    ...(left > 0 ? [`${cutMark(isPlain)} ${left} more lines`] : []),
  ]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colour of a mark, which takes no column
const COLOUR = /\u001b\[\d+m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour, or one character
const UNIT = /\u001b\[\d+m|./gsu

function shortLine(line: string, columns: number, isPlain: boolean): string {
  if ([...line.replaceAll(COLOUR, '')].length <= columns) return line
  const gap = cutMark(isPlain)
  let room = columns - gap.length
  const kept = (line.match(UNIT) ?? []).filter((unit) => unit.length > 2 || room-- > 0)
  return `${kept.join('')}${gap}`
}
