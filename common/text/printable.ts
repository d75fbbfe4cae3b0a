import { escapeInvisible } from '../json/escape.ts'

/** The most characters of somebody else's text. */
const MAX_LENGTH = 256
const CUT = '...'

/** Somebody else's `text` without invisible characters, in at most 256 characters. */
export function printable(text: string): string {
  let [shown, shorter] = ['', '']
  for (const char of text) {
    shown += escapeInvisible(char.toWellFormed())
    if (shown.length > MAX_LENGTH) return shorter + CUT
    if (shown.length <= MAX_LENGTH - CUT.length) shorter = shown
  }
  return shown
}
