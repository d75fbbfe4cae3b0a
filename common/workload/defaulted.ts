import { isObject } from '../api/object.ts'
import { parseOverridePath, type Step } from '../api/override-path.ts'
import { matchesWhole } from '../api/sequence.ts'

/**
 * What the API server fills in where a pod template says nothing, as far as it stands in lists: Merge replaces these
 * whole, and nobody repeats in an override what she never wrote. From `pkg/apis/core/v1/defaults.go` of Kubernetes.
 * Not `imagePullPolicy: Always`: to lose that is to be served from what a node already has.
 */
const DEFAULTS: readonly (readonly [pattern: string, value: unknown])[] = [
  ['*.spec.{containers,initContainers}[*].imagePullPolicy', 'IfNotPresent'],
  ['*.spec.{containers,initContainers}[*].terminationMessagePath', '/dev/termination-log'],
  ['*.spec.{containers,initContainers}[*].terminationMessagePolicy', 'File'],
  ['*.spec.{containers,initContainers}[*].resources', {}],
  ['*.spec.{containers,initContainers}[*].ports[*].protocol', 'TCP'],
  ['*.spec.{containers,initContainers}[*].env[*].valueFrom.fieldRef.apiVersion', 'v1'],
  ['*.spec.{containers,initContainers}[*].*.httpGet.scheme', 'HTTP'],
  ['*.spec.{containers,initContainers}[*].*.*.httpGet.scheme', 'HTTP'],
  ['*.spec.{containers,initContainers}[*].*.{timeoutSeconds,successThreshold}', 1],
  ['*.spec.{containers,initContainers}[*].*.periodSeconds', 10],
  ['*.spec.{containers,initContainers}[*].*.failureThreshold', 3],
  ['*.spec.volumes[*].{secret,configMap,projected,downwardAPI}.defaultMode', 0o644],
  ['*.spec.volumes[*].hostPath.type', ''],
]

const PARSED = DEFAULTS.map(([pattern, value]) => ({ path: parseOverridePath(pattern) ?? [], value }))

interface Leaf {
  readonly path: readonly Step[]
  readonly before: unknown
  readonly after: unknown
}

/** Whether a leaf is the API server's default on one side and absent on the other. */
export const isDefaulted = ({ path, before, after }: Leaf): boolean =>
  (before === undefined || after === undefined) &&
  PARSED.some(({ path: pattern, value }) => isAlike(before ?? after, value) && matchesWhole(pattern, path))

const isAlike = (found: unknown, value: unknown): boolean => found === value || (isObject(found) && isObject(value)) // of leaves only empty objects are
