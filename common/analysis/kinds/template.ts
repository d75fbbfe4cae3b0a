import { malformed } from '../../api/analysis/decode.ts'
import type { Metric } from '../../api/analysis/metric.ts'
import { ARG_NAME_PATTERN } from '../../api/analysis/patterns.ts'
import { argValue, MAX_ARGS, MAX_METRICS, METRIC } from '../../api/analysis/structures.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import type { FieldError } from '../../api/types.ts'
import { picked } from '../../json/conform.ts'
import { arrayOf, object, optional, text } from '../../json/structure.ts'

/** An arg of a template. Its metrics have `{{args.NAME}}` where its value belongs. */
interface TemplateArg {
  readonly name: string
  /** absent: each use of the template must set it */
  readonly value?: string
}

/** The `spec` of an ExperimentAnalysisTemplate, and of a ClusterExperimentAnalysisTemplate. */
export interface TemplateSpec {
  readonly args?: readonly TemplateArg[]
  readonly metrics: readonly Metric[]
}

/** A template of either kind. */
export interface AnalysisTemplate {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace'>
  readonly spec: TemplateSpec
}

const ARG = object<TemplateArg>({
  name: text(63, ARG_NAME_PATTERN, 'a name of letters, digits, _ and -'),
  value: optional(argValue),
})

/** The `spec` of both kinds of templates. */
export const TEMPLATE = object<TemplateSpec>({
  args: optional(arrayOf(ARG, MAX_ARGS)),
  metrics: arrayOf(METRIC, MAX_METRICS, 1),
})

/** The template in a watched object with exactly the members that we use, or what keeps it from being one. */
export function decodeTemplate(
  stored: KubeObject,
):
  | { readonly is: 'template'; readonly template: AnalysisTemplate }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] } {
  const errors = malformed(stored.spec, TEMPLATE, 'spec')
  if (errors.length > 0) return { is: 'malformed', errors }
  const { name, namespace } = stored.metadata
  const metadata = namespace === undefined ? { name } : { name, namespace }
  return { is: 'template', template: { metadata, spec: picked(stored.spec, TEMPLATE) } }
}
