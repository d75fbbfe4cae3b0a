import type { KubeObject } from '../common/api/object.ts'
import type { ExperimentDeploymentSpec, FieldError } from '../common/api/types.ts'
import { analysisErrors, analysisTimeErrors } from '../common/assess/analysis-errors.ts'
import { blueGreenErrors } from '../common/assess/blue-green-errors.ts'
import { editErrors } from '../common/assess/edit-errors.ts'
import { promotionErrors } from '../common/assess/promotion-errors.ts'
import { sizeErrors } from '../common/assess/size-errors.ts'
import { strategyErrors } from '../common/assess/strategy-errors.ts'
import { isEqual } from '../common/json/json.ts'
import type { Situation } from '../common/situation/situation.ts'
import type { DecodedRequest } from './review/request.ts'

/**
 * Mistakes of this request in a strategy, a promotion or an analysis, for the wanted `fork`, and edits that a run
 * forbids now. What the request does not change is not judged: the source may have another size than it had, and other
 * labels, and the templates of an analysis may have changed.
 */
export function runErrors(
  situation: Situation,
  { experiment, previous }: Pick<DecodedRequest, 'experiment' | 'previous'>,
  fork: KubeObject | undefined,
): readonly FieldError[] {
  const { facts } = situation
  const isChanged = (parts: (spec: Partial<ExperimentDeploymentSpec>) => unknown) =>
    !isEqual(parts(experiment.spec), parts(previous?.spec ?? {}))
  return [
    ...(isChanged(({ strategy }) => strategy) ? strategyErrors(facts, fork) : []),
    ...(isChanged(sized) ? sizeErrors(facts, fork) : []),
    ...(isChanged(promoted) ? promotionErrors(facts) : []),
    ...(isChanged(named) ? blueGreenErrors(facts, fork) : []),
    ...(isChanged(({ analysis }) => analysis) ? analysisErrors(facts) : []),
    ...(isChanged(timed) ? analysisTimeErrors(facts, previous) : []),
    ...editErrors(situation, previous),
  ]
}

/** The members that a promotion depends on. */
const promoted = ({ overrideSpec, overrideType, promotion }: Partial<ExperimentDeploymentSpec>) => [
  overrideSpec,
  overrideType,
  promotion !== undefined,
]

/** The members on which it depends whether the source may get smaller. */
const sized = ({
  overrideSpec,
  overrideType,
  strategy,
  traffic,
  promotion,
  analysis,
}: Partial<ExperimentDeploymentSpec>) => [overrideSpec, overrideType, strategy, traffic, promotion, analysis?.control]

/** The members on which it depends whether the Services that a blue-green names suit its fork. */
const named = ({ overrideSpec, overrideType, strategy }: Partial<ExperimentDeploymentSpec>) => [
  overrideSpec,
  overrideType,
  strategy,
]

/** The members on which it depends whether an analysis can pass in time, and whether it has to. */
const timed = ({ analysis, ttlSeconds, strategy, promotion }: Partial<ExperimentDeploymentSpec>) => [
  analysis,
  ttlSeconds,
  strategy?.canary?.steps,
  promotion?.mode,
]
