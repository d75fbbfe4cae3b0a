import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { SpecError, SpecSchema } from '../../../common/override/spec-schema.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { workloadKind } from '../../../common/workload/registry.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import {
  type ComparedAssessment,
  compareAssessments,
  immutableChanges,
  mistakesOf,
  type PodRules,
} from '../../../webhook/ratchet/assessment.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aStatefulSet, imageOverride } from '../../builders.ts'
import { assess } from '../../common/of-facts.ts'
import { type Given as GivenFacts, someFacts } from '../../common/plan/some-facts.ts'

type SpecOf = Parameters<typeof anExperiment>[0]

interface Given {
  readonly spec?: SpecOf
  /** of an update: the stored spec */
  readonly before?: SpecOf
  readonly source?: KubeObject
  /** absent: one that finds no mistake */
  readonly schema?: SpecSchema | 'none'
  readonly podRules?: PodRules
}

function factsOf({ spec, source = aDeployment(), schema = ANY_SCHEMA }: Given) {
  const kind = workloadKind(source.kind)
  const given: GivenFacts = { experiment: anExperiment(of(spec, source)), source }
  return someFacts({ ...given, ...(kind ? { kind: known(kind) } : {}), schema: schema === 'none' ? undefined : schema })
}

const of = (spec: SpecOf, { kind }: KubeObject): SpecOf => ({ sourceRef: { kind, name: 'cart' }, ...spec })

/** The assessments from these facts, where nothing is wrong with the override by itself. */
function compared(given: Given): ComparedAssessment {
  const facts = factsOf(given)
  const previous = given.before && anExperiment(of(given.before, given.source ?? aDeployment()))
  return compareAssessments(
    assess(facts, () => []),
    facts,
    { previous, podRules: given.podRules ?? 'refuse' },
  )
}

/** `refused: …` for each new mistake, `known: …` for each that the stored experiment has too. */
function linesOf(given: Given): readonly string[] {
  const { errors, known } = compared(given)
  return [
    ...errors.map(({ field, message }) => `refused: ${field}: ${message}`),
    ...known.map(({ field, message }) => `known: ${field}: ${message}`),
  ]
}

const CLASH: SpecError = {
  path: ['minReadySeconds'],
  field: 'spec.minReadySeconds',
  message: 'clashes',
  cause: 'FieldValueInvalid',
}
/** A schema that refuses `minReadySeconds` in the merged spec, as if it clashed with another field. */
const REFUSING: SpecSchema = {
  ...ANY_SCHEMA,
  checkWhole: (spec) => (Object.hasOwn(spec, 'minReadySeconds') ? [CLASH] : []),
}
const overriding = (overrideSpec: JsonObject): NonNullable<SpecOf> => ({ overrideSpec })
const REMOVED = overriding({ template: null })
const [SERVICE_A, SERVICE_B] = [overriding({ serviceName: 'a' }), overriding({ serviceName: 'b' })]
const OUR_FORK = aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })

const IMMUTABLE = 'immutable for StatefulSets; delete the experiment and create it again'
const CLASHES = 'spec.overrideSpec.minReadySeconds: clashes'
const NO_TEMPLATE = 'spec.overrideSpec.template: expected object, got nothing'
const IS_EXPERIMENT = 'spec.sourceRef.name: deployment/cart is itself the fork of an experiment; name its source'

describe('an assessment beside that of the stored experiment', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'has no mistakes where there are none': [{ before: {}, spec: { replicas: 2 } }],
    'refuses a change of an immutable field of a StatefulSet': [
      { source: aStatefulSet(), before: SERVICE_A, spec: SERVICE_B },
      `refused: spec.overrideSpec.serviceName: ${IMMUTABLE}`,
    ],
    'refuses it also without a schema': [
      { source: aStatefulSet(), before: SERVICE_A, spec: SERVICE_B, schema: 'none' },
      `refused: spec.overrideSpec.serviceName: ${IMMUTABLE}`,
    ],
    'accepts an immutable field that stays as it is': [
      { source: aStatefulSet(), before: SERVICE_A, spec: { ...SERVICE_A, replicas: 2 } },
    ],
    'accepts an immutable field in a new experiment': [{ source: aStatefulSet(), spec: SERVICE_B }],
    'accepts an immutable field where no fork could be derived before': [
      { source: aStatefulSet(), before: REMOVED, spec: SERVICE_B },
    ],
    'accepts a change of the pods of a StatefulSet': [
      { source: aStatefulSet(), before: {}, spec: overriding(imageOverride('example/cart:2')) },
    ],
    'refuses a mistake of the merged spec in a new experiment': [
      { schema: REFUSING, spec: overriding({ minReadySeconds: 3 }) },
      `refused: ${CLASHES}`,
    ],
    'only warns about a mistake of the merged spec that the stored experiment has': [
      { schema: REFUSING, before: overriding({ minReadySeconds: 3 }), spec: overriding({ minReadySeconds: 3, a: 1 }) },
      `known: ${CLASHES}`,
    ],
    'refuses a stored mistake with another value': [
      { schema: REFUSING, before: overriding({ minReadySeconds: 3 }), spec: overriding({ minReadySeconds: 4 }) },
      `refused: ${CLASHES}`,
    ],
    'refuses a mistake of the merged spec where no fork could be derived before': [
      { schema: REFUSING, before: REMOVED, spec: overriding({ minReadySeconds: 3 }) },
      `refused: ${CLASHES}`,
    ],
    'refuses an override that leaves no template': [{ spec: REMOVED }, `refused: ${NO_TEMPLATE}`],
    'only warns about a template that was removed before': [
      { before: REMOVED, spec: { ...REMOVED, replicas: 2 } },
      `known: ${NO_TEMPLATE}`,
    ],
    'refuses a source that is an experiment': [{ source: OUR_FORK }, `refused: ${IS_EXPERIMENT}`],
    'only warns, in an update, about a source that cannot be forked, because it is the same source': [
      { source: OUR_FORK, before: {}, spec: { replicas: 2 } },
      `known: ${IS_EXPERIMENT}`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))
})

