import { withDefaults } from '../common/api/defaults.ts'
import { inDocumentOrder } from '../common/api/document-order.ts'
import { brokenRules } from '../common/api/rules.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import type { SpecSchema } from '../common/workload/kind.ts'
import { workloadKind } from '../common/workload/registry.ts'
import { NO_SHAPE } from '../common/workload/shape.ts'
import { unmergeable } from '../common/workload/unmergeable.ts'

/**
 * Everything wrong with the override by itself, as it is written, once per field. Expects it within `brokenLimits`.
 * Without a schema yet, only the rules speak.
 */
export function overrideFindings(
  { spec }: ExperimentDeployment,
  schema: SpecSchema | undefined,
): readonly FieldError[] {
  const { overrideSpec, overrideType } = withDefaults(spec)
  const broken = brokenRules(spec, workloadKind(spec.sourceRef.kind)?.bans)
  // a whole manifest: when it is moved up, all that the schema would complain of is another document
  const isManifest = Object.hasOwn(overrideSpec, 'spec')
  const told = new Set(broken.map(({ field }) => field))
  const unfit = isManifest ? [] : (schema?.check(overrideSpec, overrideType) ?? [])
  const others = unfit.filter(({ field }) => !told.has(field)) // the rule knows better what to do about it
  for (const { field } of others) told.add(field)
  // told although there may be no source yet to merge with
  const clashes = isManifest ? [] : unmergeable(overrideSpec, overrideType, schema?.shape ?? NO_SHAPE)
  const more = clashes.filter(({ field }) => !told.has(field))
  return inDocumentOrder('spec.overrideSpec', overrideSpec, [...broken, ...others, ...more])
}
