/** The remedies of reasons that only warnings have. */
export const OF_WARNINGS = {
  JoinsService:
    'No action needed if the fork should get requests of this other Service. Otherwise remove the label from the override.',
  LeavesService:
    'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`. A source that gets smaller waits for that.',
  GateBypassed:
    'Use a canary without `traffic.mode: Gated`, or change what the message names. A Service must not publish addresses that are not ready. A load balancer must send to nodes instead of pods: on AWS with the target type `instance`, on GKE with `cloud.google.com/neg` set to `{"ingress": false}`.',
  JoinsNetworkPolicy:
    'No action needed if the rules of this NetworkPolicy should apply to the fork. Otherwise remove the label from the override.',
  LeavesNetworkPolicy:
    'Keep the labels by which the NetworkPolicy selects the source, or write a NetworkPolicy for the fork.',
  AmbiguousHPA:
    'Delete the other HorizontalPodAutoscaler, and give the fork its pods with `kubectl scale` or a strategy. Kubernetes stops each of two autoscalers that select the same pod: their condition `ScalingActive` then says `AmbiguousSelector`.',
  BreaksHPA:
    'Add what the message names to the override: `overrideType: Merge` replaces the whole list of containers, so repeat their `resources` there, or use `Strategic`. A container that is missing was renamed. No action needed if a LimitRange of the namespace sets the request. The condition `ScalingActive` of the autoscaler says whether it works.',
  CountedByHPA:
    'No action needed if the pods of the fork have the same load as those of the source. Otherwise scale the source by hand while the experiment runs.',
  HeldBackHPA:
    'Run few pods of the fork while they are shut, and open them soon: set `spec.replicas`, or `previewReplicaCount` of a blue-green. Otherwise scale the source by hand while they are shut.',
  ScaledByHPA:
    'Delete the HorizontalPodAutoscaler, or let it scale the ExperimentDeployment instead of its fork, which the controller resets each time. That works only if the experiment is in the namespace of its source, and if no HorizontalPodAutoscaler scales the source.',
  CountedByPDB:
    'No action needed if the pods of the fork may count. Otherwise give the PodDisruptionBudget a selector that does not match them.',
  JoinsPDB:
    'No action needed if the PodDisruptionBudget should protect the fork. Otherwise remove the label from the override.',
  SeveralPDBs:
    'Remove the label by which one more PodDisruptionBudget selects the pods from the override, or delete the experiment before nodes are drained: Kubernetes evicts no pod that two PodDisruptionBudgets select.',
  SharedAffinity:
    'If pods stay Pending, add nodes to the cluster. A topology spread can be overridden instead. For anti-affinity, override both the affinity and a label by which the rule of the source selects, if no Service needs that label. To override the affinity alone does not help, because the pods of the source keep theirs. The next rollout of the source needs a free node, too.',
  NotCompared:
    'Find out who wrote the object that the message names: it is larger, or has more labels, ports or metrics, than any workload needs, so it was not compared with the pods. Make it smaller. Everything else is compared as usual.',
  LeaderElection: 'Disable leader election in the override, or give the fork a lease of its own.',
  QueueWorker:
    'No action needed if the fork may take work from the same queue. Otherwise name another queue in the override.',
  Migration: 'No action needed if the migration may run twice. Otherwise remove the init container in the override.',
  SharedClaim:
    'Override the volume, or mount it with `readOnly: true`, unless both workloads may write to it. With a claim that is `ReadWriteOnce`, pods on other nodes do not start.',
  HostPort:
    'Remove the host port in the override, or make sure that some nodes have this port free: one for the fork and, if the source uses the port as well, one for its next rollout.',
  FixedAddress:
    'Override the annotation that the message names: give it other addresses, or `null` to remove it. Otherwise two pods have one address, or one of them does not start. After a restart that may be a pod of the source.',
  Singleton: 'Make sure that two instances may run at the same time. Otherwise delete the experiment.',
  PeerDiscovery:
    'No action needed if only clients look the headless Service up, or if the pods of the source may accept the fork as a peer. Otherwise override the labels by which the headless Service selects.',
  EmptyVolumes:
    'No action needed if the fork can start with empty volumes, or with the data that the message names. Otherwise fill its claims; they are deleted with the experiment. If a claim asks for a volume by its name, delete the experiment and create it again with `volumeClaimTemplates` without `volumeName` in the override.',
  SourceIsManaged:
    'Fork the workload that the message names, if it names one. Otherwise make sure that the named owner ignores other pods with the same labels.',
  Plan: 'Check that this is what you want: the line says what the controller will do.',
  Policy:
    'Change what the message names, or ask the owner of the policy. The request is accepted, because the policy only warns or because nothing got worse.',
  Source:
    'Correct the source if you can. The message names a field of it that Kubernetes accepts but that is ambiguous.',
  ListReplaced: 'Repeat the whole list in the override, or use `overrideType: Strategic`, which merges lists by name.',
  NewContainer:
    'No action needed if the fork should have one more container. Otherwise correct the name in the override: containers are merged by name.',
  NewReference:
    'No action needed if the object exists in the namespace of the source. Otherwise correct the name in the override, or create the object: without it no pod of the fork starts. The webhook does not look, because it may not read Secrets.',
  LikelyMistake:
    'No action needed if the override means what the message says. Otherwise correct it: Kubernetes accepts it, but it rarely is meant.',
  NullDropped: 'Use `kubectl apply --server-side`. A plain `kubectl apply` drops `null` before it sends the resource.',
  PromotionIsNull: 'If you want a promotion, write its `mode`. Server-side apply can make null of `promotion: {}`.',
  CommandIsDeclared:
    'Remove the annotation with the command from the manifest, and give commands with `kubectl annotate`. Each `kubectl apply` and each sync of a tool gives a command in a manifest again.',
  SourceUnread:
    'If the message says that an object is too large, make it smaller. Otherwise no action is needed: the webhook could not read the source in time; the controller checks the override and reports in `status`.',
}
