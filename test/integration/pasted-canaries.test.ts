import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { at, isObject, type JsonObject, listOr, objectOr, textOr } from '../../common/json/json.ts'
import { argoCrds, argoManifests } from '../../sandbox/modules.ts'
import { aligned } from '../aligned.ts'
import { objectsOf, type Specimen } from '../corpus/specimen.ts'
import { inParallel } from '../in-parallel.ts'
import { usesProduct } from './product.ts'

/** A canary of Argo's own examples and tests. */
interface Pasted {
  readonly file: string
  readonly rollout: string
  readonly replicas: number
  readonly template: JsonObject
  readonly strategy: JsonObject
}

/** What became of it: the lines of its plan that are about steps, or the reasons of the refusal. */
interface Outcome {
  readonly is: 'admitted' | 'refused'
  readonly lines: readonly string[]
}

/** The Rollouts with a canary in a file. The template of one with a `workloadRef` is that of the object it names. */
function canariesIn(specimen: Specimen): readonly Pasted[] {
  const objects = objectsOf(specimen)
  return objects.flatMap((object): readonly Pasted[] => {
    const strategy = at(object, 'spec', 'strategy')
    if (object.kind !== 'Rollout' || !isObject(at(strategy, 'canary')) || !isObject(strategy)) return []
    const referent = objects.find(
      (other) =>
        other.kind === at(object, 'spec', 'workloadRef', 'kind') &&
        at(other, 'metadata', 'name') === at(object, 'spec', 'workloadRef', 'name'),
    )
    const template = at(object, 'spec', 'template') ?? at(referent, 'spec', 'template')
    if (!isObject(template)) throw new Error(`${specimen.path}: a Rollout without a template`)
    const rollout = textOr(at(object, 'metadata', 'name'), '')
    const replicas = Number(at(object, 'spec', 'replicas') ?? 1)
    return [
      { file: specimen.path, rollout, replicas, template: template as JsonObject, strategy: strategy as JsonObject },
    ]
  })
}

/** The fields of a schema with their types; `IntOrString` for a number or a text. */
const fieldsOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(objectOr(at(schema, 'properties'))).map(([key, value]) => [
      key,
      at(value, 'x-kubernetes-int-or-string') === true ? 'IntOrString' : at(value, 'type'),
    ]),
  )

