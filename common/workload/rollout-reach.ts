import { at, type KubeObject, objectOr } from '../api/object.ts'
import type { Labels, Reach } from './kind.ts'
import { PLAIN_REACH } from './status.ts'

/** How requests find the pods of a Rollout: its strategy names Services, labels and, perhaps, routes. */
export const rolloutReach: Reach = { ...PLAIN_REACH, added, isRouted, pinnedServices }

/** Labels of the pods that serve: only while they do. */
function added(source: KubeObject): Labels {
  const { blueGreen, canary } = strategyOf(source)
  return {
    ...(objectOr(at(canary, 'stableMetadata', 'labels')) as Labels),
    ...(objectOr(at(blueGreen, 'activeMetadata', 'labels')) as Labels),
  }
}

/** A mesh or an ingress divides the requests, also by Istio's subsets; the canary of a Rollout has no routing else. */
function isRouted(source: KubeObject): boolean {
  return at(strategyOf(source).canary, 'trafficRouting') !== undefined
}

/** Argo adds the hash of a revision to the selectors of these. */
function pinnedServices(source: KubeObject): readonly string[] {
  const { blueGreen, canary } = strategyOf(source)
  return [
    ...['activeService', 'previewService'].map((member) => at(blueGreen, member)),
    ...['canaryService', 'stableService'].map((member) => at(canary, member)),
    ...['pingService', 'pongService'].map((member) => at(canary, 'pingPong', member)),
  ].filter((name) => typeof name === 'string')
}

const strategyOf = (source: KubeObject) => objectOr(at(source, 'spec', 'strategy'))
