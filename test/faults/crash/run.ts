/** Runs of a scenario: undisturbed ones, and one for each crash point. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { aNamespace, controlPlane } from '../../integration/fixture.ts'
import { DEADLINE_MS, placeIn } from '../../integration/product.ts'
import { type Actor, type CrashPoint, startActor } from './actor.ts'
import type { IdleActors } from './idle.ts'
import { differences, endState, eventCounts, type History, type Silence } from './oracles.ts'
import { doneMs, PATIENT, type Scenario, type Scene, withSource } from './scenarios.ts'

/** The longest time from the start of the next controller to the end of the run. */
export const CONVERGED_MS = 30_000
/** After this time without a write, Events included, the last has been written. */
const REST_MS = 3_000
/** The longest time between a change and the writes that follow from it: shares are written every ten seconds. */
const REFERENCE_REST_MS = 12_000
const QUIET_MS = 15_000
const LONG_QUIET_MS = 60_000

/** A look at the end needs several lists, and many runs look at once. */
const RARELY = { pauseMs: 1_000 }

/** How an undisturbed run ended. */
export interface Reference {
  /** in the order of their arrival */
  readonly requests: readonly string[]
  readonly end: Json
  readonly forkEvents: ReturnType<History['forkEvents']>
  readonly events: Readonly<Record<string, number>>
}

/** What a run with a crash is compared with. */
export interface Expected extends Reference {
  /** the paths at which undisturbed runs differ */
  readonly masked: ReadonlySet<string>
  /** further paths that are not compared */
  readonly mayDiffer?: RegExp | undefined
  /** whether the quiet time goes on for a minute, after the verdict */
  readonly isLong: boolean
}

/** What is wrong with a run. */
interface Findings {
  /** empty if all is well */
  readonly problems: readonly string[]
  readonly silence?: Silence
  /** if the quiet time is long: resolves to what was written in the rest of it, and to how the controller ended */
  readonly later?: Promise<readonly string[]>
}

/** How a run ended in which the controller was killed. */
export interface Verdict extends CrashPoint, Findings {
  readonly scenario: string
  /** false if the controller did not make the request, or not so often */
  readonly isReached: boolean
}

export interface RunOptions {
  readonly scenario: Scenario
  readonly history: History
  /** a word for names */
  readonly run: string
  readonly idle: IdleActors
  /** called when the quiet time begins: nothing happens in it, so the next run may begin */
  readonly onQuiet?: () => void
}

/** How the runs of a scenario are made. */
export interface Runner {
  readonly reference: (options: RunOptions) => Promise<Reference>
  readonly rerun: (options: RunOptions, point: CrashPoint, expected: Expected) => Promise<Verdict>
}

/** New namespaces for a run. */
export async function aStage(scenario: Scenario) {
  const { isApart = false, mayPromote = false, mayCutOver = false, mayAnalyze = false, replicas = 1 } = scenario
  const { api } = await controlPlane()
  const [own, apart] = [await aNamespace(), isApart ? await aNamespace() : undefined]
  const system = `${own}-system`
  await api.create(resourcePath(RESOURCES.Namespace), { metadata: { name: system } })
  const names = { own, forks: apart ?? own }
  const scene: Scene = { own: await placeIn(names.own), forks: await placeIn(names.forks) }
  const setting = (isOn: boolean) => (isOn ? 'enabled' : 'disabled')
  const env = {
    PROMOTION: setting(mayPromote),
    GATE: setting(mayCutOver),
    CUT_OVER: setting(mayCutOver),
    ANALYSIS: setting(mayAnalyze),
    ...(mayAnalyze ? { ANALYSIS_LOOPBACK: 'allow' } : {}),
  }
  return { scene, system, replicas, env, ...names }
}

type Stage = Awaited<ReturnType<typeof aStage>>

/** The writes of `actor` without those of the Lease. */
const writesOf = ({ writes }: Actor) => writes.filter(({ request }) => !request.includes(' leases '))

/** Resolves when `actor` has not written for `restMs`. */
const rests = (actor: Actor, restMs: number): Promise<void> => {
  const fromMs = Date.now()
  return eventually(`${restMs} ms without a write`, DEADLINE_MS, () => {
    const writes = writesOf(actor)
    const lastMs = Math.max(fromMs, ...writes.map(({ atMs }) => atMs))
    if (Date.now() < lastMs + restMs) throw new Error(writes.at(-1)?.request ?? 'nothing is written')
  })
}

/** Takes or starts a controller, and makes everything ready for the change. */
async function prepared({ scenario, run, idle }: RunOptions, stage: Stage, crash?: CrashPoint): Promise<Actor> {
  const found = crash && idle.take(stage.env)
  if (found) found.moveTo(stage, crash)
  const actor = found ?? (await startActor({ ...stage, name: `${run}-first`, ...(crash ? { crash } : {}) }))
  const source = scenario.source?.(stage.scene) ?? withSource(stage.scene, stage.replicas)
  await Promise.all([source, actor.leads()])
  await scenario.before?.(stage.scene)
  await pause(REST_MS) // the Events of the preparation are sent
  actor.count()
  return actor
}

/** One undisturbed run. */
export async function reference(options: RunOptions): Promise<Reference> {
  const { scenario } = options
  const stage = await aStage(scenario)
  const actor = await prepared(options, stage)
  await scenario.change(stage.scene)
  await eventually(`${scenario.name} to be done`, doneMs(scenario), () => scenario.isDone(stage.scene), PATIENT)
  await rests(actor, REFERENCE_REST_MS)
  await actor.stop('SIGTERM')
  return summary(options, stage, actor.writes)
}

