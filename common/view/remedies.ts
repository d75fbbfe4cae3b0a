import type { Reason } from '../api/reasons.ts'
import { OF_WARNINGS } from './warning-remedies.ts'

const OF_STRATEGIES = {
  ServiceIsOwned: 'Keep the tool in the message from applying the Service in a run, or let it ignore the selector.',
  WeightLimited:
    'Raise `maxSurge` of the strategy, or use a smaller weight. A promotion that waits for it goes on when the source has fewer pods, too.',
  StepCompleted: 'No action needed. The run goes on with its next step.',
  Previewing: 'Test the fork through its preview Service, then resume the run. The message shows the command.',
  PauseStep: 'Resume the run when it may go on. The message shows the command.',
  PauseDuration: 'No action needed. The run goes on at the time in the message, or when somebody resumes it.',
  AwaitingPromotion:
    'Give the command `promote`, or delete the experiment. All steps of the strategy are done. After a promotion it means that another revision was approved than the present one: look at its plan first.',
  PausedByCommand: 'Resume the run when it may go on. The message shows the command.',
  Resumed: 'No action needed. The run goes on.',
  Retried: 'No action needed. The run begins again at its first step.',
  Promoting: 'Wait. The change is written to the source, and its own rollout brings it to its pods.',
  AwaitingSource:
    'Change the manifest of the source as `status.promotion.patch` says, where it is declared. The run goes on when the source has the change.',
  SourceNotSettled:
    'Wait until the source has finished its own rollout, or correct it. The promotion, or the analysis, waits for that.',
  SourceHoldsBack:
    'Change the field of the source that the message names. With it a change does not reach all pods. For an analysis, you can set `control` to `Twin` instead.',
  SourceIsBusy:
    'Wait until the other experiment is promoted and its Service sends to the source again, or until it has given the source its pods back, or abort it. If two wait for each other, abort one. The message names its id. If no experiment has that id, remove the key `experiment-controller.example.com/experiment-id` from the selector of the Service; of a preview Service, also `publishNotReadyAddresses`.',
  SourceScaled:
    'Look at the size of the source. Somebody else changed its `spec.replicas`, or took our label off it, while the strategy kept it small. If it has the size that you want, give the command `resume`; otherwise set `spec.replicas` of the source first. With the command `abort` the fork gets no pods, and the source has them all. As a warning it says what will set the size again: hand `spec.replicas` over first, as `docs/sources.md` shows. Never only delete the line: Kubernetes then sets 1.',
  SourceIsAutoscaled:
    'Delete the HorizontalPodAutoscaler that the message names for the time of the run, or leave `scaleDownSource` out of the strategy. An object of KEDA makes it again: pause or delete that one.',
  SourceDrifted:
    'Before a promotion somebody changed the fields that it writes: look at the plan of the command `promote`, which then promotes over that, or give the source the value in the message, or give the command `abort`. After a promotion somebody changed the source, so it is not restored: change it by hand, or give the command `abort` to keep it as it is. Without the record of its former values, only `abort` ends the undo. For an analysis of a pinned experiment, set `control` to `Twin`, or `onSourceChange` to `Follow`.',
  ChangeNotStored:
    'The API server, or an admission webhook, changed what was written. Give the command `undo`, then correct the override. If an undo says this, change the source by hand, or give the command `abort`.',
  SourceReverted:
    'Change the manifest of the source, or find out who changed it back. Then give the command `promote`. In the mode `Export`, apply `status.promotion.patch` where the source is declared, or give the command `abort`. After the Services of a blue-green are returned, give the source the change by hand; the run then goes on. If the message names a ControllerRevision, find out who made it, then give the command `promote` or `abort`.',
  SourceIsDeclared:
    'Change the manifest of the source as `status.promotion.patch` says. With `promotion.force` the controller writes the source anyway, and the tool may change it back. If the message is about `spec.replicas`, hand that field over first, as `docs/sources.md` shows, or leave `scaleDownSource` out.',
  NothingToPromote: 'No action needed. The source already has what the override says.',
  NotInstalled:
    'Ask an administrator for the component of the installation that the message names, or use the mode that needs none. A command in the message gives a source its pods back.',
  Promoted: 'Delete the experiment when it is no longer needed. The source has the change.',
  Undoing:
    'Wait. The source gets back its former values. If its own rollout does not end, look at the source. Once that rollout is over or stalled, the command `abort` leaves the source as it is.',
  Undone:
    'Change the override or the strategy to start another run, give the command `retry`, or delete the experiment.',
  CommandRefused: 'The command did not fit the present step. Read `status.strategy`, then repeat the command.',
  CutOver: 'No action needed. The active Service sends to the fork only.',
  TooFewPods:
    'Look at the pods of the fork. The source has more ready pods, or too few for those that the fork lacks. When this lasts a minute, the active Service sends to the source again, or a source that is smaller gets its pods back. `blueGreen.maxUnavailable` says how many pods the fork may lack.',
  Returned:
    'Find out why too few pods of the fork were ready, or who deleted the fork. The active Service sends to the source again, or a source that was smaller gets its pods back. If the run was aborted, then give the command `retry`; a promotion goes on by itself. If the Event says that the experiment is gone, somebody deleted it together with its fork.',
  PinNotHeld:
    'Find out who takes the label out of the selector of the Service, often a tool that applies the manifest of the Service. Exclude `spec.selector` there, then give the command `retry`. While the source is promoted, the fork shares the requests with it until the promotion is over; `undo` takes it back.',
  ServiceNotFound:
    'Create the Service that the message names, or correct its name in the strategy. If it is too large, make it smaller.',
  ServiceIsTaken:
    'Wait until the other experiment is done with the Service, or abort it. The message names its id. If no experiment has that id, remove the key `experiment-controller.example.com/experiment-id` from the selector of the Service; of a preview Service, also `publishNotReadyAddresses`.',
  ServiceDoesNotMatch: 'Name a Service that selects the source, or keep its labels in the override.',
  SourceHasClaims: 'Use a canary, or a source without volumeClaimTemplates.',
  ServiceIsManaged: 'Name another Service in the strategy. Argo Rollouts changes the selector of this one.',
  WaitsForSource: 'Make the source ready. The fork keeps its requests until the pods of the source are ready.',
  Aborted:
    'Change the override or the strategy to start another run, give the command `retry`, or delete the experiment. After a verdict of an analysis change the override, or raise `spec.analysis.attempt` and then give the command `retry`.',
}

