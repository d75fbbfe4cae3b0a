import { warning } from '../../common/api/conditions.ts'
import { OVERRIDE_LIMITS } from '../../common/api/limits.ts'
import type { Warning } from '../../common/api/types.ts'
import { formatPath, type Path } from '../../common/json/field-path.ts'
import { at, isObject, listOr, parseJson } from '../../common/json/json.ts'
import { optionalClause } from '../../common/text/fitted.ts'
import type { AdmissionRequest } from './admission-review.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The limit of Kubernetes for all annotations of an object together, in bytes. */
const MAX_LENGTH = 256 * 1024
/** The most paths that are returned. Each may be long, and fewer are printed. */
const MAX_LOST = 20

/**
 * The paths, below `spec.overrideSpec`, of the nulls that the author wrote and `object` does not have: client-side
 * `kubectl apply` drops nulls, but stores the applied text in an annotation. Empty if that is missing or invalid. Looks
 * at most 64 levels deep and at 5,000 values, and returns at most 20 paths.
 */
export function droppedNulls(object: Readonly<Record<string, unknown>>): readonly string[] {
  const text = appliedText(object)
  if (!text?.includes('null')) return []
  const written = at(parseJson(text), 'spec', 'overrideSpec')
  return isObject(written) ? lostIn(written, at(object, 'spec', 'overrideSpec')) : []
}

/** The manifest that `kubectl apply` stored in `object` as it was applied; undefined if there is none. */
export function appliedText(object: Readonly<Record<string, unknown>>): string | undefined {
  const text = at(object, 'metadata', 'annotations', LAST_APPLIED)
  return typeof text === 'string' && text.length <= MAX_LENGTH ? text : undefined
}

/** The warning for a path of `droppedNulls`. */
export const nullDropped = (path: string): Warning =>
  warning('NullDropped', `kubectl apply dropped ${path}: null`, optionalClause('; use kubectl apply --server-side'))

/** What to say about nulls that mean something else than their author may think. */
export const nullWarnings = (request: AdmissionRequest): readonly Warning[] => [
  ...droppedNulls(request.object).map(nullDropped),
  ...(makesPromotionNull(request) ? [PROMOTION_IS_NULL] : []),
]

/** Kubernetes makes null of `promotion: {}` where its applier owned all that was in it. */
const makesPromotionNull = (request: AdmissionRequest): boolean =>
  promotionIn(request.object) === null && (request.operation === 'CREATE' || promotionIn(request.oldObject) !== null)

const promotionIn = (object: unknown): unknown => at(object, 'spec', 'promotion')

const PROMOTION_IS_NULL = warning(
  'PromotionIsNull',
  'spec.promotion is null, which is no promotion; for one write its mode, such as {mode: Manual}',
)

function lostIn(overrideWritten: unknown, overrideStored: unknown): readonly string[] {
  const lost: string[] = []
  let left: number = OVERRIDE_LIMITS.nodes
  const visit = (written: unknown, stored: unknown, path: Path): void => {
    for (const [step, inner] of children(written)) {
      left -= 1
      if (left < 0 || lost.length === MAX_LOST) return
      const [here, before] = [[...path, step], child(stored, step)]
      if (inner === null && before === undefined) lost.push(formatPath('', here).replace(/^\./, ''))
      else if (here.length < OVERRIDE_LIMITS.depth) visit(inner, before, here)
    }
  }
  visit(overrideWritten, overrideStored, [])
  return lost
}

const children = (value: unknown): Iterable<readonly [string | number, unknown]> =>
  Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : []

const child = (value: unknown, step: string | number): unknown =>
  typeof step === 'number' ? listOr(value)[step] : at(value, step)
