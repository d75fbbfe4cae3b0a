/**
 * How many pods a fork gets beside the `source` pods of its source, so that `weight` percent of all are its own: of the
 * two whole numbers around the exact one that with the nearer share, the smaller if both are as near, and at least one.
 * Without a weight or a source, none. Only whole numbers are computed, so that no rounding decides. Expects a weight
 * below 100: there is no such number for 100.
 */
export function podsFor(weight: number, source: number): number {
  if (weight <= 0 || source <= 0) return 0
  const below = Math.floor((source * weight) / (100 - weight))
  if (below === 0) return 1
  // The share of E pods is E / (E + S). It differs from the weight by |100 E - w (E + S)| / (100 (E + S)).
  const distance = (pods: number) => Math.abs(100 * pods - weight * (pods + source))
  const isBelowNearer = distance(below) * (below + 1 + source) <= distance(below + 1) * (below + source)
  return isBelowNearer ? below : below + 1
}

/** The largest weight whose pods are at most `pods`, beside `source` pods. */
export function weightWithin(pods: number, source: number): number {
  for (let weight = 99; weight > 0; weight -= 1) if (podsFor(weight, source) <= pods) return weight
  return 0
}
