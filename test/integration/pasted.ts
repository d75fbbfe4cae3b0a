/** Strategies of Argo's own examples and tests, pasted into experiments, and what became of them. */
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { at, isObject, type JsonObject, listOr, objectOr, textOr } from '../../common/json/json.ts'
import { aligned } from '../aligned.ts'
import { objectsOf, type Specimen } from '../corpus/specimen.ts'

export type StrategyName = 'canary' | 'blueGreen'

/** A Rollout of Argo. */
export interface Pasted {
  readonly file: string
  readonly rollout: string
  readonly replicas: number
  readonly template: JsonObject
  readonly strategy: JsonObject
}

/** What became of it: the lines of its plan that are about steps, or the reasons of the refusal. */
export interface Outcome {
  readonly is: 'admitted' | 'refused'
  readonly lines: readonly string[]
}

/** The Rollouts with a strategy in a file. The template of one with a `workloadRef` is that of the object it names. */
export function pastedFrom(specimen: Specimen, name: StrategyName): readonly Pasted[] {
  const objects = objectsOf(specimen)
  return objects.flatMap((object): readonly Pasted[] => {
    const strategy = at(object, 'spec', 'strategy')
    if (object.kind !== 'Rollout' || !isObject(at(strategy, name)) || !isObject(strategy)) return []
    const referent = objects.find(
      (other) =>
        other.kind === at(object, 'spec', 'workloadRef', 'kind') &&
        at(other, 'metadata', 'name') === at(object, 'spec', 'workloadRef', 'name'),
    )
    const template = at(referent, 'spec', 'template') ?? at(object, 'spec', 'template')
    if (!isObject(template)) throw new Error(`${specimen.path}: a Rollout without a template`)
    const rollout = textOr(at(object, 'metadata', 'name'), '')
    const replicas = Number(at(object, 'spec', 'replicas') ?? 1)
    return [
      { file: specimen.path, rollout, replicas, template: template as JsonObject, strategy: strategy as JsonObject },
    ]
  })
}

/** A Deployment with the pods of a Rollout. */
export const sourceOf = ({ replicas, template }: Pasted, name: string) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: at(template, 'metadata', 'labels') }, template },
})

interface ManifestOf {
  readonly source: string
  readonly strategy: unknown
  readonly overrideSpec?: JsonObject
  readonly overrideType?: string
}

/** An experiment with a strategy, as kubectl reads it. */
export function manifestOf(name: string, { source, overrideSpec = {}, ...of }: ManifestOf): string {
  const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
  const spec = { sourceRef: { kind: 'Deployment', name: source }, overrideSpec, ...of }
  return JSON.stringify({ apiVersion, kind, metadata: { name }, spec })
}

/** What kubectl says: the lines of the plan and the warnings that begin with one of `words`, or each mistake. */
export function outcomeOf(code: number, text: string, words: RegExp): Outcome {
  const lines = text.split('\n').map((line) => line.trim())
  if (code === 0) {
    const plan = lines.flatMap((line) => /^Warning: (?:\[Plan\] )?(.*)$/.exec(line)?.[1] ?? [])
    return { is: 'admitted', lines: plan.filter((line) => words.test(line)) }
  }
  const mistakes = lines
    .filter((line) => !line.startsWith('Warning:'))
    .flatMap((line) => /(?:^\* |is invalid: |^)(spec\.strategy\..*)$/.exec(line)?.[1] ?? [])
  return { is: 'refused', lines: mistakes.length > 0 ? mistakes : [text.trim()] }
}

/** A table of what became of each of `pasted`. */
export function tableOf(pasted: readonly Pasted[], outcomes: ReadonlyMap<Pasted, Outcome>): string {
  const rows = pasted.flatMap((each) => {
    const { is = '', lines = [] } = outcomes.get(each) ?? {}
    const first = [each.file, `${each.rollout} (${each.replicas})`, is]
    return lines.map((line, index) => (index === 0 ? [...first, line] : ['', '', '', line]))
  })
  return aligned([['file', 'Rollout (pods)', '', ''], ...rows]).join('\n')
}

/** How many of them are admitted, or refused. */
export const countOf = (outcomes: ReadonlyMap<Pasted, Outcome>, is: Outcome['is']): number =>
  [...outcomes.values()].filter((outcome) => outcome.is === is).length

/** The schema of a strategy, in the CRD of Rollouts or of experiments. */
export const schemaOf = (crd: unknown, name: StrategyName): unknown =>
  at(
    listOr(at(crd, 'spec', 'versions'))[0],
    ...['schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'strategy', 'properties', name],
  )

/** Where our own CRD is. */
export const OWN_CRD =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/experimentdeployments.experimentcontroller.example.com'

/** The CRD of Rollouts among those of Argo. */
export const rolloutCrd = (crds: readonly unknown[]): unknown =>
  crds.find((crd) => at(crd, 'spec', 'names', 'kind') === 'Rollout')

/** The fields of a schema with their types; `IntOrString` for a number or a text. */
export const fieldsOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(objectOr(at(schema, 'properties'))).map(([key, value]) => [
      key,
      at(value, 'x-kubernetes-int-or-string') === true ? 'IntOrString' : at(value, 'type'),
    ]),
  )

const SAMPLES: Readonly<Record<string, unknown>> = {
  object: {},
  string: 'text',
  boolean: true,
  integer: 1,
  IntOrString: '25%',
}

/** A value for each field of a schema except those in `taken`. */
export const samplesOf = (schema: unknown, taken: readonly string[]): readonly (readonly [string, unknown])[] =>
  Object.entries(fieldsOf(schema))
    .filter(([key]) => !taken.includes(key))
    .map(([key, type]) => [key, SAMPLES[String(type)]] as const)
