import { listed } from '../workload/warning.ts'
import { cut } from './cut.ts'
import { normalImage, parseImagePattern } from './image.ts'
import { overrideField } from './override-field.ts'
import { parseOverridePath } from './override-path.ts'
import type { ExperimentPolicySpec } from './policy.ts'
import { type Effect, MAX_FINDINGS } from './policy-paths.ts'
import { matchesWhole } from './sequence.ts'
import type { FieldError } from './types.ts'

/** Where a pod template names images. */
const IMAGES = ['template.spec.{containers,initContainers}[*].image', 'template.spec.volumes[*].image.reference'].map(
  (pattern) => parseOverridePath(pattern) ?? [],
)

/** Every image that an override adds or changes to one that no pattern of `allowedImages` allows; at most 21. */
export function forbiddenImages(
  { allowedImages }: ExperimentPolicySpec,
  { changes, overrideSpec }: Effect,
): readonly FieldError[] {
  if (!allowedImages) return []
  const patterns = allowedImages.flatMap((pattern) => parseImagePattern(pattern) ?? [])
  return changes
    .filter(({ path }) => IMAGES.some((image) => matchesWhole(image, path)))
    .filter(({ before, after }) => isNew(before, after) && !patterns.some((allows) => allows(String(after))))
    .slice(0, MAX_FINDINGS)
    .map(({ path, after }) => ({
      field: overrideField(path, overrideSpec),
      message: `${shown(String(after))} is not allowed; ${remedy(allowedImages)}`,
      cause: 'FieldValueForbidden',
    }))
}

/** Another spelling of the image that the source has is no change. */
function isNew(before: unknown, after: unknown): boolean {
  if (after === undefined) return false
  const image = normalImage(String(after))
  return image === undefined || typeof before !== 'string' || normalImage(before) !== image
}

const shown = (image: string): string => cut(normalImage(image) ?? JSON.stringify(image), 120)

const remedy = (patterns: readonly string[]): string =>
  patterns.length === 0 ? 'keep the image of the source' : cut(`allowed: ${listed(patterns)}`, 120)
