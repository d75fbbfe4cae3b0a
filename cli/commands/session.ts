import { GROUP } from '../../common/api/names.ts'
import { type Text, text } from '../../common/view/text.ts'
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

/** An experiment as `kubectl get -o name` prints it. */
export const fullName = (name: string): Text => text(`experimentdeployment.${GROUP}/${name}`)

/** The name under which the API server notes what this program has written. */
export const FIELD_MANAGER = 'kubectl-experiment'
