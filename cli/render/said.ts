import { type Text, text } from '../../common/view/text.ts'

/**
 * A text of our own words with texts and numbers between them. What comes from the cluster has to be a `Text` before:
 * the compiler refuses a plain string.
 */
export const said = (words: TemplateStringsArray, ...values: readonly (Text | number)[]): Text =>
  text(String.raw({ raw: words }, ...values))

/** No text. */
export const NOTHING = text('')
/** What a table shows where there is nothing. */
export const DASH = text('-')

/** `texts` with two spaces between them, without those that are empty. */
export const spaced = (...texts: readonly (Text | undefined)[]): string =>
  texts.filter((each) => each !== undefined && each !== '').join('  ')
