import { DEFAULTS } from '../api/defaults.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment, SourceStatus } from '../api/types.ts'
import { at, isObject, objectOr } from '../json/json.ts'
import { type Base, baseHash } from './base.ts'
import { belongsTo } from './identity.ts'

/** Whether `experiment` keeps the base that it started from. */
export const isPinned = ({ spec }: Pick<ExperimentDeployment, 'spec'>): boolean =>
  (spec.onSourceChange ?? DEFAULTS.onSourceChange) === 'Pin'

/** What a pinned experiment started from; undefined if it follows its source, or has not started. */
export const pinnedSource = (experiment: ExperimentDeployment): SourceStatus | undefined =>
  isPinned(experiment) && experiment.status?.source?.pinned ? experiment.status.source : undefined

/** Whether `revision` is the ControllerRevision of `experiment` by its owner. Its content may be anybody's. */
export const isRevisionOf = (experiment: ExperimentDeployment, revision: KubeObject): boolean =>
  belongsTo(experiment, revision)

/** The data of a ControllerRevision that keeps `base`. */
export const encodeBase = ({ spec, annotations }: Base) => ({ base: { spec, annotations } })

/**
 * The base that `revision` keeps; undefined if its hash is not that of the status. Many users may replace a
 * ControllerRevision, and few may write a status. For a source in another namespace, nobody may do both in the
 * namespace of the experiment.
 */
export function decodeBase(revision: KubeObject, { templateHash, base: template }: SourceStatus): Base | undefined {
  const [spec, annotations] = [at(revision, 'data', 'base', 'spec'), at(revision, 'data', 'base', 'annotations')]
  if (!isObject(spec)) return undefined
  const base = {
    spec,
    annotations: objectOr(annotations),
    warnings: [],
    mayBeFlawed: true, // without the shape it is not known
    ...(template === undefined ? {} : { template }),
  }
  return baseHash(base as Base) === templateHash ? (base as Base) : undefined
}
