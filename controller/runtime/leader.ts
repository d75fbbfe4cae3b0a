import type { KubeObject } from '../../common/api/object.ts'
import { factsOf, KubeError, levelOf } from '../../common/kube/client/errors.ts'
import type { Fence } from '../../common/kube/client/fence.ts'
import { type Cancel, type Clock, pause, type Random, type Timers } from '../../common/program/clock.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import * as leases from './lease.ts'
import { LeaseStore, type LeaseStoreOptions } from './lease-store.ts'

const { LEASE_MS, RENEW_DEADLINE_MS, RETRY_MS, WRITE_LIMIT_MS } = leases

/** Candidates look every 2 to 3 s, so that those that start together do not stay together. */
const LOOK_SPREAD_MS = 1_000

interface LeaderOptions extends LeaseStoreOptions {
  /** new for each process: a process that was restarted is another candidate */
  readonly identity: string
  /** called once, when this process may write */
  readonly onWon: () => void
  /** called once, when this process may write no more although it did not release the Lease */
  readonly onLost: () => void
  readonly timers: Timers
  /** only for the times in the Lease, which are for people */
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The Lease as a candidate last saw it. */
interface Sighting extends leases.LeaseView {
  readonly atMs: number
  readonly uid: string | undefined
}

/**
 * Holds a Lease, so that one process writes at a time. Each process measures time by its own monotonic clock only, and
 * every write of the Lease names the version that it replaces.
 *
 * A *candidate* looks at the Lease every 2 to 3 s and notes when it sees a change. It takes a Lease that was given
 * back, or that stood still for its duration. A *leader* starts a renewal 2 s after it started the last one. When no
 * renewal succeeded for 10 s, or when the Lease is another's or gone, it has lost: it writes no more, and the process
 * must end.
 *
 * A candidate that finds no Lease at its first look creates it and leads at once.
 */
export class Leader implements Fence {
  readonly #options: LeaderOptions
  readonly #store: LeaseStore
  readonly #stopping = new AbortController()
  #phase: 'idle' | 'candidate' | 'leading' | 'over' = 'idle'
  #sighting: Sighting | undefined
  #lease: KubeObject | undefined // as this process last wrote it
  #strangeUid: string | undefined
  #hasTried = false
  #failures = 0
  #renewedAtMs = Number.NEGATIVE_INFINITY // the start of the last successful renewal
  #tickedAtMs = 0
  #cancelDeadline: Cancel = () => undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: LeaderOptions) {
    this.#options = options
    this.#store = new LeaseStore(options)
  }

  /** Whether this process may write now. */
  held(): boolean {
    return this.#phase === 'leading' && this.#now() < this.#renewedAtMs + RENEW_DEADLINE_MS
  }

  /**
   * How long a write may go on from now if no renewal succeeds: it ends before another process can hold the Lease.
   */
  leftMs(): number {
    return this.#renewedAtMs + WRITE_LIMIT_MS - this.#now()
  }

