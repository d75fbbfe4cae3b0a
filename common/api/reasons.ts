/** What a reason is about: the sections of `docs/reasons.md`, in their order. */
export const SUBJECTS = {
  fork: 'The fork',
  strategy: 'Strategies',
  analysis: 'Analyses',
  source: 'The source',
  override: 'The override',
  policy: 'Policies and limits',
  traffic: 'Traffic',
  neighbours: 'Services, autoscalers and other objects that select the same pods',
  hazards: 'Risks of a second instance',
  apply: 'Warnings at apply',
} as const

interface ReasonAttributes {
  readonly about: keyof typeof SUBJECTS
  /** While an experiment is not ready for this reason, its fork only follows a smaller `spec.replicas`. */
  readonly keepsFork?: true
  /** An experiment that is not ready for this reason is checked again when another experiment ends. */
  readonly wakesWhenAnotherEnds?: true
  /** Why the fork of an experiment that is not ready for this reason has no pods. */
  readonly empties?: 'aloneBehindService' | 'rolledBack'
  /** Found by reading autoscalers, disruption budgets and network policies. It stays while they cannot be read. */
  readonly ofNeighbours?: true
  /** An experiment that is not ready for this reason is over. */
  readonly ends?: true
  /** The state of an experiment whose condition `Ready` has this reason. Absent: the reason tells no state. */
  readonly state?: 'Ended' | 'Failed' | 'Idle'
  /** The message of an experiment that is not ready for this reason may say why its fork was written. */
  readonly saysWhyWritten?: true
  /** The source has no template now. */
  readonly lacksTemplate?: true
  /** A condition of a blue-green with this reason says that one of its Services sends only to the fork. */
  readonly saysLimited?: true
  /** What is told for this reason could not be found out. */
  readonly isUnknown?: true
  /** `Ready` repeats the message of an analysis with this reason. */
  readonly isInReady?: true
  /** Of too many warnings, those for this reason are left out last, because nobody can guess what they say. */
  readonly isLeftOutLast?: true
}

const OF_STRATEGIES = {
  WeightLimited: { about: 'strategy' },
  ServiceIsOwned: { about: 'strategy' },
  StepCompleted: { about: 'strategy' },
  Previewing: { about: 'strategy', saysLimited: true },
  PauseStep: { about: 'strategy' },
  PauseDuration: { about: 'strategy' },
  AwaitingPromotion: { about: 'strategy' },
  PausedByCommand: { about: 'strategy' },
  Resumed: { about: 'strategy' },
  Aborted: { about: 'strategy' },
  Retried: { about: 'strategy' },
  Promoting: { about: 'strategy' },
  AwaitingSource: { about: 'strategy' },
  SourceNotSettled: { about: 'strategy' },
  SourceHoldsBack: { about: 'strategy' },
  SourceIsBusy: { about: 'strategy' },
  SourceScaled: { about: 'strategy' },
  SourceIsAutoscaled: { about: 'strategy' },
  SourceDrifted: { about: 'strategy' },
  SourceReverted: { about: 'strategy' },
  ChangeNotStored: { about: 'strategy' },
  SourceIsDeclared: { about: 'strategy' },
  NothingToPromote: { about: 'strategy' },
  NotInstalled: { about: 'strategy', keepsFork: true },
  Promoted: { about: 'strategy', state: 'Ended' },
  Undoing: { about: 'strategy' },
  Undone: { about: 'strategy', state: 'Ended' },
  CommandRefused: { about: 'strategy' },
  CutOver: { about: 'strategy', saysLimited: true },
  TooFewPods: { about: 'strategy' },
  Returned: { about: 'strategy' },
  PinNotHeld: { about: 'strategy' },
  ServiceNotFound: { about: 'strategy' },
  ServiceIsTaken: { about: 'strategy' },
  ServiceIsManaged: { about: 'strategy' },
  ServiceDoesNotMatch: { about: 'strategy' },
  SourceHasClaims: { about: 'strategy', keepsFork: true },
  WaitsForSource: { about: 'strategy' },
} as const satisfies Readonly<Record<string, ReasonAttributes>>

const OF_ANALYSES = {
  AnalysisNotReady: { about: 'analysis' },
  Measuring: { about: 'analysis' },
  NoPods: { about: 'analysis' },
  NoTraffic: { about: 'analysis' },
  NoSeries: { about: 'analysis', isInReady: true },
  NoTreatmentData: { about: 'analysis' },
  NoControlData: { about: 'analysis' },
  ProviderFailed: { about: 'analysis' },
  Passed: { about: 'analysis' },
  HarmFound: { about: 'analysis' },
  CrashLoops: { about: 'analysis' },
  NotHealthy: { about: 'analysis' },
  ControlsDiffer: { about: 'analysis' },
  PodsDiffer: { about: 'analysis' },
  TrafficDiffers: { about: 'analysis' },
  TooFewSamples: { about: 'analysis' },
  NotShown: { about: 'analysis' },
  RolledBack: { about: 'analysis', empties: 'rolledBack', state: 'Failed' },
  AnalysisStep: { about: 'analysis' },
  AnalysisInconclusive: { about: 'analysis' },
  AnalysisTooShort: { about: 'analysis' },
  OnePod: { about: 'analysis' },
  WindowsOverlap: { about: 'analysis' },
  TimeoutPromotes: { about: 'analysis' },
} as const satisfies Readonly<Record<string, ReasonAttributes>>