describe('the assessment of the stored experiment', () => {
  const [one, two] = [overriding(imageOverride('example/cart:2')), overriding(imageOverride('example/cart:3'))]
  const changesOf = (given: Given) =>
    compared(given)
      .before()
      ?.effect?.()
      .changes()
      .map(({ before, after }) => `${before} -> ${after}`)

  for (const schema of [ANY_SCHEMA, 'none'] as const)
    it(`is derived from the same facts, ${schema === 'none' ? 'without' : 'with'} a schema`, () =>
      expect(changesOf({ before: one, spec: two, schema })).to.deep.equal(['example/cart:1 -> example/cart:2']))

  it('does not exist for a new experiment', () => expect(compared({ spec: two }).before()).to.equal(undefined))

  it('has no effect where no fork could be derived', () =>
    expect(changesOf({ before: REMOVED, spec: two })).to.equal(undefined))

  it('is computed once', () => {
    const { before: stored } = compared({ before: one, spec: two })
    expect(stored()).to.equal(stored())
  })

  it('ignores mistakes of the override by itself, which are compared before anything is read', () => {
    const { before: stored } = compared({ before: { overrideSpec: { replicas: 3 } }, spec: two })
    expect(stored()?.is).to.equal('wanted')
  })
})

describe('the mistakes of an assessment', () => {
  it('are those of the merged spec, or those that block it', () => {
    const found = (given: Given) => mistakesOf(assess(factsOf(given))).map(({ field }) => field)
    expect(found({ schema: REFUSING, spec: overriding({ minReadySeconds: 3 }) })).to.deep.equal([
      'spec.overrideSpec.minReadySeconds',
    ])
    expect(found({ spec: overriding({ replicas: 3 }) })).to.deep.equal(['spec.overrideSpec.replicas'])
    expect(found({})).to.deep.equal([])
  })
})

const set = (spec: JsonObject = {}): KubeObject =>
  aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec } })

const changed = (kind: WorkloadKind, before: KubeObject, after: KubeObject) =>
  immutableChanges(kind, { before, after, shape: ANY_SCHEMA.shape })

describe('immutableChanges', () => {
  it('reports each field of a StatefulSet that no update can change, with a remedy', () => {
    const found = changed(statefulSet, set(), set({ serviceName: 'other', volumeClaimTemplates: [] }))
    expect(found.map(({ field, cause }) => `${field} (${cause})`)).to.deep.equal([
      'spec.overrideSpec.serviceName (FieldValueForbidden)',
      'spec.overrideSpec.volumeClaimTemplates (FieldValueForbidden)',
    ])
    expect(found[0]?.message).to.equal('immutable for StatefulSets; delete the experiment and create it again')
  })

  it('reports a field that is added or removed', () => {
    const found = changed(statefulSet, set({ podManagementPolicy: 'Parallel' }), set({ surprise: 1 }))
    expect(found.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.podManagementPolicy',
      'spec.overrideSpec.surprise',
    ])
  })

  it('accepts changes of fields that can be updated', () => {
    const after = set({ minReadySeconds: 9, replicas: 1, ordinals: { start: 1 }, template: {} })
    expect(changed(statefulSet, set(), after)).to.deep.equal([])
  })

  it('accepts every change of a kind whose spec can be updated', () =>
    expect(changed(deployment, set(), set({ serviceName: 'other' }))).to.deep.equal([]))

  it('accepts claims that the API server stores as the former ones', () => {
    const claims = (claim: JsonObject) => set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim }] })
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } }
    const stored = { ...spec, resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' }
    const former = claims({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: stored })
    expect(changed(statefulSet, former, claims({ spec }))).to.deep.equal([])
    expect(changed(statefulSet, claims({ spec }), former)).to.deep.equal([])
    expect(changed(statefulSet, former, claims({ kind: 'Claim', spec }))).to.deep.equal([])
    const block = claims({ spec: { ...spec, volumeMode: 'Block' } })
    expect(changed(statefulSet, former, block)).to.have.length(1)
  })
})
