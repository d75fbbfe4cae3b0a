/** Several processes that compete for one Lease, with clocks, a network and mishaps that a schedule prescribes. */
import fc from 'fast-check'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import type { Timers } from '../../../common/program/clock.ts'
import { Leader } from '../../../controller/runtime/leader.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { LeaseServer } from './lease-server.ts'
import { OTHER } from './lease-world.ts'

/** How long mishaps happen, and how long they are repaired then. */
const TROUBLE_MS = 180_000
const CALM_MS = 60_000
const STEP_MS = 100
/** For so long after a deletion, the answer to an earlier write of the Lease may make somebody lead. */
const ANSWERED_MS = 20_000

/** What happens to one request. A late request is carried out although its sender no longer waits for it. */
const trip = fc.record({
  thereMs: fc.oneof({ weight: 3, arbitrary: fc.nat(300) }, { weight: 3, arbitrary: fc.nat(4_500) }, fc.nat(30_000)),
  backMs: fc.oneof({ weight: 3, arbitrary: fc.nat(300) }, { weight: 3, arbitrary: fc.nat(4_500) }, fc.nat(30_000)),
  isLost: fc.integer({ min: 0, max: 9 }).map((of) => of === 0),
})
const mishap = fc.record({
  atMs: fc.nat(TROUBLE_MS),
  is: fc.constantFrom('stop', 'kill', 'pause', 'pause', 'cut off', 'cut off', 'delete', 'overwrite', 'wipe'),
  /** whom; the leader is hit most often */
  index: fc.constantFrom('leader', 'leader', 0, 1, 2),
  forMs: fc.integer({ min: 100, max: 40_000 }),
})
type Mishap = typeof mishap extends fc.Arbitrary<infer T> ? T : never
type Trip = typeof trip extends fc.Arbitrary<infer T> ? T : never

/** Three processes, whose clocks run at speeds between `slowest` and `fastest`. */
export const schedules = (slowest: number, fastest: number) =>
  fc.record({
    speeds: fc.array(fc.double({ min: slowest, max: fastest, noNaN: true }), { minLength: 3, maxLength: 3 }),
    trips: fc.array(trip, { minLength: 20, maxLength: 200 }),
    mishaps: fc.array(mishap, { minLength: 5, maxLength: 30 }),
    random: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 3, maxLength: 20 }),
  })
type Schedule = ReturnType<typeof schedules> extends fc.Arbitrary<infer T> ? T : never

/** A process with its own clock. It may be stopped for a while, as by SIGSTOP, and its requests may be lost. */
class Process implements Timers {
  readonly leader: Leader
  readonly #time: VirtualTime
  readonly #speed: number
  pausedUntilMs = 0
  cutOffUntilMs = 0
  isAlive = true
  /** its writes had ended before it began to give the Lease back */
  isStopping = false

  constructor(time: VirtualTime, speed: number, leaderOf: (process: Process) => Leader) {
    this.#time = time
    this.#speed = speed
    this.leader = leaderOf(this)
    this.leader.start()
  }

  now(): number {
    return this.#time.now() * this.#speed
  }

  after(delayMs: number, run: () => void): () => void {
    let isCancelled = false
    this.#time.after(delayMs / this.#speed, () => this.whenRunning(() => isCancelled || run()))
    return () => {
      isCancelled = true
    }
  }

  /** Runs `run` now, or when the process goes on; never if it was killed. */
  whenRunning(run: () => void): void {
    if (!this.isAlive) return
    const leftMs = this.pausedUntilMs - this.#time.now()
    if (leftMs > 0) this.#time.after(leftMs, () => this.whenRunning(run))
    else run()
  }
}

/**
 * Plays a schedule. `onWon` gets the new leader and all other processes that may still write.
 * @throws what `onWon` throws
 */
