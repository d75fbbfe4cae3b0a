import type { Reason } from '../common/api/reasons.ts'
import type { FieldError } from '../common/api/types.ts'
import { changesBetween } from '../common/workload/changes.ts'
import type { SpecSchema } from '../common/workload/kind.ts'
import { outlookOf, type Scene } from '../common/workload/outlook.ts'
import { type Asked, isRevival } from './asked.ts'
import type { Derivation } from './derivation.ts'
import { droppedNulls, nullDropped } from './null-dropped.ts'
import type { Ruling } from './policies.ts'
import { prediction, standstill } from './prediction.ts'
import type { Ratcheted } from './ratchet.ts'
import { warning } from './warnings.ts'

/** What was found out about a request that is admitted. */
interface Findings {
  readonly asked: Asked
  readonly schema: SpecSchema | undefined
  readonly own: Ratcheted
  readonly found: Derivation
  readonly scene: Scene | undefined
  readonly ruled: Ruling
  readonly now: Date
}

/** Each once: what is wrong and was so before, what to look out for, and what the controller will do. */
export const warningsOf = (of: Findings): readonly string[] => [...new Set(told(of))]

function told({ asked, schema, own, found, scene, ruled, now }: Findings): readonly string[] {
  const mistakes = storedMistakes(own, found)
  const early = [
    ...ruled.warnings,
    ...mistakes.map(({ field, message }) => warning(reasonOf(field), `${field}: ${message}`)),
    ...droppedNulls(asked.request.object).map((path) => warning('NullDropped', nullDropped(path))),
    ...(found.is === 'refused' ? [] : found.warnings),
    ...(schema ? [] : [warning('SchemaNotAvailable', `override not checked yet: no schema of ${asked.kind.kind}`)]),
  ]
  if (mistakes.length > 0) return [...early, ...standstill({ asked, now })]
  if (found.is !== 'derived' || !scene) return early
  const { services, hazards, collisions } = outlookOf(scene)
  const previous = isRevival(asked, now) ? undefined : found.before // that fork went when its time was over
  const plan = prediction({
    asked,
    fork: found.forks.changed,
    previous,
    changes: previous
      ? changesBetween(previous.spec, found.forks.changed.spec, found.forks.shape)
      : found.forks.changes(),
    services: scene.traffic && services,
    obstacle: ruled.obstacle,
    now,
  })
  return [...early, ...[...hazards, ...collisions].map(({ reason, message }) => warning(reason, message)), ...plan]
}

/** What was wrong before, which who changes something else is only told. The whole may have it in other words. */
function storedMistakes(own: Ratcheted, found: Derivation): readonly FieldError[] {
  const told = new Set(own.known.map(({ field }) => field))
  const more = found.is === 'refused' ? [] : found.known
  return [...own.known, ...more.filter(({ field }) => !told.has(field))]
}

/** What the controller will call a mistake at `field`. */
const reasonOf = (field: string): Reason => (field === 'spec.sourceRef.name' ? 'SourceNotForkable' : 'InvalidOverride')
