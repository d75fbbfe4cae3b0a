import { warning } from '../api/conditions.ts'
import { withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import { COMMAND } from '../api/names.ts'
import type { Warning } from '../api/types.ts'
import type { SpecFacts } from '../assess/facts.ts'
import { isEmpty, type JsonObject, objectOr } from '../json/json.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { parseCommand } from '../strategy/command.ts'
import { declaredBy } from '../strategy/declared.ts'
import { promotionOf } from '../strategy/promotion.ts'
import { runSpecOf } from '../strategy/run-spec.ts'

/**
 * Why a promotion will not write the source: nothing to write, an installation that may not, or somebody who declares
 * the source. Only for an experiment that says something about its promotion, or is told to promote.
 */
export function promotionWarnings(facts: SpecFacts, isInstalled: boolean): readonly Warning[] {
  const { spec, metadata, status } = facts.experiment
  const run = runSpecOf(spec)
  const isPromoted = parseCommand(metadata.annotations?.[COMMAND] ?? '')?.verb === 'promote'
  if (!run || status?.promotion?.written || (spec.promotion === undefined && !isPromoted)) return []
  const { overrideSpec, overrideType } = withDefaults(spec)
  if (isEmpty(overrideSpec))
    return [warning('NothingToPromote', 'the override is empty, so a promotion changes nothing')]
  const source = knownValue(facts.source)?.object
  const shape = knownValue(facts.schema)?.shape ?? NO_SHAPE
  const promotion =
    source && promotionOf({ spec: objectOr(source.spec) as JsonObject, overrideSpec, overrideType, shape })
  if (promotion?.isDone) return [warning('NothingToPromote', 'the source already has what the override says')]
  if (run.mode === 'Export') return []
  const instead = '; a promotion writes the patch to the status and waits until somebody has applied it'
  if (!isInstalled)
    return [warning('NotInstalled', 'this installation has no component "promotion", so it writes no sources', instead)]
  const declarer = source && promotion && !run.force ? declaredBy(source, promotion.forward) : undefined
  if (!source || declarer === undefined) return []
  const name = `${source.kind.toLowerCase()}/${source.metadata.name}`
  return [warning('SourceIsDeclared', `${declarer} declares ${name}, so it is not written`, instead)]
}
