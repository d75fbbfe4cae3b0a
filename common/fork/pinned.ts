import { DEFAULTS } from '../api/defaults.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import type { ExperimentDeployment, SourceStatus } from '../api/types.ts'
import { at, isObject, type JsonObject, member, objectOr } from '../json/json.ts'
import { hasBelongedTo } from '../workload/identity.ts'
import { type Base, hashOfKept, keptBase } from './base.ts'

/** Whether `experiment` keeps the base that it started from. */
export const isPinned = ({ spec }: Pick<ExperimentDeployment, 'spec'>): boolean =>
  (spec.onSourceChange ?? DEFAULTS.onSourceChange) === 'Pin'

/** What a pinned experiment started from; undefined if it follows its source, or has not started. */
export const pinnedSource = (experiment: ExperimentDeployment): SourceStatus | undefined =>
  isPinned(experiment) && experiment.status?.source?.pinned ? experiment.status.source : undefined

/** Whether `experiment` keeps its base, and has none yet. */
export const needsBase = (experiment: ExperimentDeployment): boolean =>
  isPinned(experiment) && pinnedSource(experiment) === undefined

/**
 * Whether `revision` is the ControllerRevision of `experiment` by its owner. Any client may have written its content.
 */
export const isRevisionOf = (experiment: ExperimentDeployment, revision: KubeObject): boolean =>
  hasBelongedTo(experiment, revision)

/** The data of a ControllerRevision that keeps `base`. */
export const encodeBase = (base: Base) => ({ base: keptBase(base) })

/**
 * The base that `revision` keeps; undefined if its hash is not that of the status. Many users may replace a
 * ControllerRevision, and few may write a status. For a source in another namespace, nobody may do both in the
 * namespace of the experiment.
 */
export function decodeBase(revision: KubeObject, { templateHash, base: template }: SourceStatus): Base | undefined {
  const kept = at(revision, 'data', 'base')
  const spec = member(kept, 'spec')
  if (!isObject(spec) || hashOfKept(kept) !== templateHash) return undefined
  return {
    spec: spec as JsonObject,
    labels: objectOr(member(kept, 'labels')) as Labels,
    warnings: [],
    mayBeFlawed: true, // without the shape it is not known
    ...(template === undefined ? {} : { template }),
  }
}
