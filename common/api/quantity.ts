/** A sign, a number and one suffix, as in `isQuantity` of `common/schema`. */
const QUANTITY = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/

const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n }
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

/** Kubernetes ignores blanks around a quantity. Longer texts are no quantities that anybody writes. */
const MAX_LENGTH = 60

/** Kubernetes keeps nine digits after the point. */
const SCALE = 9

/**
 * A quantity in billionths, rounded up as Kubernetes does, so that quantities can be compared and added. Undefined if
 * `value` is no quantity.
 */
export function parseQuantity(value: unknown): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined
  const [found, sign, whole = '', part, only, binary, decimal, exponent] = QUANTITY.exec(text.trim()) ?? []
  if (found === undefined) return undefined
  const fraction = part ?? only ?? ''
  const digits = BigInt(`${whole}${fraction}` || '0')
  const shifted = binary === undefined ? digits : digits << (BINARY[binary] ?? 0n)
  const tens = SCALE - fraction.length + (decimal === undefined ? Number(exponent ?? 0) : (DECIMAL[decimal] ?? 0))
  const scaled = tens >= 0 ? shifted * powerOfTen(tens) : roundedUp(shifted, powerOfTen(-tens))
  return sign === '-' ? -scaled : scaled
}

const POWERS = Array.from({ length: 28 }, (_, exponent) => 10n ** BigInt(exponent))
const powerOfTen = (exponent: number): bigint => POWERS[exponent] ?? 10n ** BigInt(exponent)

const roundedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** One, in the unit of `parseQuantity`. */
export const ONE = 10n ** BigInt(SCALE)
