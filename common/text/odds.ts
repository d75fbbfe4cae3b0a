/** How many times as likely something is, as a whole number, from the natural logarithm of that. */
export const odds = (logE: number): string => {
  if (logE > Math.log(MOST_ODDS)) return `>${MOST_ODDS}`
  return logE < 0 ? '<1' : String(Math.round(Math.exp(logE)))
}

/** The largest number that is shown. No analysis needs more: eight metrics with the smallest `alpha` need 80,000. */
const MOST_ODDS = 100_000
