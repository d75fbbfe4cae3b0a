/**
 * The vocabulary of conditions and Events: every reason, and what the user should do. The README's table is generated
 * from it.
 */
export const REASONS = {
  Available: 'Nothing: every pod of the experiment is ready.',
  ScaledToZero: 'Nothing, or `kubectl scale expd/NAME --replicas=1` to give it pods again.',
  Updating: 'Wait: the change was applied and the workload controller has not seen it yet.',
  PodsNotReady: 'Wait; if it lasts, `kubectl describe` the pods of the experiment.',
  KindNotAvailable: 'Install the kind that `spec.sourceRef` names (for a Rollout: Argo Rollouts), or name another.',
  SourceNotFound: 'Create the workload that `spec.sourceRef` names, or correct the name in a new experiment.',
  SourceTemplateNotFound: 'Create the object that the source takes its template from, as the message names it.',
  SourceReplaced: 'Nothing, or delete the experiment: its source was created anew, and it is pinned to the former one.',
  SourceIsExperiment: 'Name a workload that is not itself an experiment.',
  SourceNotForkable: 'Correct the field of the source that the message names.',
  SchemaNotAvailable: 'Wait: the API server has not told its schemas yet; see the logs of the controller if it lasts.',
  InvalidOverride: 'Correct the field of `spec.overrideSpec` that the message names.',
  NameConflict: 'Remove or rename the object that already has the name of the experiment.',
  ApplyRefused: 'Correct what the API server names: a field, a quota, Pod Security or another admission webhook.',
  ApplyFailed: 'Wait: it is tried again; see the message if it lasts.',
  ImmutableFieldChanged: 'Undo the change that the message names, or delete the experiment and create it anew.',
  InvalidSpec: 'Correct the field that Argo Rollouts names.',
  NotReconciled: 'Start Argo Rollouts, or see why it does not care for this Rollout (its instance id, its namespace).',
  ReplicaFailure: 'Raise the quota or satisfy the admission rule that keeps pods from being created.',
  ProgressDeadlineExceeded: 'See why the pods do not become ready; correct the override, or delete the experiment.',
  Paused: 'Resume the Rollout, or remove `paused` and canary steps from the override.',
  Expired: 'Nothing; raise `spec.ttlSeconds` to revive the experiment, or delete it.',
  Resolved: 'Nothing: the source exists.',
  Selected: 'Nothing: a Service sends requests to the experiment.',
  NoService: 'Nothing, unless you expect traffic: no Service selects the pods of the source or of the experiment.',
  LabelsDoNotMatch: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  NoReadyEndpoints: 'Wait for a pod of the experiment to become ready.',
  Pending: 'Wait: there is nothing to tell yet.',
} as const

/** Why a condition is as it is. */
export type Reason = keyof typeof REASONS
