import { DEFAULTS } from '../api/defaults.ts'
import { isObject, type KubeObject } from '../api/object.ts'
import type { ExperimentDeployment, SourceStatus } from '../api/types.ts'
import type { Base } from './base.ts'
import { isControlledBy } from './identity.ts'

/** What a ControllerRevision of ours holds. */
export interface Pinned {
  readonly base: Base
  readonly source: SourceStatus
}

/** Whether `experiment` keeps the base it started from. */
export const isPinned = ({ spec }: Pick<ExperimentDeployment, 'spec'>): boolean =>
  (spec.onSourceChange ?? DEFAULTS.onSourceChange) === 'Pin'

/** What `revision` keeps for `experiment`; `data` is immutable, so whatever we wrote is there as it was. */
export function pinnedIn(experiment: ExperimentDeployment, revision: KubeObject | undefined): Pinned | undefined {
  if (!revision || !isControlledBy(experiment, revision)) return undefined
  const { data } = revision
  return isObject(data) && isObject(data.base) && isObject(data.source) ? (data as unknown as Pinned) : undefined
}
