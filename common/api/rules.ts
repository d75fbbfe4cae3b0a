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

const replicasHaveOneHome: Rule = (override) =>
  Object.hasOwn(override, 'replicas') ? [forbidden(['replicas'], 'not here; set spec.replicas')] : []

const selectorIsOurs: Rule = (override) =>
  Object.hasOwn(override, 'selector')
    ? [forbidden(['selector'], 'the experiment selects its pods by a label of its own; remove this')]
    : []

const specIsTheTop: Rule = (override) =>
  Object.hasOwn(override, 'spec')
    ? [forbidden(['spec'], 'overrideSpec already is the spec; move this up one level')]
    : []

const templateStays: Rule = (override) =>
  [['template'], ['template', 'spec']]
    .filter((path) => at(override, ...path) === null)
    .map((path) => forbidden(path, 'may not be removed; name the members to remove instead'))

const templateMetadataIsLabelsAndAnnotations: Rule = (override) =>
  Object.keys(objectOr(at(override, 'template', 'metadata')))
    .filter((key) => key !== 'labels' && key !== 'annotations')
    .map((key) => forbidden(['template', 'metadata', key], 'only labels and annotations can be set here; remove this'))

const noDebugContainers: Rule = (override) =>
  at(override, 'template', 'spec', 'ephemeralContainers') === undefined
    ? []
    : [forbidden(['template', 'spec', 'ephemeralContainers'], 'only pods have these; use kubectl debug on a pod')]

const reservedKeysStayOurs: Rule = (override) =>
  ['labels', 'annotations'].flatMap((map) =>
    Object.keys(objectOr(at(override, 'template', 'metadata', map)))
      .filter((key) => key.startsWith(PREFIX) || isDroppedKey(key))
      .map((key) => forbidden(['template', 'metadata', map, key], 'is set by a controller; remove this key')),
  )

const RULES: readonly Rule[] = [
  specIsTheTop,
  replicasHaveOneHome,
  selectorIsOurs,
  templateStays,
  templateMetadataIsLabelsAndAnnotations,
  reservedKeysStayOurs,
  noDebugContainers,
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
