import type { ServiceEndpoints } from '../policy/policy.ts'
import { isForkPod } from '../workload/identity.ts'
import { missingLabels, type TrafficInput } from './pod-labels.ts'
import type { Traffic } from './traffic.ts'

/** The number of ready endpoints, without pods of experiments, of each Service that selects the fork. */
export const endpointsOfOthers = ({ services, slices }: Traffic, input: TrafficInput): readonly ServiceEndpoints[] =>
  services
    .filter(({ selector }) => missingLabels(selector, input.fork).length === 0)
    .map(({ name }) => {
      const pods = slices.filter(({ service }) => service === name).flatMap(({ ready }) => ready)
      const others = new Set(pods.filter(({ pod }) => !isForkPod(pod)).map(({ uid }) => uid))
      return { service: name, ready: others.size }
    })