const OF_ANALYSES = {
  AnalysisNotReady:
    'Create the template or the provider that the message names, or correct its name in `spec.analysis`. Only administrators create providers and cluster templates.',
  Measuring: 'Wait. The message says what the analysis shows so far.',
  NoPods:
    'Wait until pods of the fork and of its source are Ready for `warmUpSeconds`. If it takes too long, look at the pods.',
  NoTraffic: 'Send requests. If there are some, check the names of metrics and labels in the analysis.',
  NoSeries: 'Correct the name or the matchers in the query that the message has. If they are correct, send requests.',
  NoTreatmentData: 'Check that the fork gets requests and that its pods are measured as those of the source are.',
  NoControlData: 'Check that the source gets requests and that its pods are measured.',
  ProviderFailed: 'Ask an administrator about the provider that the message names. The message says how it answered.',
  Passed: 'No action needed. The fork is shown not to be worse than its source.',
  HarmFound: 'Change the override. The column `MESSAGE` of `kubectl get expdrun` says how much worse the fork is.',
  CrashLoops: 'Run `kubectl logs --previous` on the pod of the fork that restarts, and change the override.',
  NotHealthy: 'Run `kubectl describe` on the pods of the fork, and change the override.',
  ControlsDiffer: 'An earlier version of the controller has ended the run. Raise `attempt` to ask again.',
  PodsDiffer:
    'Compare the pods of the fork: one may be bad, as the column `MESSAGE` of `kubectl get expdrun` says. Delete it or add pods, then raise `attempt`.',
  TrafficDiffers:
    'Choose requests of one route by `prometheus.matchers` or `testPath`, or set `stratifyBy`, then raise `attempt`.',
  TooFewSamples:
    'Send more requests, give the fork more pods, or raise `maxSeconds`; then raise `attempt`. If a run was aborted, also give the command `retry`.',
  NotShown:
    'Give the analysis more time or requests (`maxSeconds`, `replicas`), or a larger `maxRegressionPercent`; then raise `attempt`. If a run was aborted, also give the command `retry`.',
  RolledBack:
    'Change the override, or raise `spec.analysis.attempt` to ask again. Without `spec.analysis` the fork gets its pods back. A release of the source asks again, too, unless the experiment is pinned.',
  AnalysisStep: 'Wait for the verdict of the analysis.',
  AnalysisInconclusive:
    'Decide yourself: go on with the command `resume` or `abort`. The analysis could not show harm or safety.',
  AnalysisTooShort: 'Raise `maxSeconds` or `ttlSeconds` as the message says, or lower `warmUpSeconds`.',
  OnePod: 'Set `replicas` to 2 or more.',
  WindowsOverlap:
    'Write `[{{windowSeconds}}s]` for every range in the query of the metric, or set its `dryRun`. Otherwise one disturbance counts in several windows.',
  TimeoutPromotes: 'No action needed if you mean it. Otherwise set `onTimeout` to `RollBack` or `Keep`.',
}

