import type { ServiceEndpoints } from '../api/policy.ts'
import { EXPERIMENT_POD } from './bends.ts'
import { readyPods, type Traffic } from './services.ts'
import { lacks, type Sides } from './sides.ts'

/** Of each Service that selects the fork, by name: how many of its ready endpoints are pods of no experiment. */
export const endpointsOfOthers = ({ services, slices }: Traffic, { fork }: Sides): readonly ServiceEndpoints[] =>
  services
    .filter(({ selector }) => lacks(selector, fork).length === 0)
    .map(({ name }) => ({
      service: name,
      ready: readyPods(slices, name).filter((pod) => !EXPERIMENT_POD.test(pod)).length,
    }))
    .sort((a, b) => (a.service < b.service ? -1 : 1))
