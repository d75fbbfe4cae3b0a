import { type AnalysisProvider, providerWithDefaults } from '../../common/analysis/kinds/provider.ts'
import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import { boundariesOf } from '../../common/analysis/metrics/latency.ts'
import type { PodsOfArm as ArmNames, WindowAnswer, WindowQuery } from '../../common/analysis/query/window-query.ts'
import { countingPods } from '../../common/analysis/run/arms.ts'
import { isFinal, startOf } from '../../common/analysis/run/look.ts'
import { memoryOf } from '../../common/analysis/run/memory.ts'
import type { ArmPodView, ArmPodViews, Poll, PolledWindow } from '../../common/analysis/run/poll.ts'
import { analysisWithDefaults, type CompleteAnalysis } from '../../common/api/analysis/defaults.ts'
import { type Known, knownValue } from '../../common/api/known.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { AnalysisArms } from '../../common/assess/analysis.ts'
import { isEqual } from '../../common/json/json.ts'
import type { Clock } from '../../common/program/clock.ts'
import type { FollowedArms } from '../observe/ports.ts'
import type { Key, KeyQueue } from '../runtime/queue.ts'
import type { Requeue } from '../runtime/worker.ts'
import {
  type DueWindow,
  dueWindows,
  finalVerdictAfter,
  hasNewEvidence,
  longestLookMs,
  nextDueMs,
  type PollInput,
  untilNextLookMs,
  windowsToPoll,
} from './due-windows.ts'
import { ProviderBackoff } from './provider-backoff.ts'
import { ProviderQueues } from './provider-queues.ts'
import { experimentOf } from './run-index.ts'

/** What the poller reads, and which experiments it wakes. */
interface PollerOptions {
  readonly run: (key: Key) => AnalysisRun | undefined
  /** the keys of the runs of an experiment */
  readonly runsOf: (experiment: Key) => readonly Key[]
  readonly experiment: (key: Key) => ExperimentDeployment | undefined
  readonly provider: (name: string) => Known<AnalysisProvider> | undefined
  /** @throws KubeError */
  readonly pods: (arms: AnalysisArms) => Promise<ArmPodViews>
  readonly ask: (provider: AnalysisProvider, query: WindowQuery) => Promise<WindowAnswer>
  /** whether a provider has so many waiting requests that no other should be sent */
  readonly isBusy: (provider: string) => boolean
  /** wakes the experiment, whose next pass records the poll */
  readonly wake: (experiment: Key) => void
  readonly queue: Pick<KeyQueue, 'add' | 'forget'>
  readonly clock: Clock
}

/** When a run is visited again whose poll waits for a pass. */
const RECORD_MS = 5_000

/**
 * Asks providers for windows, beside the reconciler, so that none of them holds up a pass. Each run has at most one
 * poll at a time, and it waits in memory until a pass has recorded it. A poll that is lost is made again.
 */
export class Poller {
  readonly #options: PollerOptions
  /** by the uid of the run */
  readonly #polls = new Map<string, Poll>()
  /** by the key of the experiment */
  readonly #arms = new Map<Key, FollowedArms>()
  readonly #backoff = new ProviderBackoff()
  readonly #lines = new ProviderQueues()

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** How many polls wait for a pass. */
  get waiting(): number {
    return this.#polls.size
  }

