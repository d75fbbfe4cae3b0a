import { warning } from '../api/conditions.ts'
import { knownValue } from '../api/known.ts'
import { COMMAND } from '../api/names.ts'
import type { Warning } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { isEmpty } from '../json/json.ts'
import { hasOverride, promotionInto, promotionWriter } from '../situation/promotion.ts'
import { parseCommand } from '../strategy/command-text.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'

/**
 * Why a promotion will not write the source: nothing to write, an installation that may not, or somebody who declares
 * the source. Only for an experiment with `spec.promotion` or the command `promote`.
 */
export function promotionWarnings(facts: SpecFacts): readonly Warning[] {
  const { spec, metadata, status } = facts.experiment
  const run = strategyRunSpec(spec)
  const isPromoted = parseCommand(metadata.annotations?.[COMMAND] ?? '')?.verb === 'promote'
  if (!run || status?.promotion?.written || (spec.promotion === undefined && !isPromoted)) return []
  if (isEmpty(spec.overrideSpec))
    return [warning('NothingToPromote', 'the override is empty, so a promotion changes nothing')]
  const source = knownValue(facts.source)?.object
  const promotion = source && promotionInto(facts, source)
  if (source && hasOverride(facts, source))
    return [warning('NothingToPromote', 'the source already has what the override says')]
  if (run.mode === 'Export') return []
  const { because } = promotionWriter(run, { source, promotion, installed: facts.installed })
  return because ? [warning(because.reason, because.message, INSTEAD)] : []
}

const INSTEAD = '; a promotion writes the patch to the status and waits until somebody has applied it'
