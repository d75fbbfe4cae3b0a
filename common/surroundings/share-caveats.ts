import { percent } from '../text/percent.ts'
import { isForkPod } from '../workload/identity.ts'
import type { TrafficInput } from './pod-labels.ts'
import type { ServiceView } from './traffic.ts'

/** Why the share of requests may differ from the share of endpoints. `pods` are the names of the ready pods. */
export function shareCaveats(service: ServiceView, pods: readonly string[], input: TrafficInput): readonly string[] {
  const { sessionAffinity, internalTrafficPolicy, trafficDistribution } = service
  const others = pods.filter((pod) => isForkPod(pod) && !pod.startsWith(`${input.forkName}-`)).length
  return [
    ...scaling(input),
    ...(sessionAffinity ? [`sessionAffinity ${sessionAffinity}: only new clients reach it`] : []),
    ...(internalTrafficPolicy
      ? [`internalTrafficPolicy ${internalTrafficPolicy}: only callers on its node reach it`]
      : []),
    ...(trafficDistribution ? [`trafficDistribution ${trafficDistribution}: nearby callers are preferred`] : []),
    ...(others > 0
      ? [`${others} of the endpoints ${others === 1 ? 'belongs to another experiment' : 'belong to other experiments'}`]
      : []),
  ]
}

function scaling({ autoscaler, replicas }: TrafficInput): readonly string[] {
  if (!autoscaler || replicas === 0) return []
  const { name, min, max } = autoscaler
  const [least, most] = [max, min].map((count) => percent(replicas, replicas + count))
  return [`${least} to ${most} while hpa/${name} scales the source`]
}
