import type { AnalysisProvider } from '../../common/analysis/kinds/provider.ts'
import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import type { AnalysisTemplate } from '../../common/analysis/kinds/template.ts'
import type { Poll } from '../../common/analysis/run/poll.ts'
import type { Known } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { StrategyRunStatus } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { AnalysisArms } from '../../common/assess/analysis.ts'
import type { ByName, Components, OtherExperiment, RefusedFork } from '../../common/facts/facts.ts'
import type { PodWarning } from '../../common/fork/pod-trouble.ts'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import type { CountScope, ExperimentPolicy, NamespaceView } from '../../common/policy/policy.ts'
import type { DoubtfulWrite } from '../../common/situation/write-in-doubt.ts'
import type { GatedPod } from '../../common/strategy/gate.ts'
import type { DryRun } from '../../common/strategy/promotion.ts'
import type { Neighbours } from '../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../common/surroundings/traffic.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'
import type { UnreportedWrites } from '../memory/pass-memory.ts'
import type { TimedState } from '../memory/step-clock.ts'
import type { Key } from '../runtime/queue.ts'

/** The workloads of all kinds. They are read from the caches unless a method says otherwise. */
export interface WorkloadsPort {
  /**
   * the whole source and what it refers to; from the API server unless the state in the cache was read before, or if
   * `isLive`. @throws KubeError
   */
  source(kind: WorkloadKind, namespace: string, name: string, isLive?: boolean): Promise<Source | undefined>
  /** whether the cluster does not serve the kind now */
  isAbsent(kind: WorkloadKind): boolean
  /** the whole object if it has the label of forks, else its metadata */
  cached(kind: WorkloadKind, namespace: string, name: string): KubeObject | undefined
  /** whether a write reported that the object in the cache is not the present one */
  isDoubted(kind: WorkloadKind, namespace: string, name: string): boolean
  /**
   * the whole object from the API server, because a cache may be too old to decide a deletion: once in a pass. It may
   * have the mark `UNREAD`. @throws KubeError
   */
  live(kind: WorkloadKind, namespace: string, name: string): Promise<KubeObject | undefined>
  /** the workloads that take their template from the object */
  referrers(kind: WorkloadKind, namespace: string, name: string): readonly KubeObject[]
}

/** Policies, namespaces, and the experiments that count against limits. */
export interface PoliciesPort {
  list(): readonly ExperimentPolicy[]
  /** at most a minute old; undefined when the controller may not read it. @throws KubeError */
  namespace(name: string): Promise<NamespaceView | undefined>
  /** whether the webhooks exclude the namespace, so that the permissions of authors are not checked there */
  isExcluded(namespace: string): boolean
  /** the one namespace that this installation serves; undefined: all */
  readonly onlyNamespace?: string | undefined
  /** the other experiments of its source or namespace */
  others(experiment: ExperimentDeployment, scope: CountScope): OtherExperiments
}

/** The other experiments that a limit counts, and the reservation up to which that is true. */
export interface OtherExperiments {
  readonly others: readonly OtherExperiment[]
  readonly asOf: number
}

/** What else acts on the pods of a namespace. */
interface SurroundingsPort {
  /** From now on, until `follow`, every change of endpoints in the namespace wakes the experiment `key`. */
  traffic(key: Key, namespace: string): TrafficView
  /** From now on only the endpoints of these Services wake the experiment `key`. */
  follow(key: Key, namespace: string, services: ReadonlySet<string>): void
  /** at most a minute old, or `maxAgeMs`; undefined when the API server does not answer. Does not throw. */
  neighbours(namespace: string, maxAgeMs?: number): Promise<Neighbours | undefined>
}

/** The pods that an analysis run compares. Other runs of the experiment are not asked. */
export interface FollowedArms extends AnalysisArms {
  /** the name of the run */
  readonly run: string
}

