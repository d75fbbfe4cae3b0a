/** A sign, a number, and one suffix: binary, decimal, or an exponent that somebody may mean. No two parts can match the same text: linear. */
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?$/

/** Whether `text` is an amount of a resource: `500m`, `1.5Gi`, `2e3`. Grammar: Quantity, in apimachinery's documentation. */
export const isQuantity = (text: string): boolean => QUANTITY.test(text)

/** The quantity that `text` was probably meant to be: without space or `B`, with digits where it has the like of them. */
export function meantQuantity(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const meant = text.replaceAll(/\s/g, '').replaceAll('O', '0').replaceAll('l', '1').replace(/[bB]$/, '')
  return meant !== text && isQuantity(meant) ? meant : undefined
}

/** Longer ones were not typed by hand. */
const MAX_LENGTH = 60
