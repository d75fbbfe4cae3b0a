/** Analysis runs in memory, and what a poller finds out about them. */
import { type AnalysisRun, decodeRun } from '../../../common/analysis/kinds/run.ts'
import { startOf } from '../../../common/analysis/run/look.ts'
import type { Poll, PolledWindow } from '../../../common/analysis/run/poll.ts'
import { analysisWithDefaults } from '../../../common/api/analysis/defaults.ts'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { AnalysisFacts } from '../../../common/facts/facts.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import type { Write } from '../../../common/writes/write.ts'

type RunWrite = Write & { readonly role: 'analysisRun' }

/** The analysis runs of an experiment, as the API server stores them. */
export class SimulatedAnalyses {
  readonly #stored = new Map<string, KubeObject>()
  poll: Poll | undefined
  /** the name of the only provider */
  provider = 'plugin'
  #version = 0

  /** Those that are stored. */
  get runs(): readonly AnalysisRun[] {
    return [...this.#stored.values()].map((object) => {
      const decoded = decodeRun(object)
      if (decoded.is === 'malformed') throw new Error(JSON.stringify(decoded.errors))
      return decoded.run
    })
  }

  /** The only one that goes on, or the last one. */
  get run(): AnalysisRun | undefined {
    return this.runs.find(({ status }) => status?.finishedAt === undefined) ?? this.runs.at(-1)
  }

  /** Makes a write, as the API server does. @throws Error for a conflict */
  write(write: RunWrite, now: Date): void {
    this.#version += 1
    const resourceVersion = `${this.#version}`
    if (write.verb === 'create') {
      const { metadata } = write.object
      if (this.#stored.has(metadata.name)) throw new Error(`${metadata.name} exists`)
      const made = { uid: `uid-${resourceVersion}`, resourceVersion, creationTimestamp: now.toISOString() }
      this.#stored.set(metadata.name, { ...write.object, metadata: { ...metadata, ...made } })
      return
    }
    const { name, uid } = write.of.metadata
    const stored = this.#stored.get(name)
    if (!stored || stored.metadata.uid !== uid) throw new Error(`${name} is another one`)
    if (write.verb === 'delete') {
      this.#stored.delete(name)
      return
    }
    const { metadata, ...patch } = write.patch
    const given = metadata as { readonly resourceVersion?: string }
    if (given.resourceVersion !== stored.metadata.resourceVersion) throw new Error('conflict')
    const patched = mergePatch(stored as unknown as JsonObject, patch) as unknown as KubeObject
    this.#stored.set(name, { ...patched, metadata: { ...stored.metadata, resourceVersion } })
  }

  /** As an earlier version stores them: without the whole hash of their question. */
  forgetWhole(): void {
    for (const [name, { spec, ...others }] of this.#stored) {
      const { wholeSubject: _whole, ...former } = Object(spec)
      this.#stored.set(name, { ...others, spec: former })
    }
  }

  /** As if somebody had deleted all of them. */
  forget(): void {
    this.#stored.clear()
  }

  /** What the poller found out now. A Decision metric is called `decided`. */
  polled(now: Date, windows: readonly PolledWindow[] = []): void {
    const { metadata, status } = this.run ?? {}
    const pod = { createdMs: 0, readySinceMs: 0, restarts: 0 }
    this.poll = {
      run: metadata?.uid ?? '',
      atMs: now.getTime(),
      looks: status?.looks ?? 0,
      arms: { treatment: [{ ...pod, name: 'fork', uid: 'fork' }], control: [{ ...pod, name: 'cart', uid: 'cart' }] },
      windows,
    }
  }

  /** The plugin's decision about the last interval. */
  decided(now: Date, decision: 'Wait' | 'Pass' | 'Fail', intervalSeconds = 30): void {
    const { run } = this
    if (!run) throw new Error('there is no analysis run')
    const stored = run.status?.metrics?.find(({ name }) => name === 'decided')
    this.polled(now)
    const arms = this.poll?.arms ?? { treatment: [], control: [] }
    const startedMs = startOf(run, { arms }, analysisWithDefaults({ intervalSeconds, warmUpSeconds: 0 }))
    const start = stored?.windowEnd === undefined ? startedMs : Date.parse(stored.windowEnd)
    const window = { start, end: start + 1_000 * intervalSeconds }
    const answer = { is: 'data', data: { is: 'decision', decision, message: '' } } as const
    this.polled(now, [{ metric: 'decided', window, skipped: 0, answer }])
  }

  get facts(): AnalysisFacts {
    const spec = { type: 'Plugin', address: 'https://plugin', namespaceSelector: {}, lagSeconds: 0 } as const
    const plugin = known({ metadata: { name: this.provider }, spec })
    return {
      templates: known(new Map()),
      clusterTemplates: known(new Map()),
      providers: known(new Map([[this.provider, plugin]])),
      namespace: { name: 'shop', labels: {} },
      runs: this.runs,
      poll: this.poll,
    }
  }
}
