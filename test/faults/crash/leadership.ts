/** A leader that gives its Lease to a standby while an experiment is created and updated; either may be killed. */
import { setTimeout as pause } from 'node:timers/promises'
import { AuditTail } from '../../../sandbox/audit.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { chronicle, type Rival, usurped } from '../../integration/rivals.ts'
import type { ApiCall } from '../api-call.ts'
import { type Actor, type CrashPoint, startActor } from './actor.ts'
import {
  aStage,
  CONVERGED_MS,
  compared,
  type Expected,
  type Reference,
  type RunOptions,
  summary,
  type Verdict,
} from './run.ts'
import { created, isAvailable, isUpdated, PATIENT, type Scene, updated, withSource } from './scenarios.ts'

const ROLES = ['leader', 'successor'] as const
type Role = (typeof ROLES)[number]

/** A Lease that nobody gave back is taken 15 s after it was last seen to change, with the next look. */
const TAKEOVER_MS = 20_000
/** Longer than the time between two renewals. */
const LASTS_MS = 5_000

/** The words for writes of the Lease. A leader renews without end, so only its first renewal is a crash point. */
const leaseWrites: Readonly<Record<Role, (isStopping: () => boolean) => (call: ApiCall) => string>> = {
  leader:
    (isStopping) =>
    ({ method }) =>
      method === 'POST' ? 'create leases' : isStopping() ? 'release leases' : 'renew leases',
  successor: () => {
    let count = 0
    return () => {
      count += 1
      return count === 1 ? 'take leases' : 'renew leases'
    }
  },
}

/** Whether a request of the reference is a crash point. */
const isPoint = (request: string): boolean => !/renew leases #(?!1$)/.test(request)

/** What happened in one run. */
interface Told {
  readonly scene: Scene
  readonly stage: Awaited<ReturnType<typeof aStage>>
  readonly actors: readonly Actor[]
  readonly since: Date
  /** read once at the end: reading a whole log takes the processor from the proxies of other runs */
  readonly log: AuditTail
  readonly isReached: boolean
}

/** Plays the story. The last actor leads at the end and still runs. @throws Error if the controllers do not get on */
async function play({ scenario, run }: RunOptions, crash?: CrashPoint): Promise<Told> {
  const since = new Date()
  const stage = await aStage(scenario)
  const { scene } = stage
  const log = new AuditTail((await controlPlane()).auditLog, stage.own)
  let isStopping = false
  let isReached = false
  const actors: Actor[] = []
  const start = async (role: Role, suffix = ''): Promise<Actor> => {
    const [of, request = ''] = crash?.request.split(': ') ?? []
    const isKilled = crash && of === role && suffix === ''
    const actor = await startActor({
      ...stage,
      name: `${run}-${role}${suffix}`,
      leaseWrite: leaseWrites[role](() => isStopping),
      ...(isKilled ? { crash: { ...crash, request } } : {}),
    })
    actor.count()
    actors.push(actor)
    return actor
  }
  const deathOf = (actor: Actor) =>
    actor.crashed().then(() => {
      isReached = true
    })
  await withSource(scene)
  const leader = await start('leader')
  await Promise.race([leader.leads(), deathOf(leader)])
  const successor = await start('successor')
  let hasCrashed = false
  const restarted = deathOf(successor).then(() => {
    hasCrashed = true
    return start('successor', '-2')
  })
  await Promise.race([successor.ready, restarted])
  await created(scene)
  await eventually('try to be available', TAKEOVER_MS + CONVERGED_MS, () => isAvailable(scene), PATIENT)
  await Promise.race([pause(LASTS_MS), deathOf(leader)])
  isStopping = true
  await leader.stop('SIGTERM')
  await updated(scene)
  const done = () => eventually('try to be updated', TAKEOVER_MS + CONVERGED_MS, () => isUpdated(scene), PATIENT)
  const undisturbed = done()
  undisturbed.catch(() => undefined) // after a crash, the next controller makes the end
  await Promise.race([undisturbed, deathOf(successor)])
  await pause(LASTS_MS)
  // many start at once, so the time for the end begins when the next one is ready
  if (hasCrashed) await (await restarted).ready.then(done)
  return { scene, stage, actors, since, log, isReached }
}

/** One undisturbed run. */
export async function reference(options: RunOptions): Promise<Reference> {
  const { stage, actors } = await play(options)
  const writes = actors.flatMap((actor, index) =>
    actor.writes.map(({ request, atMs }) => ({ request: `${ROLES[index]}: ${request}`, atMs })),
  )
  const points = writes.filter(({ request }) => isPoint(request))
  await actors.at(-1)?.stop('SIGTERM')
  return summary(options, stage, points)
}

/** One run with a crash. Resolves to what is wrong with it. */
export async function rerun(options: RunOptions, point: CrashPoint, expected: Expected): Promise<Verdict> {
  const verdict = { scenario: options.scenario.name, ...point }
  const { stage, actors, since, log, isReached } = await play(options, point)
  const last = actors.at(-1)
  if (!last) throw new Error('a controller was started')
  const findings = await compared(options, { stage, last, expected })
  if (!isReached) return { ...verdict, isReached, problems: [] }
  const ready = await Promise.allSettled(actors.map((actor) => actor.ready))
  const rivals = ready.flatMap((of): readonly Rival[] => (of.status === 'fulfilled' ? [of.value] : []))
  const late = usurped(await chronicle(rivals, since, stage.system, await log.events()))
  const problems = late.map(({ by, what }) => `written without the Lease: ${what} by ${by}`)
  return { ...verdict, ...findings, isReached, problems: [...findings.problems, ...problems] }
}
