import type { OverrideBan } from '../workload/kind.ts'
import { isDroppedKey } from '../workload/metadata.ts'
import { formatPath, type Path } from './field-path.ts'
import { PREFIX } from './names.ts'
import { at, objectOr } from './object.ts'
import type { ExperimentDeploymentSpec, FieldError } from './types.ts'

/** What an override may not say whatever its kind's schema allows; each rule names every place that breaks it. */
type Rule = (overrideSpec: Readonly<Record<string, unknown>>) => readonly FieldError[]

const forbidden = (path: Path, message: string): FieldError => ({
  field: formatPath('spec.overrideSpec', path),
  message,
  cause: 'FieldValueForbidden',
})

/** Whatever they are set to, and if it is to null. */
const BANS: readonly OverrideBan[] = [
  { path: ['spec'], message: 'overrideSpec already is the spec; move this up one level' },
  { path: ['replicas'], message: 'not here; set spec.replicas' },
  { path: ['selector'], message: 'the experiment selects its pods by a label of its own; remove this' },
  { path: ['template', 'spec', 'ephemeralContainers'], message: 'only pods have these; use kubectl debug on a pod' },
]

const nothingIsBanned: Rule = (override) =>
  BANS.filter(({ path }) => at(override, ...path) !== undefined).map(({ path, message }) => forbidden(path, message))

const templateStays: Rule = (override) =>
  [['template'], ['template', 'spec']]
    .filter((path) => at(override, ...path) === null)
    .map((path) => forbidden(path, 'may not be removed; name the members to remove instead'))

const SETTABLE = 'only labels and annotations can be set here; remove this'
const isSettable = (key: string): boolean => key === 'labels' || key === 'annotations'

const templateMetadataIsLabelsAndAnnotations: Rule = (override) =>
  Object.keys(objectOr(at(override, 'template', 'metadata')))
    .filter((key) => !isSettable(key))
    .map((key) => forbidden(['template', 'metadata', key], SETTABLE))

const reservedKeysStayOurs: Rule = (override) =>
  ['labels', 'annotations'].flatMap((map) =>
    Object.keys(objectOr(at(override, 'template', 'metadata', map)))
      .filter((key) => key.startsWith(PREFIX) || isDroppedKey(key))
      .map((key) => forbidden(['template', 'metadata', map, key], 'is set by a controller; remove this key')),
  )

const RULES: readonly Rule[] = [
  nothingIsBanned,
  templateStays,
  templateMetadataIsLabelsAndAnnotations,
  reservedKeysStayOurs,
]

/** What an override of this kind may not say. */
const kindBans = (override: Readonly<Record<string, unknown>>, bans: readonly OverrideBan[]): readonly FieldError[] =>
  bans
    .filter(({ path }) => (at(override, ...path) ?? undefined) !== undefined) // a null removes what is not there
    .map(({ path, message }) => forbidden(path, message))

/** Every broken rule at once, so that a manifest is mended in one round. Expects a spec within `brokenLimits`. */
export const brokenRules = (
  { overrideSpec }: Pick<ExperimentDeploymentSpec, 'overrideSpec'>,
  bans: readonly OverrideBan[] = [],
): readonly FieldError[] => [...RULES.flatMap((rule) => rule(overrideSpec)), ...kindBans(overrideSpec, bans)]

/** Why an override may not name the member at a path, or one above it; undefined where it may. */
export type Refusal = (path: Path) => string | undefined

/** What `brokenRules` says of a member by its name alone, so that nobody suggests one that is then refused. */
export const refusalBy = (bans: readonly OverrideBan[] = []): Refusal => {
  const all = [...BANS, ...bans]
  return (path) => {
    const ban = all.find((each) => each.path.every((key, index) => path[index] === key))
    if (ban) return ban.message
    const [template, metadata, key] = path
    const isOfPods = template === 'template' && metadata === 'metadata' && typeof key === 'string'
    return isOfPods && !isSettable(key) ? SETTABLE : undefined
  }
}
