import type { KubeObject, Labels } from '../api/object.ts'
import { at, objectOr } from '../json/json.ts'
import type { PodReach } from './kind.ts'
import { PLAIN_POD_REACH } from './status.ts'

/** How requests reach the pods of a Rollout: its strategy names Services, labels and routes. */
export const rolloutPodReach: PodReach = { ...PLAIN_POD_REACH, added, isRouted, pinnedServices }

/** Labels that pods have only while they serve. */
function added(source: KubeObject): Labels {
  const { blueGreen, canary } = strategyOf(source)
  return {
    ...(objectOr(at(canary, 'stableMetadata', 'labels')) as Labels),
    ...(objectOr(at(blueGreen, 'activeMetadata', 'labels')) as Labels),
  }
}

/** A mesh or an ingress divides the requests, or subsets of Istio. Only a canary can have this. */
function isRouted(source: KubeObject): boolean {
  return at(strategyOf(source).canary, 'trafficRouting') !== undefined
}

/** Argo adds the hash of a revision to the selectors of these Services. */
function pinnedServices(source: KubeObject): readonly string[] {
  const { blueGreen, canary } = strategyOf(source)
  return [
    ...['activeService', 'previewService'].map((member) => at(blueGreen, member)),
    ...['canaryService', 'stableService'].map((member) => at(canary, member)),
    ...['pingService', 'pongService'].map((member) => at(canary, 'pingPong', member)),
  ].filter((name) => typeof name === 'string')
}

const strategyOf = (source: KubeObject) => objectOr(at(source, 'spec', 'strategy'))
