/** Pairs of overrides with equal short hashes, each computed within a minute, and statuses with short ones only. */
import type { PromotionStatus, StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { ExperimentDeploymentStatus, ExperimentResourceRef } from '../../../common/api/types.ts'
import type { RunOf, RunWorld } from './some-run.ts'

/** An image, and an annotation that makes the hash equal. */
const of = (image: string, nonce: string): RunOf => {
  const template = { metadata: { annotations: { nonce } }, spec: { containers: [{ name: 'cart', image }] } }
  return { strategy: undefined, overrideSpec: { template } as never }
}
const ofRun = (image: string, nonce: string): RunOf => ({ ...of(image, nonce), promotion: { mode: 'Manual' } })

/** Both have the run `e66d92bf7c`. */
export const SAME_RUN = { good: ofRun('example/cart:2', '26ze'), evil: ofRun('example/evil:1', '1wcx') }
/** Both have the revision `306a709757` in `aRun`. */
export const SAME_REVISION = { good: ofRun('example/cart:2', '94im'), evil: ofRun('example/evil:1', '31xy') }
/** The question about both is `f87b33f44b` in `anAnalysis`. */
export const SAME_SUBJECT = { good: of('example/cart:2', '15bza'), evil: of('example/evil:1', 'a1cz') }

/** The status as an earlier version stores it: without whole hashes, and without an approved revision. */
export function formerStatusOf({ world }: RunWorld): ExperimentDeploymentStatus {
  const { strategy, promotion, experimentResourceRef, ...others } = world.experiment.status ?? {}
  const { wholeRun: _run, wholeRevision: _revision, approvedRevision: _approved, ...run } = strategy ?? {}
  const { record, ...ofPromotion } = promotion ?? {}
  const [formerRecord, formerRef] = [record, experimentResourceRef].map((of) => {
    const { wholeHash: _whole, ...former } = of ?? {}
    return of && former
  })
  return {
    ...others,
    ...(strategy && { strategy: run as StrategyRunStatus }),
    ...(promotion && { promotion: { ...ofPromotion, ...(record && { record: formerRecord }) } as PromotionStatus }),
    ...(experimentResourceRef && { experimentResourceRef: formerRef as ExperimentResourceRef }),
  }
}

/** Stores `formerStatusOf` the run. */
export function withoutWhole(run: RunWorld): void {
  run.world.experiment = { ...run.world.experiment, status: formerStatusOf(run) }
}
