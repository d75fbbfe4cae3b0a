import { isObject } from '../json/json.ts'
import { matchesWhole } from '../json/sequence.ts'
import { parseOverridePath, type Step } from './path.ts'

/**
 * Defaults that the API server fills in inside the lists of a pod template. Merge replaces lists whole, and authors do
 * not repeat defaults in an override. From `pkg/apis/core/v1/defaults.go` of Kubernetes. `imagePullPolicy: Always` is
 * not listed: without it a node may use an image that it already has.
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

// a leaf that is an object is empty
const isAlike = (found: unknown, value: unknown): boolean => found === value || (isObject(found) && isObject(value))