/** Analyses. All is read from the caches. */
export interface AnalysisPort {
  /** a template of a namespace, or of none; undefined: there is none, unknown: it is not as the API says */
  template(namespace: string | undefined, name: string): Known<AnalysisTemplate> | undefined
  providers(): ByName<AnalysisProvider>
  /** those of the experiment with this key and uid */
  runs(key: Key, uid: string): readonly AnalysisRun[]
  /** what the poller found out and no pass has recorded yet */
  poll(run: string): Poll | undefined
  /** From now on the poller compares these pods for the experiment `key`; undefined: none. */
  follow(key: Key, arms: FollowedArms | undefined): void
}

/** Everything that `observe` reads, one port for each subject. */
export interface Ports {
  readonly experiments: {
    /** from the cache, or from the API server if the object in the cache was doubted. @throws KubeError */
    get(key: Key): Promise<ExperimentDeployment | undefined>
    /** says that the object in the cache may be too old to decide */
    doubt(experiment: ExperimentDeployment): void
  }
  readonly workloads: WorkloadsPort
  /**
   * the ControllerRevision of a pinned base; from the API server, because it is not watched. It may have the mark
   * `UNREAD`. @throws KubeError
   */
  readonly revision: (namespace: string, name: string) => Promise<KubeObject | undefined>
  /** why the last pod of the fork was refused, as its Events say; at most half a minute old. Does not throw. */
  readonly podRefusal: (fork: KubeObject) => Promise<Known<string>>
  /**
   * the Warnings about the pods of the fork; at most half a minute old. Does not throw. All forks of a namespace share
   * one list.
   */
  readonly podWarnings: (fork: KubeObject) => Promise<Known<readonly PodWarning[]>>
  /** the schema of a kind; undefined until it was fetched */
  readonly schemaOf: (kind: WorkloadKind) => SpecSchema | undefined
  readonly policies: PoliciesPort
  readonly surroundings: SurroundingsPort
  readonly installed: Components
  /** the pods of the gated fork of this name; only with the component "gate" */
  readonly pods: (namespace: string, fork: string) => readonly GatedPod[]
  /** a Service as it is now, maybe with the mark `UNREAD`; only with the component "cut-over". @throws KubeError */
  readonly service: (namespace: string, name: string) => Promise<KubeObject | undefined>
  /** what an analysis names, and its analysis runs; absent without the component "analysis" */
  readonly analysis?: AnalysisPort | undefined
  /** repairs of the selectors of Services */
  readonly pins: {
    /** how many milliseconds the next repair has to wait; 0 or less means now */
    waitMs(key: Key): number
    /** for how many milliseconds another client must leave the selector alone after repairs in a row; else 0 */
    contestedMs(key: Key): number
  }
  /** what a dry run of a write says: at most one for an experiment in ten seconds. Does not throw a KubeError. */
  readonly dryRun: (key: Key, kind: WorkloadKind, write: DoubtfulWrite) => Promise<DryRun>
  readonly steps: {
    /** milliseconds since the present step of the stored run began, by the monotonic clock as far as it can */
    elapsedMs(key: Key, run: StrategyRunStatus | undefined): number | undefined
    /** milliseconds since `since`, when the fork began to have too few ready pods; as `elapsedMs` otherwise */
    shortMs(key: Key, since: string | undefined): number | undefined
    /** milliseconds since this process first saw `state` of the Services of a blue-green, or of pods that move */
    unchangedMs(key: Key, what: TimedState, state: string): number
    /** milliseconds since this process first noted that the object `uid` leaves; undefined: it did not, or no longer */
    leavingMs(key: Key, uid: string | undefined): number | undefined
    /** notes which objects of the experiment leave. The others stay, or are gone */
    noteLeaving(key: Key, leaving: readonly { readonly uid: string }[]): void
  }
  readonly drift: {
    /** how many milliseconds the next repair of a fork has to wait; 0 or less means now */
    waitMs(key: Key): number
    /** for how many milliseconds another client must leave the fork alone after many repairs in a row; else 0 */
    contestedMs(key: Key): number
  }
  /** the forks and twins that were written and of which no status tells */
  readonly unreported: Pick<ReadonlyMap<Key, UnreportedWrites>, 'get'>
  /** the last fork of each experiment that the API server refused, for an hour, if our rules left it to decide */
  readonly refused: { get(key: Key): RefusedFork | undefined }
}
