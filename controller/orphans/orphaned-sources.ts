import { SCALED } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { asObject } from '../../common/kube/reads/object.ts'
import { returnCommand, type SizeRecord, sizeRecordOf } from '../../common/scaling/record.ts'
import { count } from '../../common/text/count.ts'
import { kubectl } from '../../common/text/kubectl.ts'
import { isBeingDeleted } from '../../common/workload/identity.ts'
import { progressDeadlineMs, replicasOf, statusCount } from '../../common/workload/status.ts'
import {
  releaseSourceSize,
  returnSource,
  type SourceSizeWrite,
  unlabelSource,
} from '../../common/writes/source-size-writes.ts'
import type { OrphansOptions } from './orphaned-forks.ts'
import { isSourceOf, type LabelledSource, labelledSources, type Place } from './small-sources.ts'
import { Sweeper } from './sweeper.ts'

/** What the API server says now. All reads of one sweep that ask the same are one. */
export interface SourceReads {
  /** a Deployment; undefined if it is gone. @throws KubeError also if it is too large to be read */
  source(place: Place, signal: AbortSignal): Promise<KubeObject | undefined>
  /** the uids of all experiments that this installation serves. @throws KubeError */
  experimentUids(signal: AbortSignal): Promise<ReadonlySet<string>>
}

/** What became of the size of a source: it got its pods back, or kept the number that it had. */
export type SourceEnd = 'returned' | 'kept'

/** What the sweeps need. */
export interface OrphanedSourcesOptions
  extends Pick<OrphansOptions, 'workloads' | 'installed' | 'write' | 'recorder' | 'timers' | 'log'> {
  /** from the cache: the experiment with this uid */
  readonly ofUid: (uid: string) => ExperimentDeployment | undefined
  /** whether this installation writes in the namespace */
  readonly isServed: (namespace: string) => boolean
  readonly live: SourceReads
  readonly ended: (outcome: SourceEnd) => void
}

/** A source that no experiment makes smaller any more. */
interface Lost {
  readonly source: string
  readonly label: string
  /** whether the label is that of an experiment of another source */
  readonly isCopy: boolean
  /** when the API server first said so */
  readonly sinceMs: number
  /** when the source was first seen with all of its pods; undefined: it lacks some */
  readonly readyMs?: number | undefined
  /** whether only a person can go on */
  readonly isLeft?: boolean
}

/** Two reads of the API server must be that far apart. A timer may run a little before its time. */
const CONFIRMED_MS = 29_000

/**
 * Gives sources their pods back that a canary has made smaller, and whose experiment does not exist, so that no pass
 * does it: somebody removed the finalizer. Two reads of the API server must say so, half a minute apart. The label says
 * how many pods the source had. It stays until its pods are available, because the fork of that experiment serves until
 * then. A number that somebody else wrote stays, and so does that of a copy of a source: only the label goes.
 */
export class OrphanedSources {
  readonly #options: OrphanedSourcesOptions
  readonly #sweeper: Sweeper
  /** by namespace and name */
  readonly #lost = new Map<string, Lost>()

  constructor(options: OrphanedSourcesOptions) {
    this.#options = options
    this.#sweeper = new Sweeper({ ...options, sweep: () => this.sweep(), what: 'a source without its experiment' })
  }

  /** How many sources the last sweep found whose experiment is gone. */
  get count(): number {
    return this.#lost.size
  }

