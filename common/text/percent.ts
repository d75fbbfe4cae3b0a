/** Whole percent: 1 of 13 is `8%`, but 1 of 300 is `<1%` and 299 of 300 is `99%`. Undefined if `whole` is 0. */
export function percent(part: number, whole: number): string | undefined {
  if (whole === 0) return undefined
  if (part > 0 && part / whole < 0.01) return '<1%'
  const rounded = Math.round((100 * part) / whole)
  return `${part < whole ? Math.min(99, rounded) : rounded}%`
}
