import { keepFresh } from '../common/schema/refresher.ts'
import { namedReflectors } from './caches.ts'
import { type Fillable, fill } from './fill.ts'
import { type ControllerOptions, createSubsystems, type Subsystems } from './subsystems.ts'

/** How long the exit waits for Events that were not sent yet. */
const FLUSH_MS = 2_000

/** The controller: watches, queue and workers, ready to start. */
export class Controller {
  readonly #options: ControllerOptions
  readonly #stopping = new AbortController()
  readonly #parts: Subsystems
  #refreshing: Promise<void> | undefined
  #isReady = false

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#parts = createSubsystems(options, this.#stopping.signal)
  }

  /** The number of experiments that violate a policy. */
  get violating(): number {
    return this.#parts.policies.status.violating
  }

  /** How many paths, patterns and selectors of policies can match nothing. */
  get policyMistakes(): number {
    return this.#parts.policies.mistakes
  }

  /** The number of forks in other namespaces whose experiment is gone. */
  get orphaned(): number {
    return this.#parts.orphans.count
  }

  /** Whether the caches are filled and the workers run. */
  get isReady(): boolean {
    return this.#isReady
  }

  /**
   * Fills the caches, then starts the workers. Starts no worker if `stop` is called before.
   * @throws Error that names the caches that were not filled within two minutes
   */
  async start(): Promise<void> {
    const { timers, log } = this.#options
    const { caches, experiments, orphans, workers } = this.#parts
    if (!(await fill(this.#startReads(), timers, this.#stopping.signal))) return
    experiments.wake()
    workers.start()
    this.#isReady = true
    experiments.startResync()
    orphans.start()
    log.info({ experiments: caches.experiments.size }, 'started')
  }

  /** Starts no more passes. Resolves when the running passes, Events and watches have ended. */
  async stop(): Promise<void> {
    const { caches, neighbours, policies, recorder, workers, experiments, orphans } = this.#parts
    await Promise.all([workers.stop(), orphans.stop()])
    neighbours.stop()
    await policies.stop()
    experiments.stopResync()
    await recorder.flush(FLUSH_MS)
    this.#stopping.abort()
    await Promise.all([
      recorder.stop(),
      this.#refreshing,
      ...namedReflectors(caches).map(({ reflector }) => reflector.stop()),
    ])
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
