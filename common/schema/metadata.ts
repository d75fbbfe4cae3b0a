import { annotationKeyProblem, annotationsProblem, labelKeyProblem, labelValueProblem } from '../api/metadata-syntax.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { at, isObject, type JsonObject, listOr, objectOr } from '../json/json.ts'
import type { SpecError } from '../override/spec-schema.ts'

/**
 * Labels, annotations and label selectors in a whole `spec` that the API server would refuse, by path below `root`.
 * Schemas do not describe their syntax. Ignores `spec.selector`, which the controller sets.
 */
export function metadataErrors(root: string, spec: JsonObject): readonly SpecError[] {
  const found = (path: Path, message: string): SpecError => ({
    path,
    field: formatPath(root, path),
    message,
    cause: 'FieldValueInvalid',
  })
  const entries = ({ path, value: map }: Located, problemOf: (key: string, value: unknown) => string | undefined) =>
    Object.entries(objectOr(map)).flatMap(([key, value]) => {
      const problem = problemOf(key, value)
      return problem === undefined ? [] : [found([...path, key], problem)]
    })
  const metadata = ({ path, value }: Located): readonly SpecError[] => {
    const annotations = objectOr(at(value, 'annotations'))
    const total = annotationsProblem(annotations)
    return [
      ...entries({ path: [...path, 'labels'], value: at(value, 'labels') }, labelProblem),
      ...entries({ path: [...path, 'annotations'], value: annotations }, annotationKeyProblem),
      ...(total === undefined ? [] : [found([...path, 'annotations'], total)]),
    ]
  }
  return [
    ...metadataIn(spec).flatMap(metadata),
    ...labelMapsIn(spec).flatMap((labels) => entries(labels, labelProblem)),
  ]
}

const labelProblem = (key: string, value: unknown): string | undefined =>
  labelKeyProblem(key) ?? (typeof value === 'string' ? labelValueProblem(value) : undefined)

type Located = { readonly path: Path; readonly value: unknown }

/** The metadata of everything that is created from a spec: pods, and both kinds of PVCs. */
function metadataIn(spec: JsonObject): readonly Located[] {
  const claims = listOr(spec.volumeClaimTemplates).map((claim, index) => ({
    path: ['volumeClaimTemplates', index, 'metadata'],
    value: at(claim, 'metadata'),
  }))
  const ephemeral = listOr(at(spec, 'template', 'spec', 'volumes')).map((volume, index) => ({
    path: ['template', 'spec', 'volumes', index, 'ephemeral', 'volumeClaimTemplate', 'metadata'],
    value: at(volume, 'ephemeral', 'volumeClaimTemplate', 'metadata'),
  }))
  return [{ path: ['template', 'metadata'], value: at(spec, 'template', 'metadata') }, ...claims, ...ephemeral]
}

/** The label maps that decide on which nodes pods run. */
function labelMapsIn(spec: JsonObject): readonly Located[] {
  const pod = ['template', 'spec']
  const lists = ['affinity', 'topologySpreadConstraints'].map((key) => [...pod, key])
  return [
    { path: [...pod, 'nodeSelector'], value: at(spec, ...pod, 'nodeSelector') },
    ...lists.flatMap((path) => matchLabelsIn(at(spec, ...path), path)),
  ]
}

/** Every `matchLabels` below `value`. Recurses: `baseOf` and `brokenLimits` limit the depth. */
function matchLabelsIn(value: unknown, path: Path): readonly Located[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => matchLabelsIn(item, [...path, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'matchLabels' ? [{ path: [...path, key], value: inner }] : matchLabelsIn(inner, [...path, key]),
  )
}
