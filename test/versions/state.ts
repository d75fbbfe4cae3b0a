/** The state of an experiment, and how it is recognised. */
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import type { Place } from '../integration/product.ts'

/** An experiment, what is done with it, and what it shows when it is in its state. */
export interface State {
  readonly kind?: 'StatefulSet' | 'Rollout'
  /** pods of the source; default 3 */
  readonly replicas?: number
  readonly spec: JsonObject
  /** what brings it from where it stops by itself into its state */
  readonly next?: { readonly at: Shown; readonly do: (place: Place, name: string) => Promise<unknown> }
  readonly shows: Shown
}

export type Shown = (of: ExperimentDeployment) => boolean

export const phaseIs =
  (...phases: readonly string[]): Shown =>
  ({ status }) =>
    phases.includes(status?.strategy?.phase ?? '')
export const stepIs =
  (name: string): Shown =>
  ({ status }) =>
    status?.strategy?.stepName === name
export const reasonIs =
  (reason: string): Shown =>
  ({ status, metadata }) =>
    status?.observedGeneration === metadata.generation &&
    status.conditions?.some((each) => each.type === 'Ready' && each.reason === reason) === true
export const verdictIs =
  (verdict: string): Shown =>
  ({ status }) =>
    status?.analysis?.verdict === verdict
/** Its analysis has begun, and has no verdict. */
export const isBetweenWindows: Shown = ({ status }) =>
  status?.analysis?.verdict === 'Wait' && status.analysis.run !== undefined