  /** How late the most overdue look is, in milliseconds, of the runs whose first window has begun. */
  get lagMs(): number {
    const { runsOf, run, clock } = this.#options
    const nowMs = clock().getTime()
    return [...this.#arms.keys()]
      .flatMap(runsOf)
      .map((key) => run(key)?.status)
      .filter((status) => status?.startedAt !== undefined && status.nextLookAt !== undefined)
      .reduce((mostMs, status) => Math.max(mostMs, nowMs - Date.parse(status?.nextLookAt ?? '')), 0)
  }

  /** How many entries all its maps have; 0 when no experiment and no run is left. For tests. */
  get entryCount(): number {
    return this.#polls.size + this.#arms.size + this.#backoff.size + this.#lines.size
  }

  /** The poll of a run that no pass has recorded yet. */
  poll(run: string): Poll | undefined {
    return this.#polls.get(run)
  }

  /** From now on these pods are compared, for one run of an experiment; undefined: none. */
  follow(experiment: Key, arms: FollowedArms | undefined): void {
    const { runsOf, queue, experiment: find } = this.#options
    if (isEqual(this.#arms.get(experiment), arms)) return
    // it may have gone during the pass
    if (arms && find(experiment)) this.#arms.set(experiment, arms)
    else this.#arms.delete(experiment)
    for (const key of runsOf(experiment)) queue.add(key)
  }

  /** Forgets an experiment that is gone. */
  forget(experiment: Key): void {
    this.#arms.delete(experiment)
  }

  /** Forgets a run that is gone. */
  forgetRun(key: Key, { metadata: { uid } }: Pick<AnalysisRun, 'metadata'>): void {
    this.#polls.delete(uid)
    this.#backoff.forget(uid)
    this.#lines.forget(key)
    this.#options.queue.forget(key)
  }

  /**
   * Polls what is due for the run `key`. Returns when it has to be polled again. A run whose provider is busy waits
   * without a worker: it would hold up runs of other providers. @throws KubeError
   */
  async work(key: Key): Promise<Requeue> {
    try {
      return await this.#work(key)
    } finally {
      for (const next of this.#lines.next(this.#options.isBusy)) this.#options.queue.add(next)
    }
  }

  async #work(key: Key): Promise<Requeue> {
    const { run: runOf, experiment: find, pods, isBusy, clock, wake } = this.#options
    const run = runOf(key)
    const experiment = run && find(experimentOf(run))
    const arms = run && this.#arms.get(experimentOf(run))
    const { uid } = run?.metadata ?? { uid: '' }
    const { analysis } = experiment?.spec ?? {}
    if (!run || !analysis || !arms || experiment?.metadata.uid !== run.spec.experiment.uid) return this.#drop(uid)
    const times = analysisWithDefaults(analysis)
    if (arms.run !== run.metadata.name || isFinal(run.status, times)) return this.#drop(uid)
    const looks = run.status?.looks ?? 0
    if (this.#polls.get(uid)?.looks === looks) {
      wake(experimentOf(run)) // its pass was lost
      return { afterMs: RECORD_MS }
    }
    this.#polls.delete(uid)
    const waitMs = untilNextLookMs(run, { times, nowMs: clock().getTime() }, this.#lagSeconds)
    if (waitMs > 0) return { afterMs: waitMs }
    if (run.status && run.spec.metrics.every(({ provider }) => isBusy(provider))) return this.#wait(key, run, times)
    const seen = await pods(arms)
    const nowMs = clock().getTime()
    const startedMs = startOf(run, { arms: seen }, times)
    const input = { run, arms, times, seen, startedMs, nowMs }
    const due = dueWindows(input, this.#lagSeconds)
    const without: Poll = { run: uid, atMs: nowMs, looks, arms: seen, windows: [] }
    const ending = () => finalVerdictAfter(input, without, this.#lagSeconds)
    const backoffMs = (provider: string) => this.#backoff.waitMs(uid, provider, nowMs)
    const { wanted, isLast } = windowsToPoll(due, { backoffMs, isBusy, ending })
    const ready = wanted.filter(({ of }) => !isBusy(of.provider))
    for (const { of } of wanted) if (isBusy(of.provider)) this.#lines.wait(of.provider, key)
    if (isLast && ready.length < wanted.length) return { afterMs: longestLookMs(run, times, this.#lagSeconds) }
    if (!isLast && !hasNewEvidence(input, ready) && !ending()) return { afterMs: nextDueMs(input, due, backoffMs) }
    const asked = await Promise.all(ready.map((each) => this.#asked(input, each)))
    if (runOf(key)?.metadata.uid !== uid) return 'never' // it has gone meanwhile
    this.#note(input, asked)
    const windows = asked.map(({ of: _of, ...window }) => window)
    this.#polls.set(uid, { ...without, windows })
    wake(experimentOf(run))
    return { afterMs: RECORD_MS }
  }

  /** The run is polled when one of its providers has a place, or much later. */
  #wait(key: Key, run: AnalysisRun, times: CompleteAnalysis): Requeue {
    for (const { provider } of run.spec.metrics) this.#lines.wait(provider, key)
    return { afterMs: longestLookMs(run, times, this.#lagSeconds) }
  }

  #drop(uid: string): Requeue {
    this.#polls.delete(uid)
    return 'never'
  }

  readonly #lagSeconds = (provider: string): number => {
    const found = this.#options.provider(provider)
    const spec = found && knownValue(found)?.spec
    return spec ? providerWithDefaults(spec).lagSeconds : 0
  }

  async #asked(input: PollInput, due: DueWindow): Promise<DueWindow & PolledWindow> {
    const stored = input.run.status?.metrics?.find(({ name }) => name === due.metric) ?? {}
    return { ...due, answer: await this.#answer(input, due, memoryOf(stored, due.of)) }
  }

  /** Notes which providers have failed. */
  #note({ run, times, nowMs }: PollInput, polled: readonly (DueWindow & PolledWindow)[]): void {
    const intervalMs = 1_000 * times.intervalSeconds
    for (const [provider, all] of Map.groupBy(polled, ({ of }) => of.provider)) {
      const answers = all.map(({ answer }) => answer)
      this.#backoff.note({ run: run.metadata.uid, provider, nowMs, intervalMs }, answers)
    }
  }

  async #answer({ run, arms, times, seen }: PollInput, { of, window }: DueWindow, remembered: readonly number[]) {
    const { treatment, control } = arms
    const counting = countingPods(seen, window.start, times.warmUpSeconds)
    // without pods there is nothing to ask
    if (counting.treatment.length === 0 || counting.control.length === 0)
      return { is: 'silent', arms: ['treatment', 'control'] } as const
    const provider = knownValue(this.#options.provider(of.provider) ?? { is: 'absent' })
    if (!provider) return { is: 'failed', message: `there is no provider ${JSON.stringify(of.provider)}` } as const
    if (!arms.providers.includes(of.provider))
      return { is: 'failed', message: `provider ${JSON.stringify(of.provider)} is not for this namespace` } as const
    const boundaries = boundariesOf(remembered)
    return this.#options.ask(provider, {
      metric: of,
      window,
      namespace: arms.namespace,
      arms: {
        treatment: { workload: treatment.workload, pods: namesOf(counting.treatment) },
        control: { workload: control.workload, pods: namesOf(counting.control) },
      },
      ...(boundaries ? { boundaries } : {}),
      run: { name: run.metadata.name, uid: run.metadata.uid },
    })
  }
}

const namesOf = (pods: readonly ArmPodView[]): ArmNames['pods'] => pods.map(({ name }) => name)
