import type { ServiceEndpoints } from '../api/policy.ts'
import { isForkPod } from './identity.ts'
import type { Traffic } from './services.ts'
import { lacks, type Sides } from './sides.ts'

/** The ready endpoints that are no experiment's, of each Service that selects the fork. */
export const endpointsBeside = ({ services, slices }: Traffic, sides: Sides): readonly ServiceEndpoints[] =>
  services
    .filter(({ selector }) => lacks(selector, sides.fork).length === 0)
    .map(({ name }) => {
      const pods = slices.filter(({ service }) => service === name).flatMap(({ ready }) => ready)
      const others = new Set(pods.filter(({ pod }) => !isForkPod(pod)).map(({ uid }) => uid))
      return { service: name, ready: others.size }
    })
