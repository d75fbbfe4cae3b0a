import type { Sent } from '../common/kube/client/client.ts'
import { keepFresh } from '../common/schema/refresher.ts'
import { type Fillable, fill } from './cache-sync.ts'
import { namedReflectors } from './caches.ts'
import { EVENTS_AT_ONCE } from './events/event-queue.ts'
import type { Measured } from './metrics.ts'
import { MAX_SLOW } from './runtime/worker.ts'
import { type ControllerOptions, createSubsystems, LISTS_AT_ONCE, type Subsystems } from './subsystems.ts'

/** How long the exit waits for Events that were not sent yet. */
const FLUSH_MS = 2_000

/**
 * Connections for requests of neither a watch nor a worker: schemas, orphans, the status of policies, the probe of the
 * breaker. They need five; two more are for passes that read several objects at once.
 */
const SPARE_CONNECTIONS = 7

/**
 * The controller: watches, queue and workers. It first fills its caches, as a standby that writes nothing and can take
 * over at once. Everything that writes starts when it leads: passes, orphans, the status of policies, the hourly pass.
 */
export class Controller {
  readonly #options: ControllerOptions
  readonly #stopping = new AbortController()
  readonly #parts: Subsystems
  #refreshing: Promise<void> | undefined
  readonly #missing = new Set<string>()
  #state: 'new' | 'standby' | 'leading' | 'stopping' = 'new'

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#parts = createSubsystems(options, this.#stopping.signal, () => this.#state === 'leading')
  }

  /** What metrics read. */
  get measured(): Omit<Measured, 'leader'> {
    const { caches, policies, analysis, ...parts } = this.#parts
    return {
      ...parts,
      clock: this.#options.clock,
      analysis: analysis && {
        runs: () => caches.analysis?.runs.list() ?? [],
        waiting: () => analysis.waiting,
        lagMs: () => analysis.lagMs,
      },
      experiments: () => caches.experiments.list(),
      reflectors: namedReflectors(caches),
      policies: {
        violating: (action) => policies.status.violating(action),
        mistakes: () => policies.mistakes,
      },
    }
  }

  /** Call this for each request of the process, so that the breaker notices when the API server works again. */
  sent(sent: Sent): void {
    this.#parts.breaker.sent(sent)
  }

  /** How many connections it may use at once: enough that a write never waits for a watch, a list or a slow pass. */
  get connections(): number {
    const { caches, analysis } = this.#parts
    const passes = this.#options.workers + MAX_SLOW
    const lists = LISTS_AT_ONCE * (analysis ? 2 : 1)
    return namedReflectors(caches).length + passes + lists + EVENTS_AT_ONCE + SPARE_CONNECTIONS
  }

  /** How long the oldest running pass has taken so far, in milliseconds. */
  get longestPassMs(): number {
    return this.#parts.workers.longestMs
  }

  /** What keeps it from being ready; undefined when the caches are filled. */
  get notReadyBecause(): string | undefined {
    if (this.#state === 'new') return `being filled: ${[...this.#missing].join(', ')}`
    return this.#state === 'stopping' ? 'stopping' : undefined
  }

  /**
   * Fills the caches. Resolves to false if it is stopped before.
   * @throws Error that names the caches that were not filled within two minutes
   */
  async start(): Promise<boolean> {
    const { timers, log } = this.#options
    const { caches, workers } = this.#parts
    const { signal: stopping } = this.#stopping
    const isFilled = await fill(this.#startReads(), { timers, stopping, missing: this.#missing })
    if (!isFilled || this.#state !== 'new') return false
    this.#state = 'standby'
    workers.start()
    log.info({ experiments: caches.experiments.size }, 'caches filled')
    return true
  }

  /** Starts to write, with a pass over every experiment. Call it after `start`; it does nothing after `stopLeading`. */
  lead(): void {
    if (this.#state !== 'standby') return
    this.#state = 'leading'
    const { experiments, clockSteps, orphans, policies, analysis } = this.#parts
    analysis?.start()
    experiments.wake()
    experiments.startResync()
    clockSteps.start()
    orphans.start()
    policies.startStatus()
  }

  /** Starts no more passes. Resolves when it writes no more: running passes have ended, and Events were sent. */
  async stopLeading(): Promise<void> {
    this.#state = 'stopping'
    const { neighbours, policies, recorder, joined, breaker, workers, orphans, analysis } = this.#parts
    const { experiments, clockSteps, paced } = this.#parts
    experiments.stopResync()
    clockSteps.stop()
    paced.stop()
    breaker.stop()
    await Promise.all([workers.stop(), orphans.stop(), analysis?.stop(), policies.status.stop()])
    neighbours.stop()
    await policies.stop()
    joined.flush()
    await recorder.flush(FLUSH_MS)
    await recorder.stop()
  }

  /** Ends everything. Resolves when the watches have ended. */
  async stop(): Promise<void> {
    await this.stopLeading()
    this.#stopping.abort()
    const reflectors = namedReflectors(this.#parts.caches)
    await Promise.all([this.#refreshing, ...reflectors.map(({ reflector }) => reflector.stop())])
  }

  /** Starts to read what passes need. Without schemas every experiment would be reported as waiting for them. */
  #startReads(): readonly Fillable[] {
    const { timers, log, kindProbeMs } = this.#options
    const { caches, schemas: catalog, experiments } = this.#parts
    const { signal } = this.#stopping
    const reflectors = namedReflectors(caches)
    for (const { reflector } of reflectors) reflector.start()
    const schemas = new Promise<void>((resolve) => catalog.subscribe(resolve))
    this.#refreshing = keepFresh({ catalog, timers, log, signal, absentMs: kindProbeMs }).ended
    catalog.subscribe(() => experiments.wake())
    return [
      ...reflectors.map(({ name, reflector }) => ({ name, filled: reflector.synced() })),
      { name: 'schemas', filled: schemas },
    ]
  }
}