const OF_ENDS = {
  Expired:
    'No action needed. To run the experiment again, raise `spec.ttlSeconds`, and give the command `retry` if it has a strategy; otherwise delete it.',
  Terminating:
    'Wait. The experiment, or only its fork, is being deleted. The message says what that waits for: a Service or a source that needs the fork for a while, pods, or a finalizer. A fork that is still wanted is created again then.',
  HeldByFinalizer:
    'Wait. The message names the finalizer of somebody else that keeps a fork which should be gone. The controller removes it a minute after the deletion. Do not set finalizers on forks.',
  Orphaned:
    'The experiment of this fork was removed together with its finalizer, or restored from a backup, so the controller deletes the fork. If a Service sends only to the fork, it is returned first. Where the controller may not do that, the message says what to do. Delete experiments with `kubectl delete` while the controller runs. Do not remove the finalizer by hand, and exclude forks from backups. Of a Service it says that it sends only to a fork that does not exist: remove the key from its selector. Of a source it says that a canary left it smaller, and that the controller may not change it: the message has the command that gives its pods back.',
}

const OF_CONDITIONS = {
  ...OF_ENDS,
  Available: 'No action needed. Every pod of the fork is ready.',
  ScaledToZero:
    'No action needed. To get pods again, run `kubectl scale expd/NAME --replicas=1`; a strategy gives pods at its steps.',
  Updating: "Wait. The change was applied, and Kubernetes' controller of the workload has not processed it yet.",
  PodsNotReady:
    'Wait. If pods fail, the message names the first of them, with the newest Warning of Kubernetes about it. Correct that in the override, or in the cluster.',
  NameConflict:
    'Remove or rename the object that already has the name of the fork, of its pinned base, or of the record of its promotion. The message names it. If it is an analysis run, raise `spec.analysis.attempt`.',
  ApplyRefused:
    'Correct what the message of the API server names: a field of the override, a quota, Pod Security or another admission webhook.',
  ApplyFailed: 'Wait. The controller tries again. If it takes too long, read the message.',
  NotReconciled:
    'Start Argo Rollouts. If it runs, check why it ignores this Rollout: its instance ID, or the namespace that it watches.',
  ReplicaFailure: 'Raise the quota, or satisfy the admission rule, that prevents the creation of pods.',
  ProgressDeadlineExceeded:
    'Find out why the pods do not become ready. Then correct the override, or delete the experiment.',
  Contested:
    'Find the client that changes the fork, by `kubectl get --show-managed-fields -o yaml` or its autoscaler, and stop it. For an autoscaler, see `ScaledByHPA`.',
  Paused:
    'Resume the fork, for example by `kubectl rollout resume`. If the override pauses it by `paused`, canary steps or an analysis, remove them.',
  ScaleNotReviewed:
    'Scale the experiment back with `kubectl scale`, then set `spec.replicas` with `kubectl patch` or `kubectl apply`, which check your permissions in the namespace of the source. `kubectl scale` checks nothing there, so it can only make such a fork smaller.',
  Pending: 'No action needed without a fork. If a new experiment stays so, no controller runs: ask an admin.',
  KindNotAvailable:
    'Install the kind that `spec.sourceRef` names (for a Rollout: Argo Rollouts), or name a workload of another kind.',
  SourceNotFound: 'Create the workload that `spec.sourceRef` names, or create a new experiment with the correct name.',
  SourceTemplateNotFound: 'Create the object from which the source takes its pod template. The message names it.',
  TemplateNotReviewed:
    'Run the command in the message, or change the `spec` of the experiment. The webhook then checks whether you may read the object from which the source takes its template. An experiment can be older than the reference of its source to that object.',
  SourceReplaced:
    'No action needed if the experiment should stay as it is. The source was deleted and created again; a pinned experiment still uses the former one. To start from the new source, delete the experiment and create it again.',
  PinnedBaseLost:
    'Set `spec.onSourceChange` to `Follow`, wait until the fork has followed the source, and set it to `Pin` again. The ControllerRevision that kept the base was deleted or replaced; find out who did that.',
  SourceIsExperiment: 'Name a workload that is not itself the fork of an experiment.',
  SourceNotForkable: 'Correct the field of the source that the message names, or replace it in the override.',
  Resolved: 'No action needed. The source exists and can be forked.',
  SchemaNotAvailable:
    'Wait. The schema of this kind was not fetched from the API server yet. If it takes too long, read the logs of the controller.',
  InvalidOverride: 'Correct the field of `spec.overrideSpec` that the message names.',
  ImmutableFieldChanged: 'Undo the change that the message names, or delete the experiment and create it again.',
  InvalidSpec: 'Correct the field that Argo Rollouts names in the message.',
  NamespaceExcluded: 'Create the experiment in another namespace. Admission does not check permissions in this one.',
  SourceNotAllowed:
    'Ask your platform team for an ExperimentPolicy that selects the namespace of the source and lists your namespace in `allowSourcesFrom`.',
  SourceNamespaceExcluded:
    'Name a source in another namespace. Workloads of `kube-system` and of the namespace of this product are never forked from elsewhere. If the installation serves only one namespace, the source must be there.',
  PolicyDenied: 'Change what the message names, or ask the owner of the policy that it names.',
  PolicyNotRead: 'Let the controller read namespaces. The ClusterRole in `manifests/base` grants this.',
  LimitReached: 'Wait until another experiment ends, or delete one. The message names the policy.',
  Compliant: 'No action needed. The experiment complies with every policy.',
  PolicyViolated: 'Change what the message names. Until then the fork keeps running as it is.',
  Valid: 'No action needed. Everything in this ExperimentPolicy can match something.',
  NeverMatches:
    'Correct what the message names in the ExperimentPolicy. It matches nothing, so the policy does not limit what its author meant.',
  MayNotMatch:
    'Check the path that the message names in the ExperimentPolicy. It matches only free keys such as labels, or a field of a kind or of a version of Kubernetes that this cluster does not have.',
  Selected: 'No action needed. A Service sends requests to the experiment.',
  NoService:
    'No action needed if you expect no traffic. Otherwise create a Service that selects the pods of the source: none selects the pods of the source or of the fork.',
  LabelsDoNotMatch: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  PortMissing:
    'Give a container of the fork a port with the name in the message. With `overrideType: Merge` list all ports of the container, or use `Strategic`.',
  RoutedByRollout:
    'Read the traffic routing of the source Rollout. It decides how many requests reach the fork; the share does not.',
  PinnedByRollout:
    'Add a Service that selects the same labels without the hash of one revision, and send the requests to that Service.',
  PinnedToPod:
    'No action needed. The Service is for one pod of the source. To send requests to any pod, use another Service.',
  NoReadyEndpoints: 'Wait until a pod of the fork is ready.',
  Shut: 'No action needed. The fork is gated: its pods run without requests until a weight of the strategy opens them.',
  AloneBehindService:
    'Find out why no pod of the source is ready, or scale the source up: all requests of the Service reach the fork. If a policy forbids this, the fork has no pods until a pod of the source is ready again, and then gets them back by itself.',
}

/** What a user should do about each reason: whole sentences of Markdown, in `docs/reasons.md`. */
export const REMEDIES: Readonly<Record<Reason, string>> = {
  ...OF_STRATEGIES,
  ...OF_ANALYSES,
  ...OF_CONDITIONS,
  ...OF_WARNINGS,
}
