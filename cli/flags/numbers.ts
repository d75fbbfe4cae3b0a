import { misuse } from '../process/stop.ts'

/** The whole number `value` of a flag, at least `min`. @throws Stop that names the flag */
export function wholeOf(where: string, value: string, min: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= min) return number
  throw misuse(`${where} ${value}`, 'no such number', `Write a whole number from ${min}.`)
}