  /** Seconds since the Lease was renewed, by this process or by the holder that it sees; undefined before that. */
  get leaseAgeSeconds(): number | undefined {
    const sinceMs = this.#phase === 'leading' ? this.#renewedAtMs : this.#sighting?.atMs
    return sinceMs === undefined ? undefined : (this.#now() - sinceMs) / 1_000
  }

  /** Milliseconds since the election did something; 0 while it need not. */
  get idleMs(): number {
    return this.#phase === 'candidate' || this.#phase === 'leading' ? this.#now() - this.#tickedAtMs : 0
  }

  /** Starts to look for the Lease. Does nothing after `release`. */
  start(): void {
    if (this.#phase !== 'idle') return
    this.#phase = 'candidate'
    this.#running = this.#run()
  }

  /**
   * Gives the Lease back, so that the next leader need not wait. The fence holds back every later write. Never throws.
   */
  async release(): Promise<void> {
    this.#end()
    await this.#running // a call under way has its own time limit; it may still take the Lease
    if (!this.#hasTried) return
    try {
      while (!(await this.#isGivenBack()));
    } catch (error) {
      this.#options.log.warn(factsOf(error), 'the lease was not given back and expires')
    }
  }

  async #run(): Promise<void> {
    while (this.#phase !== 'over') {
      this.#tickedAtMs = this.#now()
      await this.#pauseUntil(await this.#step())
    }
  }

  /** One look or one renewal. Returns when the next is due. */
  async #step(): Promise<number> {
    const isLeading = this.#phase === 'leading'
    try {
      const dueMs = isLeading ? await this.#renew() : await this.#look()
      this.#failures = 0
      return dueMs
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      this.#failures += 1
      const facts = { failures: this.#failures, ...factsOf(error) }
      const level = levelOf(error, this.#failures, 'warn')
      if (shouldLogRepetition(this.#failures)) this.#options.log[level](facts, 'the lease was not read or written')
      return isLeading ? this.#tickedAtMs + RETRY_MS : this.#nextLookMs()
    }
  }

  /** One look of a candidate. Returns when the next is due. @throws KubeError */
  async #look(): Promise<number> {
    const { name, identity, clock } = this.#options
    const lease = await this.#store.read()
    if (!lease && !this.#sighting) return this.#take(() => this.#store.create(leases.newLease(name, identity, clock())))
    const { holder, waitMs, atMs } = this.#noteSeen(lease)
    // the answer to an earlier write was lost, but the write was not
    if (lease && holder === identity && lease.metadata.uid !== this.#strangeUid)
      return this.#take(() => this.#store.replace(leases.renewedLease(lease, clock())))
    if (this.#now() < atMs + waitMs) return Math.min(atMs + waitMs, this.#nextLookMs())
    if (!lease) return this.#take(() => this.#store.create(leases.newLease(name, identity, clock())))
    return this.#take(() => this.#store.replace(leases.takenLease(lease, identity, clock())))
  }

  /** Notes when the Lease was seen to change. Its absence is a change, too: its last holder may still write. */
  #noteSeen(lease: KubeObject | undefined): Sighting {
    const view = lease ? leases.viewOf(lease) : { holder: '', waitMs: LEASE_MS, version: 'absent' }
    if (this.#sighting?.version === view.version) return this.#sighting
    const { uid } = lease?.metadata ?? {}
    // An attempt to create the Lease has arrived late, after that of another, which was deleted: that one may still
    // write.
    if (this.#sighting && this.#sighting.uid !== uid) this.#strangeUid = uid
    if (view.holder !== this.#sighting?.holder) this.#options.log.info({ holder: view.holder }, 'sees the lease')
    this.#sighting = { ...view, uid, atMs: this.#now() }
    return this.#sighting
  }

  /** Leads if `write` makes this process the holder. Returns when the next step is due. @throws KubeError */
  async #take(write: () => Promise<KubeObject | undefined>): Promise<number> {
    const startedMs = this.#now()
    this.#hasTried = true
    const taken = await write()
    // the answer may be old if the process was stopped; then the next look finds its own name in the Lease
    const isLate = this.#now() >= startedMs + RENEW_DEADLINE_MS
    if (!taken || isLate || this.#phase !== 'candidate') return this.#nextLookMs()
    this.#phase = 'leading'
    this.#noteRenewed(taken, startedMs)
    this.#options.log.info({ identity: this.#options.identity }, 'leads')
    this.#options.onWon()
    return startedMs + RETRY_MS
  }

  /** One renewal of the leader. Returns when the next is due. @throws KubeError */
  async #renew(): Promise<number> {
    const { identity, clock } = this.#options
    for (let lease = this.#lease; lease && this.#phase === 'leading'; ) {
      const startedMs = this.#now()
      const renewed = await this.#store.replace(leases.renewedLease(lease, clock()))
      // the deadline may have passed while the answer was on its way, or while the process was stopped
      if (!this.held()) return this.#lose('no renewal succeeded in time')
      if (renewed) {
        this.#noteRenewed(renewed, startedMs)
        return startedMs + RETRY_MS
      }
      // another client changed its labels, or an earlier renewal arrived after all
      const found = await this.#store.read()
      if (found?.metadata.uid !== lease.metadata.uid) return this.#lose('the lease was deleted')
      if (!found || leases.viewOf(found).holder !== identity) return this.#lose('another process holds the lease')
      lease = found
    }
    return this.#now()
  }

  #noteRenewed(lease: KubeObject, startedMs: number): void {
    this.#lease = lease
    this.#renewedAtMs = startedMs
    this.#cancelDeadline()
    const leftMs = startedMs + RENEW_DEADLINE_MS - this.#now()
    this.#cancelDeadline = this.#options.timers.after(leftMs, () => this.#lose('no renewal succeeded in time'))
  }

  #lose(why: string): number {
    if (this.#phase === 'leading') {
      this.#end()
      this.#options.log.error({ why }, 'lost the lease')
      this.#options.onLost()
    }
    return this.#now()
  }

  #end(): void {
    this.#phase = 'over'
    this.#cancelDeadline()
    this.#stopping.abort()
  }

  /** Whether this process does not hold the Lease any more. False if the Lease changed meanwhile. @throws KubeError */
  async #isGivenBack(): Promise<boolean> {
    const lease = await this.#store.read()
    if (!lease || leases.viewOf(lease).holder !== this.#options.identity) return true
    return (await this.#store.replace(leases.releasedLease(lease, this.#options.clock()))) !== undefined
  }

  #nextLookMs(): number {
    return this.#now() + RETRY_MS + LOOK_SPREAD_MS * this.#options.random()
  }

  #pauseUntil(dueMs: number): Promise<void> {
    return pause(this.#options.timers, Math.max(0, dueMs - this.#now()), this.#stopping.signal)
  }

  #now(): number {
    return this.#options.timers.now()
  }
}
