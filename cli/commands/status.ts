import { startDeadline } from '../../common/program/deadline.ts'
import type { ExperimentView } from '../../common/view/experiment-view.ts'
import { text } from '../../common/view/text.ts'
import { experimentNamed, foundIn, rowIn, viewAlone } from '../cluster/experiment.ts'
import { followExperiments } from '../cluster/follow.ts'
import type { Goal } from '../flags/goal.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { Stop } from '../process/stop.ts'
import { pluginCommand } from '../render/details.ts'
import { changeLine, changeOf, goneLine } from '../render/rows.ts'
import { type Judgement, judge } from './judge.ts'
import { print, type Session } from './session.ts'

export interface StatusFlags {
  readonly goal: Goal
  /** 0: without end */
  readonly timeoutSeconds: number
  /** false: the present state is judged once */
  readonly watch: boolean
}

/**
 * Waits until the experiment `name` reaches a goal, and prints a line for each change.
 * @throws Stop when it cannot reach the goal any more, with the exit code that says why, or when the time is over
 */
export async function status(session: Session, name: string, flags: StatusFlags): Promise<ExitCode> {
  const { io } = session
  const { timeoutSeconds } = flags
  if (timeoutSeconds === 0) return waited(session, name, flags)
  const deadline = startDeadline(io.timers, timeoutSeconds * 1_000, io.signal)
  try {
    const code = await waited({ ...session, io: { ...io, signal: deadline.signal } }, name, flags)
    if (code !== EXIT.interrupted || io.signal.aborted) return code
  } catch (error) {
    if (!deadline.signal.aborted || io.signal.aborted) throw error
  } finally {
    deadline.end()
  }
  throw new Stop(
    EXIT.timeout,
    `${text(name)} has not reached the goal in time`,
    'Wait longer with --timeout, or look: kubectl experiment get.',
  )
}

async function waited(session: Session, name: string, { goal, watch }: StatusFlags): Promise<ExitCode> {
  const { client, io } = session
  const first = await experimentNamed(session, name)
  const { metadata } = first.experiment
  if (!watch) {
    print(session, [changeLine(rowIn(first.stored), io.clock())])
    const view = viewAlone(first, io.clock())
    if (!isOver(judge(goal, view), { view, goal })) throw notYet(view, goal)
    return EXIT.done
  }
  let [last, view] = ['', viewAlone(first, io.clock())]
  for await (const experiments of followExperiments(
    client,
    { namespace: metadata.namespace, name: metadata.name },
    io,
  )) {
    const object = experiments.get(metadata.uid)
    const row = object && rowIn(object)
    const shown = row ? changeOf(row) : 'gone'
    if (shown !== last) print(session, [row ? changeLine(row, io.clock()) : goneLine(metadata, io.clock())])
    last = shown
    const now = object && viewAlone(foundIn(object, metadata), io.clock())
    view = now ?? view
    if (isOver(judge(goal, now), { view, goal })) return EXIT.done
  }
  return EXIT.interrupted
}

interface Ending {
  readonly view: ExperimentView
  readonly goal: Goal
}

const wordOf = (goal: Goal): string => (goal.is === 'step' ? `step=${goal.steps}` : goal.is)

/** @throws Stop if the goal cannot be reached */
function isOver(judgement: Judgement, { view: { metadata, because }, goal }: Ending): boolean {
  if (judgement.is !== 'lost') return judgement.is === 'reached'
  const { exitCode, because: why } = judgement
  throw new Stop(
    exitCode,
    `${metadata.name} cannot reach the goal ${wordOf(goal)}: ${why}`,
    exitCode === EXIT.usage ? 'Choose another goal with --for.' : because.remedy || pluginCommand('get', metadata),
  )
}

const notYet = ({ metadata, state }: ExperimentView, goal: Goal): Stop =>
  new Stop(
    EXIT.failed,
    `${metadata.name} has not reached the goal ${wordOf(goal)} yet: it is ${state}`,
    `Wait for it: ${pluginCommand('status', metadata)}`,
  )