export async function play(schedule: Schedule, onWon: (winner: Process, others: readonly Process[]) => void) {
  const time = new VirtualTime()
  const server = new LeaseServer()
  const processes: Process[] = []
  let count = 0
  let begun = 0
  let isDeleted = false
  let deletedAtMs = Number.NEGATIVE_INFINITY
  const next = <T>(of: readonly T[], fallback: T): T => of[count++ % of.length] ?? fallback
  const alive = () => processes.filter(({ isAlive }) => isAlive)
  const isCalm = () => time.now() >= TROUBLE_MS

  const request = (process: Process, of: KubeRequest): Promise<KubeObject> =>
    new Promise((resolve, reject) => {
      const calm: Trip = { thereMs: 10, backMs: 10, isLost: false }
      const { thereMs, backMs, isLost } = isCalm() ? calm : next(schedule.trips, calm)
      const back = (tell: () => void) => time.after(backMs, () => process.whenRunning(tell))
      process.after(of.deadlineMs ?? 0, () => reject(new KubeError({ kind: 'unreachable', message: 'no answer' })))
      if (isLost || process.cutOffUntilMs > time.now()) return
      time.after(thereMs, () => {
        try {
          const answer = server.answer(of)
          back(() => resolve(answer))
        } catch (error) {
          back(() => reject(error))
        }
      })
    })

  const failures: unknown[] = []
  const noteWon = (winner: Process): void => {
    try {
      onWon(
        winner,
        alive().filter((other) => other !== winner && !other.isStopping),
      )
    } catch (error) {
      failures.push(error)
    }
  }

  const begin = (index: number): void => {
    // who looks for the first time and finds no Lease takes it for a new installation
    const mayLead = alive().some(({ leader }) => leader.leftMs() > 0) || time.now() < deletedAtMs + ANSWERED_MS
    if (!server.lease && mayLead) return void time.after(1_000, () => begin(index))
    const end = (process: Process, restartMs: number) => {
      if (!process.isAlive) return
      process.isAlive = false
      time.after(restartMs, () => begin(index))
    }
    const process = new Process(time, schedule.speeds[index] ?? 1, (of) => {
      const leader: Leader = new Leader({
        client: { request: (call) => request(of, call) },
        namespace: 'ops',
        name: 'the-lease',
        identity: `${index}_${++begun}`,
        onWon: () => noteWon(of),
        onLost: () => end(of, 1_000),
        timers: of,
        clock: () => new Date(time.now()),
        random: () => next(schedule.random, 0.5),
        log: diaryLog(),
      })
      return leader
    })
    processes[index] = process
    ends[index] = end
  }
  const ends: ((process: Process, restartMs: number) => void)[] = []

  const happen = ({ is, index, forMs }: Mishap): void => {
    const found =
      index === 'leader' ? processes.findIndex(({ isAlive, leader }) => isAlive && leader.held()) : Number(index)
    const process = processes[found]
    if (is === 'delete' && !isDeleted && alive().every(({ leader }) => leader.leaseAgeSeconds !== undefined)) {
      server.lease = undefined
      deletedAtMs = time.now()
      isDeleted = true // somebody who was cut off cannot tell the absence of one Lease from that of the next
    }
    if (is === 'overwrite' && server.lease) server.store({ ...server.lease, spec: OTHER.spec })
    if (is === 'wipe' && server.lease) server.store({ ...server.lease, spec: {} })
    if (!process?.isAlive) return
    if (is === 'kill') ends[found]?.(process, forMs)
    if (is === 'stop') process.isStopping = true
    if (is === 'stop') void process.leader.release().then(() => ends[found]?.(process, forMs))
    if (is === 'pause') process.pausedUntilMs = time.now() + forMs
    if (is === 'cut off') process.cutOffUntilMs = time.now() + forMs
  }
  for (const mishap of schedule.mishaps) time.after(mishap.atMs, () => happen(mishap))
  for (const index of schedule.speeds.keys()) begin(index)
  const held = () => alive().filter(({ leader }) => leader.held()).length
  let most = 0
  while (time.now() < TROUBLE_MS + CALM_MS) {
    await time.pass(STEP_MS)
    most = Math.max(most, held())
    if (failures.length > 0) throw failures[0]
  }
  return { most, last: held() }
}
