import type { ResourceType } from './object.ts'

/** The API group of the kinds that we define. */
export const GROUP = 'experimentcontroller.example.com'
/** The group and version of the kinds that we define. */
export const API_VERSION = `${GROUP}/v1alpha1`

const resource = (apiVersion: string, kind: string, plural: string): ResourceType => ({ apiVersion, kind, plural })

/** The resource that users write. */
export const EXPERIMENT_DEPLOYMENT = resource(API_VERSION, 'ExperimentDeployment', 'experimentdeployments')
/** The cluster-scoped resource with which admins limit experiments. */
export const EXPERIMENT_POLICY = resource(API_VERSION, 'ExperimentPolicy', 'experimentpolicies')
/** One question whether a fork is worse than its source, and all evidence about it. Only the controller writes it. */
export const ANALYSIS_RUN = resource(API_VERSION, 'ExperimentAnalysisRun', 'experimentanalysisruns')
/** Metrics that many experiments of its namespace use. */
export const ANALYSIS_TEMPLATE = resource(API_VERSION, 'ExperimentAnalysisTemplate', 'experimentanalysistemplates')
/** Metrics that experiments of all namespaces use. */
export const CLUSTER_ANALYSIS_TEMPLATE = resource(
  API_VERSION,
  'ClusterExperimentAnalysisTemplate',
  'clusterexperimentanalysistemplates',
)
/** The cluster-scoped resource with which admins say where data comes from. */
export const ANALYSIS_PROVIDER = resource(API_VERSION, 'ExperimentAnalysisProvider', 'experimentanalysisproviders')
/** Keeps the base of a pinned experiment. */
export const CONTROLLER_REVISION = resource('apps/v1', 'ControllerRevision', 'controllerrevisions')

/** The controller sets the readiness gate in the pods of gated forks. */
export const POD = resource('v1', 'Pod', 'pods')
/** A blue-green limits a Service to its fork. */
export const SERVICE = resource('v1', 'Service', 'services')

/** The prefix of all our labels and annotations. */
export const PREFIX = 'experiment-controller.example.com/'

/** The only label in the selector of a fork. */
export const EXPERIMENT_ID = `${PREFIX}experiment-id`
/** The label with the name of the experiment that an object belongs to. */
export const CR_NAME = `${PREFIX}cr-name`
/** The label of an analysis run by which those about one source are found. */
export const SOURCE_ID = `${PREFIX}source-id`
/** The label that says whether an object belongs to a fork or to a twin. */
export const ROLE = `${PREFIX}role`
/** The label of forks and their pods, with the value `true`. */
export const IS_EXPERIMENT = `${PREFIX}is-experiment`
/** Names the experiment of a fork that has no owner reference: one in another namespace, or of a blue-green. */
export const OWNER_NAMESPACE = `${PREFIX}owner-namespace`
/** The uid of that experiment. */
export const OWNER_UID = `${PREFIX}owner-uid`
/** The annotation of a CRD with the hash of its `spec`, by which `doctor` finds one of another version. */
export const SPEC_HASH = `${PREFIX}spec-hash`
/** The usual label with the tool that manages an object. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'

/**
 * The finalizer of an experiment whose fork has no owner reference, so that garbage collection does not delete it. A
 * user who removes the finalizer by hand leaves an orphan. The controller returns its Services and deletes it.
 */
export const FORK_FINALIZER = `${PREFIX}fork`
/** The annotation of an experiment with the user who last set its `spec`. The webhook sets it. It grants no rights. */
export const REQUESTED_BY = `${PREFIX}requested-by`
/**
 * The annotation of an experiment whose source is in another namespace: the `spec.replicas` of the last review. The
 * webhook sets it. `kubectl scale` is not reviewed, so it cannot make such a fork larger than that.
 */
export const REVIEWED_REPLICAS = `${PREFIX}reviewed-replicas`
/**
 * The annotation of an experiment whose source takes its template from another object, such as `Deployment/cart`: the
 * object that the requester may read. The webhook sets it, and checks that permission even if a user wrote it.
 */
export const REVIEWED_TEMPLATE = `${PREFIX}reviewed-template`
/** The annotation of an experiment with a command to its run, such as `resume`. The webhook stamps it. */
export const COMMAND = `${PREFIX}command`
/** The annotation of an experiment with the user who wrote the command. The webhook sets it. */
export const COMMAND_BY = `${PREFIX}command-by`
/** The annotation of an experiment with what the author of the command saw, in whole. The webhook sets it. */
export const COMMAND_SAW = `${PREFIX}command-saw`
/**
 * The annotation by which the owner of a Service declares, with `true`, that it is a preview: no policy then asks for
 * another user before it sends only to a fork.
 */
export const IS_PREVIEW = `${PREFIX}preview`
/**
 * The readiness gate of the pods of a gated fork: a condition of each pod, which only the controller sets. A pod
 * without it gets no requests.
 */
export const GATE = `${PREFIX}open`
/** The annotation of the pods of a gated fork with the revision of their template. */
export const REVISION = `${PREFIX}revision`
/**
 * The annotation of a fork by which scripts of Gated Deployments wait for a verdict: `notSignificant`, `noHarm` or
 * `harm`. The name is theirs.
 */
export const GATED_DEPLOY_STATUS = 'gatedDeployStatus'
/** The annotation of a fork with the short hash of what was applied. */
export const DERIVED_HASH = `${PREFIX}derived-hash`
/** The annotation of a fork with the whole hash of what was applied. */
export const WHOLE_DERIVED_HASH = `${PREFIX}whole-derived-hash`

/**
 * The label of a source that a canary with `scaleDownSource` has made smaller: `UID.SIZE.WRITTEN`, the uid of the
 * experiment, the size of the source without the canary, and the number that was written. No annotation, because
 * `kubectl rollout undo` replaces all of these.
 */
export const SCALED = `${PREFIX}scaled`
/** The annotation beside it with the namespace and name of the experiment, for people. No decision reads it. */
export const SCALED_BY = `${PREFIX}scaled-by`

/** The field manager of a promotion's write of a source. */
export const PROMOTION_MANAGER = 'experiment-controller-promotion'

/** The field manager of a write that changes the size of a source. */
export const SCALE_MANAGER = 'experiment-controller-scale'

/** The field manager of every server-side apply, and the value of the managed-by label. */
export const FIELD_MANAGER = 'experiment-controller'
