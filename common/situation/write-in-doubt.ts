import { ABSENT, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { type JsonObject, objectOr } from '../json/json.ts'
import { type DryRun, mergePatchBetween } from '../strategy/promotion.ts'
import { dependsOnSource } from '../strategy/run.ts'
import { promotionInto } from './promotion.ts'
import { idOfWrite, isDoubtful } from './source-has.ts'

/** A write of which only the API server can tell whether it would change anything. */
export interface DoubtfulWrite {
  readonly source: KubeObject
  /** RFC 7386, for the whole source */
  readonly patch: JsonObject
  readonly of: DryRun['of']
}

/** The write of a promotion on which the run depends, while the schema leaves a doubt whether the source has it. */
export function writeInDoubt(facts: SpecFacts): DoubtfulWrite | undefined {
  const { strategy, promotion } = facts.experiment.status ?? {}
  const source = knownValue(facts.promotion?.source ?? ABSENT) ?? knownValue(facts.source)?.object
  if (!source || strategy?.path !== 'Forward' || !dependsOnSource(strategy)) return undefined
  const found = promotionInto(facts, source)
  const wanted = found && { after: found.after, stored: promotion?.written }
  if (!wanted || !isDoubtful(facts, source, wanted)) return undefined
  const { uid = '' } = source.metadata
  const spec = mergePatchBetween(objectOr(source.spec) as JsonObject, wanted.after)
  return { source, patch: { metadata: { uid }, spec }, of: idOfWrite(source, wanted) }
}
