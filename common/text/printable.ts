import { escapeInvisible } from '../json/escape.ts'

/** The most characters of somebody else's text, where nothing else is said. */
const MAX_LENGTH = 256
const CUT = '...'

/** Somebody else's `text` without invisible characters, in at most `max` characters. */
export function printable(text: string, max = MAX_LENGTH): string {
  let [shown, shorter] = ['', '']
  for (const char of text) {
    shown += escapeInvisible(char.toWellFormed())
    if (shown.length > max) return shorter + CUT
    if (shown.length <= max - CUT.length) shorter = shown
  }
  return shown
}
