/** The environment variables of a program. Its `main.ts` passes them in. */
export type Vars = Readonly<Record<string, string | undefined>>

interface WholeNumber {
  readonly fallback: number
  readonly min: number
  readonly max: number
}

/**
 * The variable as a number, or `fallback` if it is unset or empty. (A value that is unset in a manifest becomes empty.)
 * @throws Error with variable, range and value: `WORKERS must be a whole number from 1 to 64, found "many"`
 */
export function wholeNumber(vars: Vars, name: string, { fallback, min, max }: WholeNumber): number {
  const found = vars[name]
  if (!found) return fallback
  // Number() alone would accept "", " 7", "0x10" and "1e3"
  const value = /^-?\d+$/.test(found) ? Number(found) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Error(`${name} must be a whole number from ${min} to ${max}, found ${JSON.stringify(found)}`)
}

interface Choice<T extends string> {
  readonly choices: readonly T[]
  readonly fallback: T
}

/** The variable as one of `choices`; `fallback` if unset or empty. @throws Error with variable, choices and value */
export function choice<T extends string>(vars: Vars, name: string, { choices, fallback }: Choice<T>): T {
  const found = vars[name] || fallback
  const chosen = choices.find((known) => known === found)
  if (chosen !== undefined) return chosen
  throw new Error(`${name} must be one of ${choices.join(', ')}, found ${JSON.stringify(found)}`)
}
