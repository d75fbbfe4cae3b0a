/** Terms that are smaller than this part of the largest are left out. */
const NEGLIGIBLE = 1e-20
/** From here on Stirling's series is exact to the last digit. */
const EXACT_BELOW = 16

const LOG_FACTORIALS: readonly number[] = Array.from({ length: EXACT_BELOW }, (_, n) => {
  let product = 1
  for (let i = 2; i <= n; i += 1) product *= i
  return Math.log(product)
})

/** log n! − (n log n − n + ½ log 2πn), for n ≥ 1. */
function stirlingError(n: number): number {
  const exact = LOG_FACTORIALS[n]
  if (exact !== undefined) return exact - (n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2)
  return (1 / 12 - (1 / 360 - (1 / 1_260 - 1 / (1_680 * n * n)) / (n * n)) / (n * n)) / n
}

/** log of the binomial coefficient, as a sum of small terms: differences of log factorials would lose nine digits. */
function logChoose(n: number, k: number): number {
  const rest = n - k
  if (k === 0 || rest === 0) return 0
  return (
    k * Math.log(n / k) +
    rest * Math.log(n / rest) +
    Math.log(n / (2 * Math.PI * k * rest)) / 2 +
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(rest)
  )
}

/** Two arms with their sizes, and how many events both have together. */
interface ArmTotals {
  readonly treatment: number
  readonly control: number
  readonly events: number
}

/**
 * The logarithm of Σₖ C(nT, k) C(nC, e − k) wᵏ: of all ways to spread the events over the requests of both arms, each
 * event of the treatment weighted by the odds `w`. The sum goes outward from its largest term.
 */
export function logWeightedCombinations({ treatment, control, events }: ArmTotals, w: number): number {
  const [least, most] = [Math.max(0, events - control), Math.min(treatment, events)]
  const mode = Math.min(most, Math.max(least, Math.ceil(modeOf({ treatment, control, events }, w))))
  const rest = control - events + 1
  let sum = 1
  // each term is a part of the one before: no division waits for the last one
  for (let [k, term] = [mode, 1]; k < most && term > NEGLIGIBLE * sum; k += 1) {
    term *= (w * (treatment - k) * (events - k)) / ((k + 1) * (rest + k))
    sum += term
  }
  for (let [k, term] = [mode, 1]; k > least && term > NEGLIGIBLE * sum; k -= 1) {
    term *= (k * (rest + k - 1)) / (w * (treatment - k + 1) * (events - k + 1))
    sum += term
  }
  return logChoose(treatment, mode) + logChoose(control, events - mode) + mode * Math.log(w) + Math.log(sum)
}

/** Where neighbouring terms are equal: the root of a quadratic, in the form that loses no digits. */
function modeOf({ treatment, control, events }: ArmTotals, w: number): number {
  const square = w - 1
  const linear = w * (treatment + events) + control - events + 2
  const constant = w * treatment * events - (control - events + 1)
  return (2 * constant) / (linear + Math.sqrt(Math.max(0, linear * linear - 4 * square * constant)))
}
