import { type AnalysisProvider, providerWithDefaults } from '../../common/analysis/kinds/provider.ts'
import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import type { AnalysisTemplate } from '../../common/analysis/kinds/template.ts'
import type { WindowAnswer, WindowQuery } from '../../common/analysis/query/window-query.ts'
import type { Poll } from '../../common/analysis/run/poll.ts'
import type { Known } from '../../common/api/known.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { ByName } from '../../common/facts/facts.ts'
import { isEqual } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { factsOf } from '../../common/kube/client/errors.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Clock, Random, Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import type { AnalysisPort, FollowedArms } from '../observe/ports.ts'
import { type Key, KeyQueue, NO_OBSERVER } from '../runtime/queue.ts'
import { Workers } from '../runtime/worker.ts'
import { ArmPodsReader } from './arm-pods.ts'
import { Connections } from './http/connections.ts'
import type { GuardedOptions } from './http/guarded.ts'
import { type AnalysisObserver, observeLook } from './metrics.ts'
import { Poller } from './poller.ts'
import { PROVIDER_ADAPTERS } from './providers/registry.ts'
import { RunIndex } from './run-index.ts'

/** A provider; unknown: it is not as the API says. */
export interface NamedProvider {
  readonly name: string
  readonly provider: Known<AnalysisProvider>
}

type Cache<T> = Pick<Reflector<T>, 'get' | 'list' | 'subscribe'>

/** The objects that analyses name, and their analysis runs. */
interface AnalysisCaches {
  readonly runs: Cache<AnalysisRun>
  readonly templates: Cache<Known<AnalysisTemplate>>
  readonly clusterTemplates: Cache<Known<AnalysisTemplate>>
  readonly providers: Cache<NamedProvider>
}

/** What analyses read, and how providers are reached. */
export interface AnalysisRuntimeOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly caches: AnalysisCaches
  readonly experiments: Cache<ExperimentDeployment>
  /** wakes an experiment for a pass */
  readonly wake: (key: Key) => void
  readonly isLeading: () => boolean
  /** how providers are reached */
  readonly http: Omit<GuardedOptions, 'clock' | 'timers'>
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly observer: AnalysisObserver
}

/** Gives passes the facts about analyses, and asks providers in the background. */
export class AnalysisRuntime implements AnalysisPort {
  readonly #options: AnalysisRuntimeOptions
  readonly #index = new RunIndex()
  readonly #connections: Connections
  readonly #poller: Poller
  readonly #queue: KeyQueue
  readonly #workers: Workers

  constructor(options: AnalysisRuntimeOptions) {
    const { caches, client, experiments, wake, http, clock, timers, log } = options
    this.#options = options
    this.#connections = new Connections({ ...http, clock, timers })
    this.#queue = new KeyQueue({ timers, random: options.random, observer: NO_OBSERVER })
    const pods = new ArmPodsReader(client, timers)
    this.#poller = new Poller({
      run: (key) => caches.runs.get(key),
      runsOf: (experiment) => this.#index.keysOf(experiment),
      experiment: (key) => experiments.get(key),
      provider: (name) => caches.providers.get(name)?.provider,
      pods: (arms) => pods.of(arms),
      ask: (provider, query) => this.#ask(provider, query),
      isBusy: (provider) => this.#connections.isBusy(provider),
      wake,
      queue: this.#queue,
      clock,
    })
    this.#workers = new Workers({
      queue: this.#queue,
      reconcile: (key) => this.#poller.work(key),
      caughtUp: () => Promise.resolve(),
      objectOf: (key) => caches.runs.get(key),
      timers,
      log: log.with({ part: 'poller' }),
    })
    this.#follow()
  }

  template(namespace: string | undefined, name: string): Known<AnalysisTemplate> | undefined {
    const { templates, clusterTemplates } = this.#options.caches
    return namespace === undefined ? clusterTemplates.get(name) : templates.get(`${namespace}/${name}`)
  }

  providers(): ByName<AnalysisProvider> {
    return new Map(this.#options.caches.providers.list().map(({ name, provider }: NamedProvider) => [name, provider]))
  }

  runs(key: Key, uid: string): readonly AnalysisRun[] {
    return this.#index.of(key, uid)
  }

  poll(run: string): Poll | undefined {
    return this.#poller.poll(run)
  }

  follow(key: Key, arms: FollowedArms | undefined): void {
    this.#poller.follow(key, arms)
  }

  /** How late the most overdue look is. */
  get lagMs(): number {
    return this.#poller.lagMs
  }

  /** How many polls wait for a pass that records them. */
  get waiting(): number {
    return this.#poller.waiting
  }

  /** How many entries all maps have that follow runs; 0 when no experiment and no run is left. For tests. */
  get entryCount(): number {
    return this.#poller.entryCount + this.#index.size + this.#queue.entryCount
  }

  /** Starts to poll, while this process leads. */
  start(): void {
    this.#workers.start()
  }

  /** Starts no more polls. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#workers.stop(), this.#connections.close()])
    await this.#connections.close() // also those of polls that had not asked yet
  }

  async #ask(provider: AnalysisProvider, query: WindowQuery): Promise<WindowAnswer> {
    const { timers, observer } = this.#options
    const { type } = provider.spec
    const startedAt = timers.now()
    const send = this.#connections.send(provider)
    const asked = PROVIDER_ADAPTERS[type].ask(query, providerWithDefaults(provider.spec), send)
    // an invalid query, which admission refuses, must not lead to endless polls
    const answer = await asked.catch((error: unknown): WindowAnswer => {
      this.#options.log.error(factsOf(error), 'a query could not be made')
      return { is: 'failed', message: 'the query could not be made' }
    })
    observer.polled(type, answer.is, (timers.now() - startedAt) / 1_000)
    return answer
  }

  /** Follows the caches. */
  #follow(): void {
    const { caches, experiments, wake, isLeading, observer } = this.#options
    const wakeAll = () => this.#analyzed().forEach(wake)
    caches.runs.subscribe((change) => {
      const experiment = this.#index.update(change)
      if (change.is === 'deleted') this.#poller.forgetRun(change.key, change.before)
      // a standby would collect the keys of all runs that ever were; passes add them once it leads
      else if (isLeading()) this.#queue.add(change.key)
      if (change.is === 'updated' && isLeading()) observeLook(observer, change.before, change.after)
      wake(experiment)
    })
    caches.providers.subscribe((change) => {
      if (change.is === 'deleted') this.#connections.forget(change.before.name)
      wakeAll()
    })
    for (const templates of [caches.templates, caches.clusterTemplates]) templates.subscribe(wakeAll)
    experiments.subscribe((change) => {
      if (change.is === 'deleted') this.#poller.forget(change.key)
      else if (change.is === 'updated' && isLeading()) this.#pollAnew(change.key, change.before, change.after)
    })
  }

  /** Polls the runs of an experiment whose analysis has changed: with its new times their looks may be due earlier. */
  #pollAnew(key: Key, { spec: before }: ExperimentDeployment, { spec: after }: ExperimentDeployment): void {
    if (isEqual(before.analysis, after.analysis)) return
    for (const run of this.#index.keysOf(key)) this.#queue.add(run)
  }

  /** The experiments with an analysis. Templates and providers seldom change. */
  #analyzed(): readonly Key[] {
    return this.#options.experiments
      .list()
      .filter(({ spec }) => spec.analysis !== undefined)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  }
}
