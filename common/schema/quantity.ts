/** A sign, a number, and one suffix: binary, decimal, or an exponent. No two parts can match the same text: linear. */
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/

/** Whether `text` is an amount of a resource: `500m`, `1.5Gi`, `2e3`. Grammar: Quantity, in apimachinery's documentation. */
export const isQuantity = (text: string): boolean => QUANTITY.test(text)
