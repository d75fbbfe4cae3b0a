/** A number, or a percentage such as `25%`: an `IntOrString` of Kubernetes. */
export type Amount = number | string

/** The pattern of an amount in the CRD. */
export const AMOUNT_PATTERN = '^[0-9]{1,5}%?$'

/** A number, or percent of `whole`, rounded up as `maxSurge` of a Deployment. Undefined for anything else. */
export const roundedUp = (amount: unknown, whole: number): number | undefined => rounded(amount, whole, Math.ceil)

/** As `roundedUp`, but rounded down as `maxUnavailable` of a Deployment. */
export const roundedDown = (amount: unknown, whole: number): number | undefined => rounded(amount, whole, Math.floor)

function rounded(amount: unknown, whole: number, round: (exact: number) => number): number | undefined {
  if (typeof amount === 'number') return Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
  if (typeof amount !== 'string' || !new RegExp(AMOUNT_PATTERN).test(amount)) return undefined
  const number = Number.parseInt(amount, 10)
  return amount.endsWith('%') ? round((number * whole) / 100) : number
}
