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
  NamespaceExcluded: 'Create the experiment in another namespace: nobody reviews rights in this one.',
  SourceNotAllowed:
    'Ask for an ExperimentPolicy that selects the namespace of the source and lists yours in `allowSourcesFrom`.',
  PolicyDenied: 'Change what the message names, or ask whoever keeps the policy that it names.',
  PolicyNotRead: 'Let the controller read namespaces, as the ClusterRole does that comes with it.',
  LimitReached: 'Wait until another experiment ends, or delete one; the message names the policy.',
  NameConflict: 'Remove or rename the object that already has the name of the experiment.',
  ApplyRefused: 'Correct what the API server names: a field, a quota, Pod Security or another admission webhook.',
  ApplyFailed: 'Wait: it is tried again; see the message if it lasts.',
  ImmutableFieldChanged: 'Undo the change that the message names, or delete the experiment and create it anew.',
  InvalidSpec: 'Correct the field that Argo Rollouts names.',
  NotReconciled: 'Start Argo Rollouts, or see why it does not care for this Rollout (its instance id, its namespace).',
  ReplicaFailure: 'Raise the quota or satisfy the admission rule that keeps pods from being created.',
  ProgressDeadlineExceeded: 'See why the pods do not become ready; correct the override, or delete the experiment.',
  Paused: 'Resume the experiment, or remove `paused`, canary steps and analysis from the override.',
  Expired: 'Nothing; raise `spec.ttlSeconds` to revive the experiment, or delete it.',
  Terminating: 'Wait: the experiment goes as soon as its fork in the other namespace has gone.',
  Compliant: 'Nothing: no policy has anything against the experiment.',
  PolicyViolated: 'Change what the message names; the experiment runs on as it is.',
  Resolved: 'Nothing: the source exists.',
  Selected: 'Nothing: a Service sends requests to the experiment.',
  NoService: 'Nothing, unless you expect traffic: no Service selects the pods of the source or of the experiment.',
  LabelsDoNotMatch: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  RoutedByRollout:
    'See the traffic routing of the source: it decides how many requests reach the endpoint, not the share.',
  PinnedByRollout:
    'Add a Service that selects the same labels without the hash of a revision, and send requests there.',
  PinnedToPod: 'Nothing: the Service is for one pod of the source; requests to any pod need another Service.',
  NoReadyEndpoints: 'Wait for a pod of the experiment to become ready.',
  JoinsService: 'Remove the overridden label, unless requests meant for another workload are to reach the experiment.',
  LeavesService: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  JoinsNetworkPolicy:
    'Remove the overridden label, unless the rules of that NetworkPolicy are meant for the experiment.',
  LeavesNetworkPolicy:
    'Keep the labels by which the NetworkPolicy selects the source, or write one for the experiment.',
  CountedByHPA: 'Nothing if the pods are alike; else scale the source by hand while the experiment lasts.',
  ScaledByHPA: 'Let the HorizontalPodAutoscaler scale the ExperimentDeployment: its fork is set back each time.',
  CountedByPDB: 'Nothing, or give the PodDisruptionBudget a selector that leaves the experiment out.',
  SharedAffinity: 'Override affinity or spread constraints if pods stay Pending, or give the cluster more nodes.',
  LeaderElection: 'Switch leader election off in the override, or give the experiment a lease of its own.',
  QueueWorker: 'Point the experiment at another queue in the override, unless it is to take work from this one.',
  Migration: 'Remove the init container in the override, unless the migration may run twice.',
  SharedClaim: 'Override the volume, unless both may write there; with ReadWriteOnce pods hang on other nodes.',
  HostPort: 'Remove the port of the node in the override, or see to a node on which it is free.',
  Singleton: 'Make sure that two copies may run at once; else delete the experiment.',
  PeerDiscovery: 'Override the labels by which the headless Service selects, unless peers may take the experiment in.',
  EmptyVolumes: 'Nothing if the experiment can start from nothing; else fill the claim, it goes with the experiment.',
  SourceIsManaged: 'Make sure that the controller that the message names leaves other pods of these labels alone.',
  Pending: 'Wait: there is nothing to tell yet.',
} as const

/** Why a condition is as it is. */
export type Reason = keyof typeof REASONS
