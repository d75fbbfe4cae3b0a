/**
 * A sign, a number and one suffix: binary, decimal, or an exponent of up to three digits. No two parts can match the
 * same text, so matching takes linear time.
 */
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?$/

/** Whether `text` is a quantity such as `500m`, `1.5Gi`, `2e3`. The grammar is that of Quantity in apimachinery. */
export const isQuantity = (text: string): boolean => QUANTITY.test(text)

/** The quantity that was probably meant by `text`: without spaces and `B`, with digits for similar letters. */
export function suggestQuantity(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const meant = text.replaceAll(/\s/g, '').replaceAll('O', '0').replaceAll('l', '1').replace(/[bB]$/, '')
  return meant !== text && isQuantity(meant) ? meant : undefined
}

/** Longer texts are not typing errors. */
const MAX_LENGTH = 60
