import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentRow, ExperimentView, State } from '../../common/view/experiment-view.ts'
import { compareRows } from '../../common/view/order.ts'
import { text } from '../../common/view/text.ts'
import { viewOf } from '../../common/view/view.ts'
import { experimentNamed, factsNamed, factsOf, rowIn } from '../cluster/experiment.ts'
import { type Experiments, followExperiments, listExperiments, type Where } from '../cluster/follow.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { explained, linesOf } from '../process/explain.ts'
import { detailLines } from '../render/details.ts'
import { documentOf } from '../render/document.ts'
import type { Live } from '../render/live.ts'
import { changeLine, changeOf, goneLine, listLines } from '../render/rows.ts'
import { fullName, print, type Session } from './session.ts'

export interface GetFlags {
  readonly allNamespaces?: boolean
  readonly selector?: string
  readonly watch?: boolean
  readonly output?: 'wide' | 'json' | 'yaml' | 'name'
  readonly headers: boolean
  readonly showValues?: boolean
}

/** Prints the experiments of a namespace, or of all, and with `watch` each change until Ctrl-C. @throws KubeError */
export async function list(session: Session, flags: GetFlags): Promise<ExitCode> {
  const { client, io, namespace } = session
  const { allNamespaces = false, selector, watch } = flags
  const where: Where = {
    ...(allNamespaces ? {} : { namespace }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
  }
  if (watch) return watchList(session, where, flags)
  const rows = rowsOf(await listExperiments(client, where, io.signal), io.clock())
  if (flags.output === 'json' || flags.output === 'yaml')
    io.out(await documentOf({ apiVersion: LIST_VERSION, kind: 'ExperimentRowList', items: rows }, flags.output))
  else if (flags.output === 'name')
    print(
      session,
      rows.map(({ name }) => fullName(name)),
    )
  else if (rows.length === 0)
    io.err(`No experiments found${allNamespaces ? '' : ` in namespace ${text(namespace)}`}.\n`)
  else print(session, rowLines(session, rows, flags))
  return EXIT.done
}

const LIST_VERSION: ExperimentView['apiVersion'] = 'view.experimentcontroller.example.com/v1alpha1'

const rowsOf = (experiments: Experiments, now: Date): readonly ExperimentRow[] =>
  [...experiments.values()].map(rowIn).sort((one, other) => compareRows(one, other, now))

/** Only what is painted again has to fit: from a page that stays, people copy names. */
interface Width {
  readonly width?: number
}

const rowLines = (
  session: Session,
  rows: readonly ExperimentRow[],
  { allNamespaces = false, output, headers }: GetFlags,
  width: Width = {},
) =>
  listLines(
    rows,
    { namespace: allNamespaces, wide: output === 'wide', header: headers },
    { now: session.io.clock(), style: session.style, ...width },
  )

async function watchList(session: Session, where: Where, flags: GetFlags): Promise<ExitCode> {
  const { client, io } = session
  const screen = await liveOn(session, flags)
  let before: ReadonlyMap<string, ExperimentRow> = new Map()
  try {
    for await (const experiments of followExperiments(client, where, io)) {
      if (screen) screen.show((width) => rowLines(session, rowsOf(experiments, io.clock()), flags, { width }))
      else {
        const rows = rowsOf(experiments, io.clock())
        await printChanges(session, { before, rows, flags })
        before = new Map(rows.map((row) => [row.uid, row]))
      }
    }
  } finally {
    screen?.end()
  }
  return EXIT.interrupted
}

/** What paints is loaded only now: it knows the width of every emoji, and takes as long to load as a request. */
async function liveOn({ io: { terminal, timers }, style }: Session, { output }: GetFlags): Promise<Live | undefined> {
  if (!terminal || (output !== undefined && output !== 'wide')) return undefined
  const { live } = await import('../render/live.ts')
  return live({ terminal, timers, style })
}

interface Changes {
  readonly before: ReadonlyMap<string, ExperimentRow>
  readonly rows: readonly ExperimentRow[]
  readonly flags: GetFlags
}

/** A line, or a document, for each row that is another one than before. */
async function printChanges({ io }: Session, { before, rows, flags: { output } }: Changes): Promise<void> {
  const present = new Set(rows.map(({ uid }) => uid))
  for (const row of rows) {
    const last = before.get(row.uid)
    if (last && changeOf(last) === changeOf(row)) continue
    if (output === 'json' || output === 'yaml') io.out(await documentOf(row, output))
    else io.out(`${output === 'name' ? fullName(row.name) : changeLine(row, io.clock())}\n`)
  }
  for (const [uid, row] of before)
    if (!present.has(uid) && (output === undefined || output === 'wide')) io.out(`${goneLine(row, io.clock())}\n`)
}

/** Prints the experiment `name` with all that belongs to it. @throws Stop, KubeError */
export async function details(session: Session, name: string, flags: GetFlags): Promise<ExitCode> {
  const { io } = session
  const { output, showValues = false, watch } = flags
  if (watch) return watchDetails(session, name, flags)
  const facts = await factsNamed(session, name)
  const view = viewOf(facts, { showValues })
  if (output === 'json' || output === 'yaml') io.out(await documentOf(view, output))
  else if (output === 'name') print(session, [fullName(view.metadata.name)])
  else print(session, detailsOf(session, view, flags))
  return EXIT.done
}

const detailsOf = (session: Session, view: ExperimentView, { output }: GetFlags, width: Width = {}) =>
  detailLines(view, { now: session.io.clock(), style: session.style, ...width }, { wide: output === 'wide' })

/** What belongs to an experiment is read again after a change, but not more often. */
const READ_AGAIN_MS = 2_000
/** While it is moving, or a person looks for what is wrong, it is read again without a change of the experiment. */
const READ_MOVING_MS = 10_000
const MOVING: readonly State[] = ['Progressing', 'Stalled']

async function watchDetails(session: Session, name: string, flags: GetFlags): Promise<ExitCode> {
  const { client, io, namespace } = session
  const { metadata } = (await experimentNamed(session, name)).experiment
  const where = { namespace: metadata.namespace ?? namespace, name: metadata.name }
  const screen = await liveOn(session, flags)
  const reading = new Reading(session)
  const show = async (view: ExperimentView) => {
    if (screen) screen.show((width) => detailsOf(session, view, flags, { width }))
    else if (flags.output === 'json' || flags.output === 'yaml') io.out(await documentOf(view, flags.output))
    else if (flags.output === 'name') print(session, [fullName(view.metadata.name)])
    else io.out(`${detailsOf(session, view, flags).join('\n')}\n\n`)
  }
  let last: ExperimentRow | undefined
  try {
    for await (const experiments of followExperiments(client, where, io)) {
      const object = experiments.get(metadata.uid)
      if (object === undefined) {
        io.err(`${text(metadata.name)} is deleted\n`)
        return EXIT.done
      }
      const row = rowIn(object)
      if (screen || flags.output !== undefined) reading.start(object, { show, showValues: flags.showValues === true })
      else if (last === undefined || changeOf(last) !== changeOf(row)) print(session, [changeLine(row, io.clock())])
      last = row
    }
  } finally {
    reading.end()
    screen?.end()
  }
  return EXIT.interrupted
}

interface Showing {
  readonly show: (view: ExperimentView) => Promise<void>
  readonly showValues: boolean
}

/** Reads what belongs to an experiment again and again: after its changes, and while it is moving. */
class Reading {
  readonly #session: Session
  #object: KubeObject | undefined
  #cancel = () => {}
  #isReading = false
  #isEnded = false
  #readAt = Number.NEGATIVE_INFINITY

  constructor(session: Session) {
    this.#session = session
  }

  /** Reads for `object` as soon as that is due. The newest object counts. */
  start(object: KubeObject, showing: Showing): void {
    this.#object = object
    if (!this.#isReading) this.#after(this.#readAt + READ_AGAIN_MS - this.#session.io.timers.now(), showing)
  }

  end(): void {
    this.#isEnded = true
    this.#cancel()
  }

  #after(delayMs: number, showing: Showing): void {
    this.#cancel()
    if (this.#isEnded) return
    this.#cancel = this.#session.io.timers.after(Math.max(0, delayMs), () => void this.#read(showing))
  }

  async #read(showing: Showing): Promise<void> {
    const [object, { io }] = [this.#object, this.#session]
    if (object === undefined) return
    this.#isReading = true
    this.#readAt = io.timers.now()
    try {
      const view = viewOf(await factsOf(this.#session, object), { showValues: showing.showValues })
      if (this.#isEnded) return
      await showing.show(view)
      if (MOVING.includes(view.state)) this.#after(READ_MOVING_MS, showing)
    } catch (error) {
      if (!this.#isEnded && !io.signal.aborted) io.err(linesOf(explained(error)))
    } finally {
      this.#isReading = false
      if (this.#object !== object) this.#after(READ_AGAIN_MS, showing)
    }
  }
}
