import { DEFAULTS } from '../api/defaults.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment, SourceStatus } from '../api/types.ts'
import { isObject } from '../json/json.ts'
import type { Base } from './base.ts'
import { isControlledBy } from './identity.ts'

/** The content of a ControllerRevision of this controller. */
export interface Pinned {
  readonly base: Base
  readonly source: SourceStatus
}

/** Whether `experiment` keeps the base that it started from. */
export const isPinned = ({ spec }: Pick<ExperimentDeployment, 'spec'>): boolean =>
  (spec.onSourceChange ?? DEFAULTS.onSourceChange) === 'Pin'

/** The content of the experiment's ControllerRevision, or undefined. Its `data` is immutable, so details are trusted. */
export function decodePinned(experiment: ExperimentDeployment, revision: KubeObject | undefined): Pinned | undefined {
  if (!revision || !isControlledBy(experiment, revision)) return undefined
  const { data } = revision
  return isObject(data) && isObject(data.base) && isObject(data.source) ? (data as unknown as Pinned) : undefined
}

/** The base of a pinned experiment. Undefined if the experiment follows its source or has not started. */
export const pinnedBaseOf = (experiment: ExperimentDeployment, revision: KubeObject | undefined): Pinned | undefined =>
  isPinned(experiment) ? decodePinned(experiment, revision) : undefined
