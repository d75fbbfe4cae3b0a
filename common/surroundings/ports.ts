import { listed } from '../text/list.ts'
import type { TrafficInput } from './pod-labels.ts'
import type { ServiceView } from './traffic.ts'

type Ports = Pick<TrafficInput, 'hasPort' | 'sourceHasPort'>

/** The ports to which `service` sends by name, and which no container of the fork has. */
export const missingPorts = (
  { portNames = [] }: Pick<ServiceView, 'portNames'>,
  { hasPort }: Pick<Ports, 'hasPort'>,
): readonly string[] => [...new Set(portNames)].filter((port) => !hasPort(port))

/** Whether a Service sends to no other ports than these. */
export const hasNoOthers = ({ portNames = [], hasPortNumbers }: ServiceView, ports: readonly string[]): boolean =>
  !hasPortNumbers && portNames.every((port) => ports.includes(port))

/**
 * Why `service` would answer nobody on one of its ports if it sent only to the fork; undefined if it loses none. A port
 * that the source lacks, too, is not lost, unless the Service has no other.
 */
export function lostPorts(service: ServiceView, pods: Ports): string | undefined {
  const missing = missingPorts(service, pods)
  const lost = hasNoOthers(service, missing) ? missing : missing.filter(pods.sourceHasPort)
  if (lost.length === 0) return undefined
  const ports = `${lost.length === 1 ? 'port' : 'ports'} ${listed(lost)}`
  return `service/${service.name} sends to the ${ports}, which no container of the fork has`
}
