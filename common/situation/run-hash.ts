import { withDefaults } from '../api/defaults.ts'
import type { KubeObject } from '../api/object.ts'
import type { Strategy, StrategyRunStatus } from '../api/strategy.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec } from '../api/types.ts'
import { shortRevision, wholeRevisionOf } from '../fork/gated-spec.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import { keeping } from '../json/keeping.ts'
import type { Run } from '../strategy/run.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'

const DIGITS = 10

/**
 * People approve this revision: a hash of the template and of the run. It includes the run, so that an approval of one
 * run does not hold for another run with the same pods. Until November 2026 it was a hash of the template alone. A run
 * with such a revision keeps it: otherwise an upgrade would begin its pause again and lose its approval. This exception
 * may be deleted when nobody upgrades from such a version any more.
 */
export function revisionsOf(fork: KubeObject, { run, wholeRun }: RunHashes, stored: StrategyRunStatus | undefined) {
  const whole = wholeRevisionOf(fork)
  const template = shortRevision(whole)
  const isKept = stored?.run === run && stored.revision === template
  return {
    revision: isKept ? template : sha256Of([template, run], DIGITS),
    wholeRevision: sha256Of([whole, wholeRun], WHOLE),
  }
}

/** The hashes of the run of an experiment, the short one and the whole one. */
export function runHashes(experiment: ExperimentDeployment): RunHashes {
  const wholeRun = runHash(experiment)
  return { run: shortRun(wholeRun), wholeRun }
}

/** The hashes of a run: the short one, as `status.strategy.run` stores it, and the whole one. */
export interface RunHashes {
  readonly run: string
  readonly wholeRun: string
}

/** The revisions of a run while it is not known which fork is wanted. */
export const keptRevisions = ({ revision = '', wholeRevision }: Partial<StrategyRunStatus> = {}) =>
  wholeRevision === undefined ? { revision } : { revision, wholeRevision }

/** What `status.strategy.run` stores of the hash of a run: its first ten digits. */
export const shortRun = (whole: string): string => whole.slice(0, DIGITS)

/** A strategy without what may be edited in the middle of a run. */
export function strategyOfRun({ strategy }: Pick<ExperimentDeploymentSpec, 'strategy'>): Strategy | undefined {
  if (!strategy?.blueGreen) return strategy
  const { maxUnavailable: _ofPods, ...blueGreen } = strategy.blueGreen
  return { blueGreen }
}

/**
 * A whole hash of all that begins another run when it is edited. An approval is not part of it, nor how many pods may
 * not be ready after a cut-over: it changes no step, and versions that do not know it go on with the run. Whether there
 * is an analysis counts only if the promotion is automatic, because that changes its steps.
 */
export const runHash = ({ spec }: ExperimentDeployment): string =>
  hashes(spec, [], () => {
    const { overrideSpec, overrideType } = withDefaults(spec)
    const { approvedRevision: _approval, ...promotion } = spec.promotion ?? {}
    const traffic = strategyRunSpec(spec)?.isGated ? { traffic: spec.traffic } : {}
    const analyzed = spec.analysis && spec.promotion?.mode === 'Automatic' ? { isAnalyzed: true } : {}
    const strategy = strategyOfRun(spec)
    return sha256Of({ overrideSpec, overrideType, strategy, promotion, ...traffic, ...analyzed }, WHOLE)
  })

const hashes = keeping<string>()

/** `stored` with the whole hashes of `run`, and nothing else of it. */
export const withHashesOf = (
  stored: StrategyRunStatus,
  { wholeRun, wholeRevision, approvedRevision }: Run,
): StrategyRunStatus => ({
  ...stored,
  ...(wholeRun === undefined ? {} : { wholeRun }),
  ...(wholeRevision === undefined ? {} : { wholeRevision }),
  ...(approvedRevision === undefined ? {} : { approvedRevision }),
})

/** Whether an earlier version stored the run, and a whole hash can be added now. */
export const lacksHashes = (stored: StrategyRunStatus, { wholeRevision }: Run): boolean =>
  stored.wholeRun === undefined || (stored.wholeRevision === undefined && wholeRevision !== undefined)
