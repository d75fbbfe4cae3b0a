/** Members of an object that exclude each other. */
export type Union =
  /** at most one of `members` may be set */
  | { readonly is: 'oneOf'; readonly members: readonly string[] }
  /** `member` may be set only while the member `type` has this value */
  | { readonly is: 'byType'; readonly member: string; readonly type: string }

interface KnownUnion {
  /** applies to objects with all of these properties; schemas in CRDs have no names to go by */
  readonly has: readonly string[]
  readonly unions: (properties: readonly string[]) => readonly Union[]
}

const HANDLERS = ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket']

const oneOf = (members: readonly string[]): readonly Union[] => [{ is: 'oneOf', members }]

/**
 * The unions of a pod template and of a workload's strategy. They are listed by hand, because the API server's OpenAPI
 * does not mark most of them, and its mark (`x-kubernetes-unions`) names the Go field instead of the value.
 */
const KNOWN: readonly KnownUnion[] = [
  // EnvVar
  { has: ['value', 'valueFrom'], unions: () => oneOf(['value', 'valueFrom']) },
  // EnvVarSource: every member is a source
  { has: ['configMapKeyRef', 'secretKeyRef'], unions: oneOf },
  // Volume: every member but the name is a source, including those of later versions
  {
    has: ['name', 'emptyDir', 'hostPath', 'persistentVolumeClaim'],
    unions: (properties) => oneOf(properties.filter((key) => key !== 'name')),
  },
  // Probe, LifecycleHandler
  {
    has: ['exec', 'httpGet', 'tcpSocket'],
    unions: (properties) => oneOf(HANDLERS.filter((handler) => properties.includes(handler))),
  },
  // PodResourceClaim
  {
    has: ['resourceClaimName', 'resourceClaimTemplateName'],
    unions: () => oneOf(['resourceClaimName', 'resourceClaimTemplateName']),
  },
  // DeploymentStrategy, StatefulSetUpdateStrategy
  { has: ['rollingUpdate', 'type'], unions: () => [{ is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' }] },
  // SeccompProfile, AppArmorProfile
  {
    has: ['localhostProfile', 'type'],
    unions: () => [{ is: 'byType', member: 'localhostProfile', type: 'Localhost' }],
  },
]

/** The unions of an object whose schema has `properties`. */
export const unionsOf = (properties: readonly string[]): readonly Union[] =>
  KNOWN.filter(({ has }) => has.every((key) => properties.includes(key))).flatMap(({ unions }) => unions(properties))
