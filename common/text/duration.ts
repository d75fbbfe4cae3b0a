const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Whole seconds in at most two units: `45s`, `1h30m`, `2d`. */
export function duration(seconds: number): string {
  const from = UNITS.findIndex(([, size]) => seconds >= size)
  if (from < 0) return '0s'
  let rest = seconds
  const parts = UNITS.slice(from, from + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? `${count}${unit}` : ''
  })
  return parts.join('')
}