  /** How many sources canaries have made smaller, as their labels say, whether their experiments exist or not. */
  get smaller(): number {
    return labelledSources(this.#options.workloads).filter(({ record }) => record.written < record.size).length
  }

  /** How many entries its collections have; 0 when no source has the label. For tests. */
  get entryCount(): number {
    return this.#lost.size + this.#sweeper.failing
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeper.start()
  }

  /** Starts no more sweeps. Resolves when the running one has ended, whose requests are aborted after 20 s. */
  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Looks at every Deployment with the label. Does not throw: what fails is looked at again. */
  async sweep(): Promise<void> {
    const { isServed, live, workloads } = this.#options
    const found = labelledSources(workloads).filter((each) => isServed(each.namespace) && !this.#isOfExperiment(each))
    const places = new Set(found.map(keyOf))
    this.#sweeper.begin(places)
    for (const key of this.#lost.keys()) if (!places.has(key)) this.#lost.delete(key)
    let reading: Promise<ReadonlySet<string>> | undefined
    const uids = () => {
      reading ??= live.experimentUids(this.#sweeper.signal)
      return reading
    }
    for (const each of this.#sweeper.inOrder(found, keyOf)) {
      if (this.#sweeper.isStopped) return
      const { namespace, name, label } = each
      const lost = this.#lost.get(keyOf(each))
      if (lost?.isLeft && lost.label === label) continue // it was told, and a person must act
      const metadata = { name, namespace, uid: keyOf(each) }
      await this.#sweeper.look(metadata, { namespace, source: name }, () => this.#look(each, uids))
    }
  }

  /** Whether the caches have the experiment of the label, with this source: then its passes look at it. */
  #isOfExperiment({ record, ...place }: LabelledSource): boolean {
    const experiment = this.#options.ofUid(record.experiment)
    return experiment !== undefined && isSourceOf(experiment, place)
  }

  /** @throws KubeError */
  async #look(of: LabelledSource, uids: () => Promise<ReadonlySet<string>>): Promise<void> {
    const source = await this.#options.live.source(of, this.#sweeper.signal)
    const record = source && !isBeingDeleted(source) ? sizeRecordOf(source) : undefined
    if (!source || !record) return void this.#lost.delete(keyOf(of))
    const isCopy = (await uids()).has(record.experiment)
    // The cache may not have a new experiment yet, so that nobody knows which source it names.
    if (isCopy && !this.#isOfAnother(record, of)) return void this.#lost.delete(keyOf(of))
    const lost = this.#noted(of, source, isCopy)
    if (this.#options.timers.now() - lost.sinceMs < CONFIRMED_MS) return
    if (this.#options.installed.promotion) await this.#end(of, source, { ...lost, record })
    else this.#leave(of, source, leftNote(source, record, isCopy))
  }

  /** Whether the experiment of the label names another source. It cannot change that. */
  #isOfAnother({ experiment: uid }: SizeRecord, of: Place): boolean {
    const experiment = this.#options.ofUid(uid)
    return experiment !== undefined && !isSourceOf(experiment, of)
  }

  /** Remembers what is known of a source. Another source, or another label, is looked at from the beginning. */
  #noted(of: LabelledSource, source: KubeObject, isCopy: boolean): Lost {
    const now = this.#options.timers.now()
    const [before, uid, label] = [
      this.#lost.get(keyOf(of)),
      source.metadata.uid ?? '',
      source.metadata.labels?.[SCALED],
    ]
    const isSame = before?.source === uid && before.label === label && before.isCopy === isCopy
    const lost = isSame ? before : { source: uid, label: label ?? '', isCopy, sinceMs: now }
    const noted = { ...lost, readyMs: isWhole(source) ? (lost.readyMs ?? now) : undefined }
    this.#lost.set(keyOf(of), noted)
    return noted
  }

  /** Makes the next write for a source. Each later sweep makes one more, until the label is gone. @throws KubeError */
  async #end(
    of: LabelledSource,
    source: KubeObject,
    { record, isCopy, sinceMs, readyMs }: Lost & Recorded,
  ): Promise<void> {
    const [nowMs, replicas, { size, written }] = [this.#options.timers.now(), replicasOf(source), record]
    const isOther = replicas !== written || size < written
    if (!isCopy && !isOther && size > written) {
      await this.#write(returnSource({ resource: of.kind, of: source }, { ...record, written: size }))
      return this.#tell(source, { ...RETURNED, note: returnedNote(record) }, 'returned')
    }
    const isReady = isCopy || (readyMs !== undefined && nowMs - readyMs >= CONFIRMED_MS)
    if (!isReady && nowMs - sinceMs < progressDeadlineMs(source)) return
    await this.#unlabel(of, source)
    if (!isReady) this.#tell(source, { ...LATE, note: lateNote(source) })
    if (isCopy || isOther)
      this.#tell(source, { ...(isCopy ? COPIED : KEPT), note: keptNote(source, record, isCopy) }, 'kept')
  }

  /**
   * Takes our label off a source. Our entry in its managed fields goes first: as long as the label is there, a later
   * sweep makes up for what a crash has left out.
   */
  async #unlabel({ kind, ...of }: LabelledSource, source: KubeObject): Promise<void> {
    const release = releaseSourceSize({ resource: kind, of: source })
    const released = release ? asObject(await this.#write(release)) : source
    await this.#write(unlabelSource({ resource: kind, of: released }, undefined))
    this.#lost.delete(keyOf(of))
  }

  /** Without the component nothing is written. Tells once what a person can do. */
  #leave(of: LabelledSource, source: KubeObject, note: string): void {
    const lost = this.#lost.get(keyOf(of))
    if (lost) this.#lost.set(keyOf(of), { ...lost, isLeft: true })
    this.#tell(source, { ...LEFT, note })
  }

  #write(write: SourceSizeWrite): Promise<unknown> {
    return this.#options.write(write, this.#sweeper.signal)
  }

  /** An Event, and a line in the log. */
  #tell(regarding: KubeObject, { reason, text, note }: Told & { readonly note: string }, outcome?: SourceEnd): void {
    const { recorder, log, ended } = this.#options
    const { namespace, name } = regarding.metadata
    recorder.record({ type: 'Warning', reason, action: 'Scale', note, regarding })
    log.warn({ namespace, source: name, note }, text)
    if (outcome) ended(outcome)
  }
}

interface Recorded {
  readonly record: SizeRecord
}

interface Told {
  readonly reason: Reason
  /** for the log */
  readonly text: string
}

const RETURNED: Told = { reason: 'Returned', text: 'a source gets its pods back, because its experiment is gone' }
const KEPT: Told = { reason: 'SourceScaled', text: 'a source keeps its size, although its experiment is gone' }
const COPIED: Told = { reason: 'SourceScaled', text: 'a source has the label of an experiment of another source' }
const LATE: Told = { reason: 'Orphaned', text: 'a source lacks pods, and the fork that served for it is deleted' }
const LEFT: Told = { reason: 'Orphaned', text: 'a source has the label of an experiment that is gone, and keeps it' }

const returnedNote = ({ size, written }: SizeRecord): string =>
  `gets ${count(size, 'pod')} again instead of ${written}, because the experiment that made it smaller is gone`

/** Both numbers: what it has, and what it had before the experiment. */
function keptNote(source: KubeObject, { size, written }: SizeRecord, isCopy: boolean): string {
  const now = replicasOf(source)
  const why = isCopy
    ? 'is of an experiment of another source'
    : `is of an experiment that is gone, and ${now === written ? 'asks for fewer' : 'somebody has changed the size since'}`
  return `keeps ${count(now, 'pod')}; the label that said ${written} of ${count(size, 'pod')} ${why}, so it was removed`
}

const lateNote = (source: KubeObject): string =>
  `has ${statusCount(source, 'availableReplicas')} of ${count(replicasOf(source), 'pod')} after the time that its own ` +
  'rollouts have; the experiment that made it smaller is gone, so the fork of that is deleted now'

/** Without the component: the command for a person. It gives pods back only where nobody else has set the size. */
function leftNote(source: KubeObject, { size, written }: SizeRecord, isCopy: boolean): string {
  const { name, namespace } = source.metadata
  const isSmall = !isCopy && replicasOf(source) === written && written < size
  const told = `this installation has no component "promotion", so the label stays`
  return isSmall
    ? `has ${written} of ${count(size, 'pod')}, and the experiment that made it smaller is gone; ${told}, and so does ` +
        `the fork; give the pods back: ${returnCommand(source, size)}`
    : `has the label of ${isCopy ? 'an experiment of another source' : 'an experiment that is gone'}; ${told}; remove ` +
        `it: ${kubectl('label', { name: `deployment/${name}`, namespace }, `${SCALED}-`)}`
}

/** Whether all pods of a source are available, and its controller has seen its size. */
const isWhole = (source: KubeObject): boolean =>
  statusCount(source, 'observedGeneration') >= (source.metadata.generation ?? 0) &&
  statusCount(source, 'availableReplicas') >= replicasOf(source)

const keyOf = ({ namespace, name }: Place): string => `${namespace}/${name}`