const OF_NEIGHBOURS = {
  JoinsService: { about: 'neighbours' },
  LeavesService: { about: 'neighbours' },
  GateBypassed: { about: 'neighbours' },
  JoinsNetworkPolicy: { about: 'neighbours', ofNeighbours: true },
  LeavesNetworkPolicy: { about: 'neighbours', ofNeighbours: true },
  AmbiguousHPA: { about: 'neighbours', ofNeighbours: true },
  BreaksHPA: { about: 'neighbours', ofNeighbours: true },
  CountedByHPA: { about: 'neighbours', ofNeighbours: true },
  HeldBackHPA: { about: 'neighbours', ofNeighbours: true },
  ScaledByHPA: { about: 'neighbours', ofNeighbours: true },
  CountedByPDB: { about: 'neighbours', ofNeighbours: true },
  JoinsPDB: { about: 'neighbours', ofNeighbours: true },
  SeveralPDBs: { about: 'neighbours', ofNeighbours: true },
  SharedAffinity: { about: 'neighbours' },
  NotCompared: { about: 'neighbours', ofNeighbours: true, isUnknown: true },
} as const satisfies Readonly<Record<string, ReasonAttributes>>

/**
 * Every reason that a condition, an Event or a warning may have. Warnings in a status are in this order. What a user
 * should do is in `common/view/remedies.ts`, from which `docs/reasons.md` is generated.
 */
export const REASONS = {
  Available: { about: 'fork' },
  ScaledToZero: { about: 'fork', state: 'Idle' },
  Updating: { about: 'fork', saysWhyWritten: true },
  PodsNotReady: { about: 'fork' },
  NameConflict: { about: 'fork' },
  ApplyRefused: { about: 'fork' },
  ApplyFailed: { about: 'fork' },
  NotReconciled: { about: 'fork' },
  ReplicaFailure: { about: 'fork' },
  ProgressDeadlineExceeded: { about: 'fork' },
  Paused: { about: 'fork' },
  Contested: { about: 'fork' },
  ScaleNotReviewed: { about: 'fork' },
  ...OF_STRATEGIES,
  ...OF_ANALYSES,
  Expired: { about: 'fork', ends: true, state: 'Ended' },
  Terminating: { about: 'fork' },
  HeldByFinalizer: { about: 'fork' },
  Orphaned: { about: 'fork' },
  Pending: { about: 'fork' },
  KindNotAvailable: { about: 'source' },
  SourceNotFound: { about: 'source' },
  SourceTemplateNotFound: { about: 'source', lacksTemplate: true },
  TemplateNotReviewed: { about: 'source', keepsFork: true },
  SourceReplaced: { about: 'source' },
  PinnedBaseLost: { about: 'source', keepsFork: true },
  SourceIsExperiment: { about: 'source' },
  SourceNotForkable: { about: 'source' },
  Resolved: { about: 'source' },
  SchemaNotAvailable: { about: 'override' },
  InvalidOverride: { about: 'override' },
  ImmutableFieldChanged: { about: 'override' },
  InvalidSpec: { about: 'override' },
  NamespaceExcluded: { about: 'policy', keepsFork: true },
  SourceNotAllowed: { about: 'policy', keepsFork: true },
  SourceNamespaceExcluded: { about: 'policy', keepsFork: true },
  PolicyDenied: { about: 'policy', keepsFork: true, wakesWhenAnotherEnds: true },
  PolicyNotRead: { about: 'policy', keepsFork: true },
  LimitReached: { about: 'policy', wakesWhenAnotherEnds: true },
  Compliant: { about: 'policy' },
  PolicyViolated: { about: 'policy' },
  Valid: { about: 'policy' },
  NeverMatches: { about: 'policy' },
  MayNotMatch: { about: 'policy' },
  Selected: { about: 'traffic' },
  NoService: { about: 'traffic' },
  LabelsDoNotMatch: { about: 'traffic' },
  PortMissing: { about: 'traffic' },
  RoutedByRollout: { about: 'traffic' },
  PinnedByRollout: { about: 'traffic' },
  PinnedToPod: { about: 'traffic' },
  NoReadyEndpoints: { about: 'traffic' },
  Shut: { about: 'traffic' },
  AloneBehindService: { about: 'traffic', empties: 'aloneBehindService' },
  ...OF_NEIGHBOURS,
  LeaderElection: { about: 'hazards' },
  QueueWorker: { about: 'hazards' },
  Migration: { about: 'hazards' },
  SharedClaim: { about: 'hazards' },
  HostPort: { about: 'hazards' },
  FixedAddress: { about: 'hazards' },
  Singleton: { about: 'hazards' },
  PeerDiscovery: { about: 'hazards' },
  EmptyVolumes: { about: 'hazards' },
  SourceIsManaged: { about: 'hazards' },
  Plan: { about: 'apply', isLeftOutLast: true },
  Policy: { about: 'apply' },
  Source: { about: 'apply' },
  ListReplaced: { about: 'apply' },
  NewContainer: { about: 'apply' },
  NewReference: { about: 'apply' },
  LikelyMistake: { about: 'apply' },
  NullDropped: { about: 'apply' },
  PromotionIsNull: { about: 'apply' },
  CommandIsDeclared: { about: 'apply' },
  SourceUnread: { about: 'apply' },
} as const satisfies Readonly<Record<string, ReasonAttributes>>

/** Why a condition, an Event or a warning is as it is. */
export type Reason = keyof typeof REASONS

/** Whether `word` is a reason of this version. A stored status may hold words of another version. */
export const isReason = (word: string | undefined): word is Reason => word !== undefined && Object.hasOwn(REASONS, word)

/** What `reason` means to the code. For a word from a stored status, ask `isReason` first. */
export const attributesOf = (reason: Reason): ReasonAttributes => REASONS[reason]
