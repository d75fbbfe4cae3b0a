import type { Vars } from '../../common/program/env.ts'
import type { Terminal } from './io.ts'

/** `stdout` if it can be painted again. One that does not tell its size, as in some containers, says 0. */
export const terminalOf = (stdout: Terminal & { readonly isTTY?: boolean }, { TERM }: Vars): Terminal | undefined =>
  stdout.isTTY && TERM !== 'dumb' && stdout.columns > 0 && stdout.rows > 0 ? stdout : undefined
