import { type ReasonAttributes, reasonsAbout } from './reason-attributes.ts'
import { WARNING_REASONS } from './warning-reasons.ts'

const ABOUT_FORKS = reasonsAbout('fork', {
  Available: { remedy: 'No action needed. Every pod of the experiment is ready.' },
  ScaledToZero: {
    remedy: 'No action needed. To get pods again: `kubectl scale expd/NAME --replicas=1`.',
  },
  Updating: {
    remedy: "Wait. The change was applied, and Kubernetes' controller of the workload has not processed it yet.",
  },
  PodsNotReady: {
    remedy: 'Wait. If it takes too long, run `kubectl describe` on the pods of the experiment.',
  },
  NameConflict: {
    remedy: 'Remove or rename the object that already has the name of the fork. The message names it.',
  },
  ApplyRefused: {
    remedy:
      'Correct what the message of the API server names: a field, a quota, Pod Security or another admission webhook.',
  },
  ApplyFailed: { remedy: 'Wait. The controller tries again. If it takes too long, read the message.' },
  NotReconciled: {
    remedy:
      'Start Argo Rollouts. If it runs, check why it ignores this Rollout: its instance ID, or the namespace that it watches.',
  },
  ReplicaFailure: {
    remedy: 'Raise the quota, or satisfy the admission rule, that prevents the creation of pods.',
  },
  ProgressDeadlineExceeded: {
    remedy: 'Find out why the pods do not become ready. Then correct the override, or delete the experiment.',
  },
  Paused: {
    remedy:
      'Remove `paused`, canary steps and analysis from the override, or resume the fork by hand after each change.',
  },
  Expired: {
    remedy: 'No action needed. To run the experiment again, raise `spec.ttlSeconds`; otherwise delete it.',
  },
  Terminating: {
    remedy: 'Wait. The experiment is removed as soon as its fork in the other namespace is gone.',
  },
  Pending: { remedy: 'No action needed. There is nothing to report while there is no fork.' },
})

const ABOUT_SOURCES = reasonsAbout('source', {
  KindNotAvailable: {
    remedy:
      'Install the kind that `spec.sourceRef` names (for a Rollout: Argo Rollouts), or name a workload of another kind.',
  },
  SourceNotFound: {
    remedy: 'Create the workload that `spec.sourceRef` names, or create a new experiment with the correct name.',
  },
  SourceTemplateNotFound: {
    remedy: 'Create the object from which the source takes its pod template. The message names it.',
  },
  SourceReplaced: {
    remedy:
      'No action needed if the experiment should stay as it is. The source was deleted and created again; a pinned experiment still uses the former one. To start from the new source, delete the experiment and create it again.',
  },
  SourceIsExperiment: { remedy: 'Name a workload that is not itself the fork of an experiment.' },
  SourceNotForkable: { remedy: 'Correct the field of the source that the message names.' },
  Resolved: { remedy: 'No action needed. The source exists and can be forked.' },
})

const ABOUT_OVERRIDES = reasonsAbout('override', {
  SchemaNotAvailable: {
    remedy:
      'Wait. The schema of this kind was not fetched from the API server yet. If it takes too long, read the logs of the controller.',
  },
  InvalidOverride: { remedy: 'Correct the field of `spec.overrideSpec` that the message names.' },
  ImmutableFieldChanged: {
    remedy: 'Undo the change that the message names, or delete the experiment and create it again.',
  },
  InvalidSpec: { remedy: 'Correct the field that Argo Rollouts names in the message.' },
})

const ABOUT_POLICIES = reasonsAbout('policy', {
  NamespaceExcluded: {
    remedy: 'Create the experiment in another namespace. Admission does not check permissions in this one.',
    keepsFork: true,
  },
  SourceNotAllowed: {
    remedy:
      'Ask your platform team for an ExperimentPolicy that selects the namespace of the source and lists your namespace in `allowSourcesFrom`.',
    keepsFork: true,
  },
  PolicyDenied: {
    remedy: 'Change what the message names, or ask the owner of the policy that it names.',
    keepsFork: true,
    wakesWhenAnotherEnds: true,
  },
  PolicyNotRead: {
    remedy: 'Let the controller read namespaces. The ClusterRole in `manifests/base` grants this.',
    keepsFork: true,
  },
  LimitReached: {
    remedy: 'Wait until another experiment ends, or delete one. The message names the policy.',
    wakesWhenAnotherEnds: true,
  },
  Compliant: { remedy: 'No action needed. The experiment complies with every policy.' },
  PolicyViolated: {
    remedy: 'Change what the message names. Until then the fork keeps running as it is.',
  },
})

const ABOUT_TRAFFIC = reasonsAbout('traffic', {
  Selected: { remedy: 'No action needed. A Service sends requests to the experiment.' },
  NoService: {
    remedy:
      'No action needed if you expect no traffic. Otherwise create a Service that selects the pods of the source: none selects the pods of the source or of the experiment.',
  },
  LabelsDoNotMatch: {
    remedy: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  },
  RoutedByRollout: {
    remedy:
      'Read the traffic routing of the source Rollout. It decides how many requests reach the experiment; the share does not.',
  },
  PinnedByRollout: {
    remedy:
      'Add a Service that selects the same labels without the hash of one revision, and send the requests to that Service.',
  },
  PinnedToPod: {
    remedy:
      'No action needed. The Service is for one pod of the source. To send requests to any pod, use another Service.',
  },
  NoReadyEndpoints: { remedy: 'Wait until a pod of the experiment is ready.' },
})

/**
 * Every reason that a condition, an Event or a warning may have. `docs/reasons.md` is generated from it. Warnings in a
 * status are in this order.
 */
export const REASONS = {
  ...ABOUT_FORKS,
  ...ABOUT_SOURCES,
  ...ABOUT_OVERRIDES,
  ...ABOUT_POLICIES,
  ...ABOUT_TRAFFIC,
  ...WARNING_REASONS,
}

/** Why a condition, an Event or a warning is as it is. */
export type Reason = keyof typeof REASONS

/** Whether `word` is a reason of this version. A stored status may hold words of another version. */
export const isReason = (word: string | undefined): word is Reason => word !== undefined && Object.hasOwn(REASONS, word)

/** What `reason` means to the code. For a word from a stored status, ask `isReason` first. */
export const attributesOf = (reason: Reason): ReasonAttributes => REASONS[reason]
