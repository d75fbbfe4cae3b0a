import {
  ANALYSIS_PROVIDER,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  CONTROLLER_REVISION,
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_POLICY,
  POD,
  SERVICE,
} from '../../api/names.ts'
import type { ResourceType } from '../../api/object.ts'

/** The kinds that our code names. Those of workloads are in the registry of workloads. */
export const RESOURCES = {
  ExperimentDeployment: EXPERIMENT_DEPLOYMENT,
  ExperimentPolicy: EXPERIMENT_POLICY,
  ExperimentAnalysisRun: ANALYSIS_RUN,
  ExperimentAnalysisTemplate: ANALYSIS_TEMPLATE,
  ClusterExperimentAnalysisTemplate: CLUSTER_ANALYSIS_TEMPLATE,
  ExperimentAnalysisProvider: ANALYSIS_PROVIDER,
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  Pod: POD,
  Service: SERVICE,
  EndpointSlice: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', plural: 'endpointslices' },
  ControllerRevision: CONTROLLER_REVISION,
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
  },
  PodDisruptionBudget: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  SubjectAccessReview: {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
  },
  Namespace: { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' },
  Lease: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' },
  Event: { apiVersion: 'events.k8s.io/v1', kind: 'Event', plural: 'events' },
} satisfies Record<string, ResourceType>

/** A place in a resource: without a namespace all namespaces, without a name the collection. */
export interface PathOptions {
  readonly namespace?: string
  readonly name?: string
  /** `status`, `scale`; needs a name */
  readonly subresource?: string
}

/**
 * The path of a resource, a collection or an object: `/apis/apps/v1/namespaces/shop/deployments/cart`.
 * @throws RangeError for a segment that is empty, `.` or `..`: it would address the whole collection or another path
 */
export function resourcePath(
  { apiVersion, plural }: ResourceType,
  { namespace, name, subresource }: PathOptions = {},
): string {
  const root = apiVersion.includes('/') ? ['apis', ...apiVersion.split('/')] : ['api', apiVersion]
  const scope = namespace === undefined ? [] : ['namespaces', namespace]
  const rest = [name, subresource].filter((segment) => segment !== undefined)
  return `/${[...root, ...scope, plural, ...rest].map(encodeSegment).join('/')}`
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..')
    throw new RangeError(`${JSON.stringify(segment)} cannot be a segment of a path`)
  return encodeURIComponent(segment)
}

/** What a path names. `group` is empty for the core group. */
export interface ParsedPath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly name?: string
}

/** The inverse of `resourcePath`; undefined for a path that names no resource, such as `/apis` or `/openapi/v3`. */
export function parsePath(path: string): ParsedPath | undefined {
  const [root, ...segments] = path.split('/').slice(1).map(decodeURIComponent)
  const group = root === 'apis' ? segments.shift() : root === 'api' ? '' : undefined
  const version = segments.shift()
  // the Namespace objects themselves: /api/v1/namespaces and /api/v1/namespaces/shop
  if (segments[0] === 'namespaces' && segments.length > 2) segments.splice(0, 2)
  const [plural, name] = segments
  if (group === undefined || version === undefined || plural === undefined) return undefined
  return name === undefined ? { group, version, plural } : { group, version, plural, name }
}
