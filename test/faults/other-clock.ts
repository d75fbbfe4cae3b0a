import { preloaded } from './preloaded.ts'

/**
 * The environment of a program of Node whose wall clock is wrong. `shift` is JavaScript: a function that returns by how
 * many milliseconds it is wrong now.
 */
export const otherClock = (shift: string): { readonly NODE_OPTIONS: string } =>
  preloaded(`
    const Right = Date
    const shift = ${shift}
    globalThis.Date = class extends Right {
      constructor(...of) { of.length === 0 ? super(Right.now() + shift()) : super(...of) }
      static now() { return Right.now() + shift() }
    }`)
