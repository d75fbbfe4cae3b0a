import type { Labels } from '../api/object.ts'
import { listed } from '../text/list.ts'
import { ROLLOUT_HASH } from '../workload/stable-template.ts'
import { missingLabels, type PodLabels, type TrafficInput, withoutPin } from './pod-labels.ts'
import type { ServiceView } from './traffic.ts'

/** Why no blue-green can switch a Service. */
interface NotSwitchable {
  readonly reason: 'ServiceIsManaged' | 'ServiceDoesNotMatch'
  readonly message: string
}

/**
 * Why a Service cannot be limited to a fork and back; undefined: it can. Both programs ask. The active Service of a
 * strategy must select the source, too, because it sends there again. Without `service`, the Service has no selector.
 */
export function notSwitchable(
  name: string,
  service: ServiceView | undefined,
  { fork, source, isActive }: Pick<TrafficInput, 'fork' | 'source'> & { readonly isActive: boolean },
): NotSwitchable | undefined {
  const fails = (message: string): NotSwitchable => ({
    reason: 'ServiceDoesNotMatch',
    message: `service/${name} ${message}`,
  })
  if (!service) return fails('has no selector, so it cannot be limited to pods; name another Service')
  if (service.isManagedByArgo || Object.hasOwn(service.selector, ROLLOUT_HASH))
    return {
      reason: 'ServiceIsManaged',
      message: `Argo Rollouts changes the selector of service/${name}; name a Service that no Rollout names`,
    }
  if (service.beyond !== undefined)
    return fails(`is not compared with the pods: ${service.beyond}; name another Service`)
  const selector = withoutPin(service.selector)
  const ofSource = isActive && source ? pairsLacking(selector, source) : ''
  if (ofSource) return fails(`does not select the pods of the source, which lack ${ofSource}; name one that does`)
  const ofFork = pairsLacking(selector, fork)
  return ofFork ? fails(`does not select the pods of the fork, which lack ${ofFork}; keep these labels`) : undefined
}

const pairsLacking = (selector: Labels, pods: PodLabels): string =>
  listed(missingLabels(selector, pods).map(([key, value]) => `${key}=${value}`))
