import { annotationKeyProblem, annotationsProblem, labelKeyProblem, labelValueProblem } from '../api/metadata-syntax.ts'
import type { Path } from '../json/field-path.ts'
import { formatPath } from '../json/field-path.ts'
import { at, isObject, type JsonObject, listOr, objectOr } from '../json/json.ts'
import type { SpecError } from '../override/spec-schema.ts'

/**
 * Labels, annotations and label selectors in a workload's whole `spec` that the API server would refuse, by path below
 * `root`. Schemas do not describe their syntax. Ignores `spec.selector`, which the controller sets.
 */
export function metadataErrors(root: string, spec: JsonObject): readonly SpecError[] {
  const found = (path: Path, message: string): SpecError => ({
    path,
    field: formatPath(root, path),
    message,
    cause: 'FieldValueInvalid',
  })
  const syntax = ({ path, map, keyProblem, valueProblem }: Named): readonly SpecError[] =>
    Object.entries(objectOr(map)).flatMap(([key, value]) => {
      const problem = keyProblem(key) ?? (typeof value === 'string' ? valueProblem(value) : undefined)
      return problem === undefined ? [] : [found([...path, key], problem)]
    })
  const metadata = ({ path, value }: Located): readonly SpecError[] => {
    const annotations = objectOr(at(value, 'annotations'))
    const total = annotationsProblem(annotations)
    return [
      ...syntax({ ...LABELS, path: [...path, 'labels'], map: at(value, 'labels') }),
      ...syntax({ ...ANNOTATIONS, path: [...path, 'annotations'], map: annotations }),
      ...(total === undefined ? [] : [found([...path, 'annotations'], total)]),
    ]
  }
  return [
    ...metadataIn(spec).flatMap(metadata),
    ...labelMapsIn(spec).flatMap(({ path, value }) => syntax({ ...LABELS, path, map: value })),
  ]
}

interface Located {
  readonly path: Path
  readonly value: unknown
}

interface Syntax {
  readonly keyProblem: (key: string) => string | undefined
  readonly valueProblem: (value: string) => string | undefined
}
type Named = Syntax & { readonly path: Path; readonly map: unknown }

const LABELS: Syntax = { keyProblem: labelKeyProblem, valueProblem: labelValueProblem }
const ANNOTATIONS: Syntax = { keyProblem: annotationKeyProblem, valueProblem: () => undefined }

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