/** The end of an undisturbed run. */
export async function summary({ history }: RunOptions, { own, forks }: Stage, writes: Actor['writes']) {
  const end = await endState({ own, forks })
  const requests = writes.map(({ request }) => request)
  return { requests, end, forkEvents: history.forkEvents(forks), events: await eventCounts(own) }
}

/** One run with a crash, after which another controller starts. Resolves to what is wrong with it. */
export async function rerun(options: RunOptions, point: CrashPoint, expected: Expected): Promise<Verdict> {
  const { scenario, run } = options
  const stage = await aStage(scenario)
  const first = await prepared(options, stage, point)
  const changing = scenario.change(stage.scene)
  changing.catch(() => undefined) // awaited below
  const verdict = { scenario: scenario.name, ...point }
  const undisturbed = async () => {
    await changing
    await eventually(`${scenario.name} to be done`, doneMs(scenario), () => scenario.isDone(stage.scene), PATIENT)
    await rests(first, REST_MS)
    return false
  }
  const ending = undisturbed()
  ending.catch(() => undefined) // after a crash, the next controller makes the end
  const isReached = await Promise.race([first.crashed().then(() => true), ending])
  if (!isReached) {
    await first.stop('SIGTERM')
    return { ...verdict, isReached, problems: [] }
  }
  const isAllDone = unlike(expected, await endState(stage)).length === 0
  const { api } = await controlPlane()
  // nobody else leads here, so the next controller need not wait until it expires
  if (first.system === stage.system)
    await api.delete(resourcePath(RESOURCES.Lease, { namespace: stage.system, name: 'experiment-controller' }))
  const second = await startActor({ ...stage, name: `${run}-second` })
  second.count()
  await second.leads()
  const isKept = !expected.isLong
  const findings = await compared(options, { stage, last: second, expected, changing, isKept })
  const needless = isAllDone ? second.writes.map(({ request }) => `written although all was done: ${request}`) : []
  // only now: who takes it forgets what it has written
  if (isKept && findings.silence && second.problems().length === 0) await options.idle.leave(second)
  return { ...verdict, ...findings, isReached, problems: [...findings.problems, ...needless] }
}

interface Ending {
  readonly stage: Stage
  /** the controller that leads now */
  readonly last: Actor
  readonly expected: Expected
  /** what people still do */
  readonly changing?: Promise<void>
  /** whether the controller goes on if the run gets to its quiet time; default: it is stopped */
  readonly isKept?: boolean
}

/** Waits until a run ends as expected and for the quiet time, and stops its last controller unless that is kept. */
export async function compared(options: RunOptions, ending: Ending): Promise<Findings> {
  const { stage, last, expected, changing, isKept = false } = ending
  const stopped = () =>
    last.stop('SIGKILL').then(
      () => [],
      (error: Error) => [error.message],
    )
  try {
    await changing
    const begunMs = Date.now()
    await rests(last, REST_MS) // a look needs several lists, and before that none can find the end
    const isAsExpected = async () => {
      const unexpected = unlike(expected, await endState(stage))
      if (unexpected.length > 0) throw new Error(unexpected.join('; '))
    }
    const withinMs = (options.scenario.convergedMs ?? CONVERGED_MS) - (Date.now() - begunMs)
    await eventually('the end of the reference', withinMs, isAsExpected, RARELY)
    await rests(last, REST_MS)
    const [fromMs, count] = [Date.now(), writesOf(last).length]
    const written = () =>
      writesOf(last)
        .slice(count)
        .map(({ request }) => `written in the quiet time: ${request}`)
    options.onQuiet?.()
    await pause(QUIET_MS)
    const silence = { run: options.run, own: stage.own, forks: stage.forks, fromMs, toMs: Date.now() }
    const problems = [...written(), ...(await finalProblems(options, stage, expected))]
    if (isKept) return { problems: [...problems, ...last.problems()], silence }
    if (!expected.isLong) return { problems: [...problems, ...(await stopped())], silence }
    const later = pause(LONG_QUIET_MS - QUIET_MS).then(async () => [...written(), ...(await stopped())])
    return { problems, silence, later }
  } catch (error) {
    const written = writesOf(last).at(-1)
    const lastWrite = written
      ? `${written.request} was written ${Date.now() - written.atMs} ms ago`
      : 'nothing was written'
    return { problems: [`${(error as Error).message}; ${lastWrite}`, ...(await stopped())] }
  }
}

const unlike = ({ end, masked, mayDiffer }: Expected, found: Json): readonly string[] =>
  [...differences(found, end)]
    .filter(([path]) => !masked.has(path) && !mayDiffer?.test(path))
    .map(([path, values]) => `${path}: ${values}`)

/** Another end, forks that were created or deleted oftener, or more than one Event too many of a reason. */
async function finalProblems({ history, scenario }: RunOptions, { own, forks, scene }: Stage, expected: Expected) {
  const events = Object.entries(await eventCounts(own))
    .filter(([reason, count]) => count > (expected.events[reason] ?? 0) + 1)
    .map(([reason, count]) => `${count} Events ${reason} instead of ${expected.events[reason] ?? 0}`)
  const counts = [...differences(history.forkEvents(forks), expected.forkEvents)]
  return [
    ...unlike(expected, await endState({ own, forks })),
    ...counts.map(([type, values]) => `${type} of forks: ${values}`),
    ...events,
    ...(await history.verdictProblems(own)),
    ...((await scenario.problems?.(scene)) ?? []),
  ]
}
