import type { AnalysisRun, RunMetric } from '../analysis/kinds/run.ts'
import type { Known } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { CommandVerb } from '../strategy/command-text.ts'
import type { Source } from '../workload/kind.ts'
import type { Text } from './text.ts'

/** What a view is made of. What could not be read is `unknown`, and the view lists it. */
export interface ViewFacts {
  readonly now: Date
  readonly experiment: ExperimentDeployment
  readonly source: Known<Source>
  readonly fork: Known<KubeObject>
  /** of the fork, at most 100 */
  readonly pods: Known<readonly KubeObject[]>
  /** of the core API: about the experiment, its fork, and a pod that is not ready */
  readonly events: Known<readonly KubeObject[]>
  readonly run: Known<AnalysisRun>
  /** what else could not be read, such as a member of the status that is not as the API says */
  readonly unread?: readonly Unread[]
}

/** Something that a view lacks, and why: both for people. */
export interface Unread {
  readonly what: string
  readonly because: string
}

/** The states of an experiment; of several that hold, the first. */
export const STATES = ['Terminating', 'Ended', 'Failed', 'Stalled', 'Paused', 'Progressing', 'Idle', 'Running'] as const
export type State = (typeof STATES)[number]

/** Why the experiment is in its state, and what a person can do about it. */
export interface ViewBecause {
  readonly reason: Text
  readonly message: Text
  /** RFC 3339, as all times of a view */
  readonly since?: string
  /** of the table of reasons, without markup */
  readonly remedy: Text
  /** what the controller may not read and the caller may: at most five lines */
  readonly found: readonly Text[]
}

/** A time at which something happens by itself. */
export interface ViewDeadline {
  readonly what: 'expires' | 'pause' | 'progressDeadline' | 'analysis'
  readonly at: string
}

/** A Service of the source, and what the fork has of its endpoints. */
export interface ViewService {
  readonly name: string
  readonly selected: boolean
  readonly share?: Text
  /** ready endpoints of the fork */
  readonly own: number
  /** all ready endpoints */
  readonly all: number
  readonly message?: Text
}

/** A field in which the fork differs from its source. */
export interface ViewChange {
  readonly path: Text
  readonly is: 'set' | 'added' | 'removed' | 'changed' | 'moved'
  /** only for images, resources and replicas, unless values are asked for */
  readonly before?: Text
  readonly after?: Text
  /** false: the override does not name it, so source or fork was changed since */
  readonly isOverride: boolean
}

/** A step of the run. */
export interface ViewStep {
  readonly index: number
  readonly text: Text
  readonly pods?: number
  readonly is: 'done' | 'current' | 'ahead'
}

/** A metric of the analysis run, without what its engine remembers. */
export type MetricView = Omit<RunMetric, 'state' | 'memory' | 'twin'>

/** The analysis of the experiment. */
export interface ViewAnalysis {
  readonly run?: string
  readonly createdAt?: string
  readonly looks?: number
  readonly requests?: number
  readonly verdict: string
  readonly reason: Text
  readonly message: Text
  readonly metrics: readonly MetricView[]
}

/** A pod of the fork. */
export interface ViewPod {
  readonly name: string
  readonly node?: string
  readonly phase: string
  readonly isReady: boolean
  readonly restarts: number
  readonly problem?: Text
  readonly createdAt: string
}

/** A condition of the status, in a word. */
export interface ViewCondition {
  readonly type: string
  readonly status: string
  readonly reason: Text
  /** whether it is about the present generation */
  readonly isCurrent: boolean
}

/** Where the run of a strategy or a promotion is: what a command must be about. */
export interface ViewRun {
  /** in `steps` */
  readonly stepIndex: number
  /** in ten digits, as people see it */
  readonly revision: string
  /** in 64 digits; absent: an earlier version wrote the status */
  readonly wholeRevision?: string
  /** false: on its way back, so `steps` are other ones */
  readonly isForward: boolean
}

/** Something that happened. */
export interface ViewMoment {
  readonly at: string
  readonly reason: Text
  readonly message: Text
  readonly by?: Text
  readonly count?: number
}

/** A command that a person can give to the run, as far as the run allows it. */
export interface ViewAction {
  readonly verb: CommandVerb
  readonly isOffered: boolean
  /** why not */
  readonly why?: Text
  /** what to type, with kubectl alone */
  readonly command: Text
}

/**
 * One experiment, for people and programs. The keys are an API: a change needs another version. Times are absolute:
 * whoever shows them says how much is left.
 */
export interface ExperimentView {
  readonly apiVersion: 'view.experimentcontroller.example.com/v1alpha1'
  readonly kind: 'ExperimentView'
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly generation: number
    readonly resourceVersion: string
    readonly createdAt?: string
  }
  readonly state: State
  readonly because: ViewBecause
  readonly conditions: readonly ViewCondition[]
  /** what `spec` asks for */
  readonly asks: { readonly strategy: boolean; readonly promotion: boolean; readonly analysis: boolean }
  readonly deadlines: readonly ViewDeadline[]
  readonly source: { readonly kind: string; readonly namespace: string; readonly name: string; readonly pods?: number }
  readonly fork?: {
    readonly kind: string
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly createdAt?: string
    readonly ready: number
    readonly wanted: number
  }
  readonly services: readonly ViewService[]
  readonly changes: readonly ViewChange[]
  readonly steps: readonly ViewStep[]
  readonly run?: ViewRun
  /** the last command, and what became of it */
  readonly command?: {
    readonly verb: Text
    readonly by?: Text
    readonly at?: string
    readonly answer: Text
    readonly message: Text
  }
  readonly promotion?: {
    readonly mode: string
    readonly revision?: string
    readonly declaredBy?: Text
    readonly patch?: Text
  }
  readonly analysis?: ViewAnalysis
  readonly pods: readonly ViewPod[]
  /** newest first, at most 200; Events live for an hour */
  readonly timeline: readonly ViewMoment[]
  /** of the condition PolicyCompliant */
  readonly policy: { readonly status: string; readonly reason: Text; readonly message: Text }
  readonly warnings: readonly { readonly reason: Text; readonly message: Text; readonly remedy: Text }[]
  /** what could not be read, and why */
  readonly unread: readonly { readonly what: Text; readonly because: Text }[]
  readonly actions: readonly ViewAction[]
}

/** A row of a list. It is made from the experiment alone. */
export interface ExperimentRow {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly state: State
  /** `deployment/cart`, or with its namespace if that is another one: `deployment/shop/cart` */
  readonly source: Text
  /** `1/1`: ready and wanted */
  readonly pods?: Text
  readonly share?: Text
  /** `1/7`: done and all */
  readonly step?: Text
  readonly verdict?: string
  readonly changes?: Text
  readonly reason: Text
  readonly message: Text
  /** the next one */
  readonly deadline?: ViewDeadline
  /** when it ends by itself; absent: never */
  readonly expiresAt?: string
  readonly services: readonly { readonly name: string; readonly own: number; readonly all: number }[]
  /** whether a Service of the source sends to experiments alone */
  readonly isAlone: boolean
  /** the policies that it violates, at most 8 */
  readonly policies: readonly string[]
  readonly createdAt: string
  readonly requestedBy?: Text
}
