import { PREFIX } from '../api/names.ts'
import { isDroppedKey } from '../api/template-metadata.ts'
import type { FieldError } from '../api/types.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { at, type JsonObject, objectOr } from '../json/json.ts'

/** A path in `overrideSpec` that cannot be set for a fork. */
export interface OverrideBan {
  readonly path: readonly string[]
  readonly message: string
}

/** A rule that holds whatever the schema of the kind allows. It returns an error for every place that breaks it. */
type Rule = (overrideSpec: Readonly<Record<string, unknown>>) => readonly FieldError[]

const OVERRIDE_SPEC = 'spec.overrideSpec'

const forbidden = (path: Path, message: string): FieldError => ({
  field: formatPath(OVERRIDE_SPEC, path),
  message,
  cause: 'FieldValueForbidden',
})

/** Banned for every kind, with any value, null included. */
const BANS: readonly OverrideBan[] = [
  { path: ['spec'], message: 'overrideSpec is already the spec; move the content of this up one level' },
  { path: ['replicas'], message: 'cannot be set here; use spec.replicas' },
  { path: ['selector'], message: 'the fork has its own selector; remove this' },
  {
    path: ['template', 'spec', 'ephemeralContainers'],
    message: 'only a running pod can have these; remove this and use kubectl debug',
  },
]

/**
 * An override that the webhook refuses by the schema of the kind, and the field that it names then. By that `doctor`
 * knows the webhook's answer. Only the webhook has the schema; the policy of `manifests/pack` has not.
 */
export const WRONG_OVERRIDE = {
  overrideSpec: { progressDeadlineSeconds: 'soon' },
  field: formatPath(OVERRIDE_SPEC, ['progressDeadlineSeconds']),
}

const noBans: Rule = (override) =>
  BANS.filter(({ path }) => at(override, ...path) !== undefined).map(({ path, message }) => forbidden(path, message))

const templateIsNotNull: Rule = (override) =>
  [['template'], ['template', 'spec']]
    .filter((path) => at(override, ...path) === null)
    .map((path) => forbidden(path, 'cannot be null; set the fields to remove in it to null instead'))

const SETTABLE = 'only labels and annotations can be set here; remove this'
const isSettable = (key: string): boolean => key === 'labels' || key === 'annotations'

const onlyLabelsAndAnnotations: Rule = (override) =>
  Object.entries(objectOr(at(override, 'template', 'metadata')))
    // a null removes nothing; `kubectl create --dry-run` prints `creationTimestamp: null`
    .filter(([key, value]) => !isSettable(key) && value !== null)
    .map(([key]) => forbidden(['template', 'metadata', key], SETTABLE))

const noReservedKeys: Rule = (override) =>
  ['labels', 'annotations'].flatMap((map) =>
    Object.keys(objectOr(at(override, 'template', 'metadata', map)))
      .filter((key) => key.startsWith(PREFIX) || isDroppedKey(key))
      .map((key) => forbidden(['template', 'metadata', map, key], 'set by a controller; remove this key')),
  )

const RULES: readonly Rule[] = [noBans, templateIsNotNull, onlyLabelsAndAnnotations, noReservedKeys]

/** Every broken rule, so that authors can correct all of them at once. Expects a spec within `brokenLimits`. */
export const brokenRules = (
  { overrideSpec }: { readonly overrideSpec: JsonObject },
  bans: readonly OverrideBan[] = [],
): readonly FieldError[] => [
  ...RULES.flatMap((rule) => rule(overrideSpec)),
  ...bans
    .filter(({ path }) => (at(overrideSpec, ...path) ?? undefined) !== undefined) // a null removes nothing
    .map(({ path, message }) => forbidden(path, message)),
]

/** The message of the ban of a path, or of a path above it; undefined if an override may set it. */
export type BanLookup = (path: Path) => string | undefined

/** Finds the bans that depend on the path alone, so that no message suggests a field that is then refused. */
export const createBanLookup = (bans: readonly OverrideBan[] = []): BanLookup => {
  const all = [...BANS, ...bans]
  return (path) => {
    const ban = all.find((each) => each.path.every((key, index) => path[index] === key))
    if (ban) return ban.message
    const [template, metadata, key] = path
    const isOfPods = template === 'template' && metadata === 'metadata' && typeof key === 'string'
    return isOfPods && !isSettable(key) ? SETTABLE : undefined
  }
}
