import { percent } from './percent.ts'
import type { ServiceView } from './services.ts'
import type { Sides } from './sides.ts'

/** A pod of somebody's fork: `cart-experiment-cd1aa1c99c-7d9f-x2x`. */
const EXPERIMENT_POD = /-experiment-[0-9a-f]{10}-/

/** What makes the share of requests another than that of endpoints, now or soon; `pods` are the ready ones. */
export function bends(service: ServiceView, pods: readonly string[], sides: Sides): readonly string[] {
  const { sessionAffinity, internalTrafficPolicy, trafficDistribution } = service
  const others = pods.filter((pod) => EXPERIMENT_POD.test(pod) && !pod.startsWith(`${sides.forkName}-`)).length
  return [
    ...scaling(sides),
    ...(sessionAffinity ? [`sessionAffinity ${sessionAffinity}: new clients only`] : []),
    ...(internalTrafficPolicy ? [`internalTrafficPolicy ${internalTrafficPolicy}: callers on its node only`] : []),
    ...(trafficDistribution ? [`trafficDistribution ${trafficDistribution}: callers near it first`] : []),
    ...(others > 0
      ? [`${others} of the endpoints ${others === 1 ? 'is another experiment' : 'are other experiments'}`]
      : []),
  ]
}

function scaling({ autoscaler, replicas }: Sides): readonly string[] {
  if (!autoscaler || replicas === 0) return []
  const { name, min, max } = autoscaler
  const [least, most] = [max, min].map((count) => percent(replicas, replicas + count))
  return [`${least} to ${most} as hpa/${name} scales the source`]
}
