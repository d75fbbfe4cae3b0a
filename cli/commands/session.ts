import type { Connection } from '../cluster/connection.ts'
import type { Io } from '../process/io.ts'
import type { Style } from '../render/style.ts'

/** What each command has: its process, the cluster, and how to print. */
export interface Session extends Connection {
  readonly io: Io
  readonly style: Style
}

/** Prints lines to standard output. */
export const print = ({ io }: Pick<Session, 'io'>, lines: readonly string[]): void =>
  io.out(lines.map((line) => `${line}\n`).join(''))

/** The columns of the terminal; absent: there is none, so nothing has to be cut. */
export const widthOf = ({ io }: Pick<Session, 'io'>): { readonly width?: number } =>
  io.terminal ? { width: io.terminal.columns } : {}
