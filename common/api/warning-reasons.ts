import { reasonsAbout } from './reason-attributes.ts'

const ABOUT_NEIGHBOURS = reasonsAbout('neighbours', {
  JoinsService: {
    remedy:
      'No action needed if the experiment should get requests of this other Service. Otherwise remove the label from the override.',
  },
  LeavesService: {
    remedy: 'Add the labels that the message names to `spec.overrideSpec.template.metadata.labels`.',
  },
  JoinsNetworkPolicy: {
    remedy:
      'No action needed if the rules of this NetworkPolicy should apply to the experiment. Otherwise remove the label from the override.',
    ofNeighbours: true,
  },
  LeavesNetworkPolicy: {
    remedy:
      'Keep the labels by which the NetworkPolicy selects the source, or write a NetworkPolicy for the experiment.',
    ofNeighbours: true,
  },
  CountedByHPA: {
    remedy:
      'No action needed if the pods of the fork have the same load as those of the source. Otherwise scale the source by hand while the experiment runs.',
    ofNeighbours: true,
  },
  ScaledByHPA: {
    remedy:
      'Let the HorizontalPodAutoscaler scale the ExperimentDeployment instead of its fork. The controller resets the fork each time.',
    ofNeighbours: true,
  },
  CountedByPDB: {
    remedy:
      'No action needed if the pods of the experiment may count. Otherwise give the PodDisruptionBudget a selector that does not match them.',
    ofNeighbours: true,
  },
  SharedAffinity: {
    remedy: 'If pods stay Pending, override the affinity or the spread constraints, or add nodes to the cluster.',
  },
})

const ABOUT_HAZARDS = reasonsAbout('hazards', {
  LeaderElection: {
    remedy: 'Disable leader election in the override, or give the experiment a lease of its own.',
  },
  QueueWorker: {
    remedy:
      'No action needed if the experiment may take work from the same queue. Otherwise name another queue in the override.',
  },
  Migration: {
    remedy: 'No action needed if the migration may run twice. Otherwise remove the init container in the override.',
  },
  SharedClaim: {
    remedy:
      'Override the volume, unless both workloads may write to it. With `ReadWriteOnce`, pods on other nodes do not start.',
  },
  HostPort: {
    remedy: 'Remove the host port in the override, or make sure that some node has this port free.',
  },
  Singleton: {
    remedy: 'Make sure that two instances may run at the same time. Otherwise delete the experiment.',
  },
  PeerDiscovery: {
    remedy:
      'No action needed if the pods of the source may accept the experiment as a peer. Otherwise override the labels by which the headless Service selects.',
  },
  EmptyVolumes: {
    remedy:
      'No action needed if the experiment can start with empty volumes. Otherwise fill its claims; they are deleted with the experiment.',
  },
  SourceIsManaged: {
    remedy:
      'Fork the workload that the message names, if it names one. Otherwise make sure that the named owner ignores other pods with the same labels.',
  },
})

const ABOUT_REQUESTS = reasonsAbout('apply', {
  Plan: { remedy: 'Check that this is what you want: the line says what the controller will do.' },
  Policy: {
    remedy:
      'Change what the message names, or ask the owner of the policy. The request is accepted, because the policy only warns or because nothing got worse.',
  },
  Source: {
    remedy:
      'Correct the source if you can. The message names a field of it that Kubernetes accepts but that is ambiguous.',
  },
  ListReplaced: {
    remedy: 'Repeat the whole list in the override, or use `overrideType: Strategic`, which merges lists by name.',
  },
  NullDropped: {
    remedy: 'Use `kubectl apply --server-side`. A plain `kubectl apply` drops `null` before it sends the resource.',
  },
  SourceUnread: {
    remedy:
      'No action needed. The webhook could not read the source in time; the controller checks the override and reports in `status`.',
  },
})

/** The reasons of warnings: what a user should know about a fork that is created nevertheless. */
export const WARNING_REASONS = {
  ...ABOUT_NEIGHBOURS,
  ...ABOUT_HAZARDS,
  ...ABOUT_REQUESTS,
}
