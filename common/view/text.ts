import { printable } from '../text/printable.ts'

declare const TEXT: unique symbol

/** Text that is safe to show: on one line, without invisible characters, of at most 1,024 characters. */
export type Text = string & { readonly [TEXT]: true }

const MAX_TEXT = 1_024

/**
 * Makes somebody's text safe to show, on a terminal as on a page: white space becomes one space, invisible characters
 * and halves of characters are escaped, and the end of a long text is cut. Renderers accept no other text from a
 * cluster. Never throws.
 */
export const text = (value: string): Text =>
  printable(value.slice(0, MAX_READ).replaceAll(/\s+/g, ' ').trim(), MAX_TEXT) as Text

/** The most characters that are looked at: the rest is cut anyway, unless almost all is white space. */
const MAX_READ = 64 * 1_024
