import type { FieldError } from '../api/types.ts'
import { matchesWhole } from '../json/sequence.ts'
import { overrideField } from '../override/field.ts'
import { parseOverridePath } from '../override/path.ts'
import { cut } from '../text/cut.ts'
import { listed } from '../text/list.ts'
import { normalizeImage, parseImagePattern } from './image.ts'
import { MAX_FINDINGS, type OverrideChanges } from './paths.ts'
import type { ExperimentPolicySpec } from './policy.ts'

/** The paths of images in a pod template. */
const IMAGES = ['template.spec.{containers,initContainers}[*].image', 'template.spec.volumes[*].image.reference'].map(
  (pattern) => parseOverridePath(pattern) ?? [],
)

/** Every image that an override adds or changes and that no pattern of `allowedImages` allows. At most 21. */
export function forbiddenImages(
  { allowedImages }: ExperimentPolicySpec,
  { changes, overrideSpec }: OverrideChanges,
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

/** The image of the source in another spelling is not new. */
function isNew(before: unknown, after: unknown): boolean {
  if (after === undefined) return false
  const image = normalizeImage(String(after))
  return image === undefined || typeof before !== 'string' || normalizeImage(before) !== image
}

const shown = (image: string): string => cut(normalizeImage(image) ?? JSON.stringify(image), 120)

const remedy = (patterns: readonly string[]): string =>
  patterns.length === 0 ? 'keep the image of the source' : cut(`allowed images: ${listed(patterns)}`, 120)
