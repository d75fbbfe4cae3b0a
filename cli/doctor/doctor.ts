import { KubeError } from '../../common/kube/client/errors.ts'
import { pause } from '../../common/program/clock.ts'
import { type Text, text } from '../../common/view/text.ts'
import { print, type Session } from '../commands/session.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { documentOf } from '../render/document.ts'
import type { Mark } from '../render/style.ts'
import { tableLines } from '../render/table.ts'
import { type CheckResult, examine } from './checks.ts'
import { clusterOf } from './cluster.ts'
import { EXPECTED } from './expected.ts'
import { findInstallation } from './installation.ts'

/** The flags of `doctor`. */
export interface DoctorFlags {
  /** where the programs are; absent: what the validating configuration names */
  readonly namespace?: string
  /** how many seconds to repeat while something is bad; 0: once */
  readonly wait: number
  readonly output?: 'json'
}

/** The pause between two rounds. */
const PAUSE_MS = 2_000

/**
 * Looks whether the product is installed as it should be, and prints a line for each check. With `wait` it repeats
 * that until nothing is bad, and prints what changed.
 * @returns whether nothing is bad in the end
 * @throws Error if the API server cannot be reached at all
 */
export async function doctor(session: Session, { namespace, wait, output }: DoctorFlags): Promise<ExitCode> {
  const { client, io } = session
  await reached(session)
  const cluster = clusterOf(client, io.signal)
  const endMs = io.timers.now() + wait * 1_000
  let before: readonly CheckResult[] = []
  for (;;) {
    const installation = await findInstallation(cluster, namespace)
    const results = await examine({ ...io, cluster, installation, expected: EXPECTED })
    if (io.signal.aborted) return EXIT.interrupted
    if (output === undefined) print(session, changedLines(results, before, session))
    before = results
    const isSound = results.every(({ result }) => result !== 'bad')
    if (isSound || io.timers.now() >= endMs) {
      if (output === 'json') io.out(await documentOf({ checks: results }, 'json'))
      return isSound ? EXIT.done : EXIT.failed
    }
    await pause(io.timers, PAUSE_MS, io.signal)
  }
}

/** Each later failure is that of a check. @throws KubeError if no API server answers, or it does not know the caller */
async function reached({ client, io: { signal } }: Session): Promise<void> {
  try {
    await client.request({ verb: 'get', path: '/version', signal })
  } catch (error) {
    if (!(error instanceof KubeError) || error.kind === 'unreachable') throw error
  }
}

const MARKS: Readonly<Record<CheckResult['result'], Mark>> = {
  ok: 'Running',
  warn: 'Paused',
  bad: 'Failed',
  unknown: 'Idle',
}

/** The lines of the results that were not so before, each with what to do below it. */
function changedLines(results: readonly CheckResult[], before: readonly CheckResult[], { style }: Session) {
  const rows = results.map(({ name, result, seen }) => [{ mark: MARKS[result], text: text(result) }, text(name), seen])
  return tableLines({ rows }, style).flatMap((line, index) => {
    const [now, last] = [results[index], before[index]]
    const isSame = now?.result === last?.result && now?.seen === last?.seen
    return isSame ? [] : [line, ...remedyLines(now?.remedy)]
  })
}

const remedyLines = (remedy: Text | undefined): readonly string[] => (remedy === undefined ? [] : [`    -> ${remedy}`])