/** The schema of a canary, in a CRD. `path` leads to `spec` of a strategy. */
const canaryOf = (crd: unknown): unknown =>
  at(
    listOr(at(crd, 'spec', 'versions'))[0],
    ...['schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'strategy', 'properties', 'canary'],
  )
const stepOf = (crd: unknown): unknown => at(canaryOf(crd), 'properties', 'steps', 'items')

/** What a template of Argo's tests has in place of its name. */
const PLACEHOLDER = 'REPLACEME'

const SAMPLES: Readonly<Record<string, unknown>> = {
  object: {},
  string: 'text',
  boolean: true,
  integer: 1,
  IntOrString: '25%',
}

describe('canaries of Argo, pasted', () => {
  const place = usesProduct()
  const pasted: Pasted[] = []
  const outcomes = new Map<Pasted, Outcome>()
  let argo: unknown

  const manifest = (name: string, source: string, strategy: unknown): string => {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: source }, overrideSpec: {}, strategy }
    return JSON.stringify({ apiVersion, kind, metadata: { name }, spec })
  }

  before('each is applied, on a Deployment with the pods of its Rollout', async function () {
    this.timeout(180_000)
    argo = (await argoCrds()).map((text) => parse(text)).find((crd) => at(crd, 'spec', 'names', 'kind') === 'Rollout')
    const files = (await argoManifests()).map(({ path, text }) => ({
      path,
      text: text.replaceAll(PLACEHOLDER, 'named'),
    }))
    pasted.push(...files.filter(({ path }) => /^(examples|test\/e2e\/functional)\//.test(path)).flatMap(canariesIn))
    await inParallel(4, [...pasted.entries()], async ([index, each]) => {
      const name = `pasted-${index}`
      const { replicas, template, strategy } = each
      const selector = { matchLabels: at(template, 'metadata', 'labels') }
      await place().api.create(place().path('deployments'), {
        metadata: { name },
        spec: { replicas, selector, template },
      })
      const { code, text } = await place().kubectl(['create', '-f', '-'], manifest(name, name, strategy))
      outcomes.set(each, outcomeOf(code, text))
    })
  })
  after('prints what became of each', () => {
    const rows = pasted.flatMap((each) => {
      const { is = '', lines = [] } = outcomes.get(each) ?? {}
      const first = [each.file, `${each.rollout} (${each.replicas})`, is]
      return lines.map((line, index) => (index === 0 ? [...first, line] : ['', '', '', line]))
    })
    console.log(aligned([['file', 'Rollout (pods)', '', ''], ...rows]).join('\n'))
  })

  it('are more than forty, some admitted and some refused', () => {
    const count = (is: string) => [...outcomes.values()].filter((outcome) => outcome.is === is).length
    expect(outcomes.size).to.equal(pasted.length).and.to.be.above(40)
    expect(count('admitted')).to.be.above(2)
    expect(count('refused')).to.be.above(20)
  })

  it('are stored as they were sent, with a plan for each step, if they are admitted', async () => {
    for (const [index, each] of pasted.entries()) {
      const outcome = outcomes.get(each)
      if (outcome?.is !== 'admitted') continue
      const stored = await place().experimentAt(`pasted-${index}`)
      expect(stored.spec.strategy, each.file).to.deep.equal(each.strategy)
      expect(outcome.lines[0], each.file).to.match(/^steps: /)
    }
  })

  it('are refused with a path and a remedy otherwise', () => {
    for (const [{ file }, { is, lines }] of outcomes) {
      if (is === 'admitted') continue
      expect(lines, file).to.not.be.empty
      for (const line of lines)
        expect(line, file).to.match(/^spec\.strategy\.canary\.\S+: .*(; (remove|set) | instead$)/)
    }
  })

  it('have no field of which our API does not know the name and the type', async () => {
    const ours = await place().api.get(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/experimentdeployments.experimentcontroller.example.com',
    )
    expect(Object.keys(fieldsOf(canaryOf(argo)))).to.not.be.empty
    expect(fieldsOf(canaryOf(ours))).to.deep.include(fieldsOf(canaryOf(argo)))
    expect(fieldsOf(stepOf(ours))).to.deep.include(fieldsOf(stepOf(argo)))
  })

  it('lose no field of Argo in silence: each that we do not take is refused at its path', async () => {
    const taken = ['steps', 'maxSurge', 'maxUnavailable', 'scaleDownDelaySeconds', 'setWeight', 'pause']
    const samplesOf = (schema: unknown) =>
      Object.entries(fieldsOf(schema))
        .filter(([key]) => !taken.includes(key))
        .map(([key, type]) => [key, SAMPLES[String(type)]] as const)
    const [canary, steps] = [samplesOf(canaryOf(argo)), samplesOf(stepOf(argo))]
    const strategy = {
      canary: { ...Object.fromEntries(canary), steps: steps.map(([key, value]) => ({ [key]: value })) },
    }
    const { text } = await place().kubectl(['create', '-f', '-'], manifest('everything', 'none', strategy))
    const fields = [...canary.map(([key]) => key), ...steps.map(([key], index) => `steps[${index}].${key}`)]
    expect(outcomeOf(1, text).lines.map((line) => line.replace(/: .*/, ''))).to.have.members(
      fields.map((field) => `spec.strategy.canary.${field}`),
    )
  })
})

/** What kubectl says: the plan of the steps without the word `[Plan]`, or a line for each mistake. */
function outcomeOf(code: number, text: string): Outcome {
  const lines = text.split('\n').map((line) => line.trim())
  if (code === 0) {
    const plan = lines.flatMap((line) => /^Warning: \[Plan\] ((?:steps: |then ).*)$/.exec(line)?.[1] ?? [])
    return { is: 'admitted', lines: plan }
  }
  const mistakes = lines
    .filter((line) => !line.startsWith('Warning:'))
    .flatMap((line) => /(?:^\* |is invalid: |^)(spec\.strategy\.canary\..*)$/.exec(line)?.[1] ?? [])
  return { is: 'refused', lines: mistakes.length > 0 ? mistakes : [text.trim()] }
}
