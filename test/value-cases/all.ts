import { ANNOTATIONS } from './annotations.ts'
import type { ValueCase } from './case.ts'
import { CONTAINERS } from './containers.ts'
import { ENV } from './env.ts'
import { HANDLERS } from './handlers.ts'
import { MOUNTS } from './mounts.ts'
import { NETWORK, PODS, SECURITY_CONTEXTS } from './pods.ts'
import { PORTS } from './ports.ts'
import { RESOURCES } from './resources.ts'
import { SCHEDULING, SELECTORS } from './scheduling.ts'
import { VOLUME_FILES, VOLUME_KINDS, VOLUMES } from './volumes.ts'
import { CLAIMS, WORKLOADS } from './workloads.ts'

/** Every rule on values. Each table belongs to a file of `common/pod`. */
export const ALL_VALUE_CASES: readonly ValueCase[] = [
  ...CONTAINERS,
  ...HANDLERS,
  ...PORTS,
  ...ENV,
  ...MOUNTS,
  ...RESOURCES,
  ...VOLUMES,
  ...VOLUME_FILES,
  ...VOLUME_KINDS,
  ...SCHEDULING,
  ...SELECTORS,
  ...PODS,
  ...ANNOTATIONS,
  ...NETWORK,
  ...SECURITY_CONTEXTS,
  ...WORKLOADS,
  ...CLAIMS,
]
