import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import { type Assessment, derivedFork } from '../../../common/assess/assess.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { SpecError, SpecSchema } from '../../../common/override/spec-schema.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aStatefulSet, imageOverride } from '../../builders.ts'
import { assess } from '../of-facts.ts'
import { type Given, someFacts } from '../plan/some-facts.ts'

const assessed = (of: Given = {}): Assessment => assess(someFacts(of))
const overriding = (overrideSpec: JsonObject, of: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ ...of, overrideSpec })

/** What an assessment says: `wanted`, its warnings and the mistakes of the merged spec; or the reason and message. */
function linesOf(of: Given): readonly string[] {
  const found = assessed(of)
  if (found.is === 'blocked') return [found.decision.reason, found.decision.message]
  return [
    'wanted',
    ...found.warnings().map(({ reason, message }) => `[${reason}] ${message}`),
    ...found.mistakes().map(({ field, message }) => `${field}: ${message}`),
  ]
}

const clash = (path: SpecError['path']): SpecError => ({
  path,
  field: `spec.${path.join('.')}`,
  message: 'clashes',
  cause: 'FieldValueInvalid',
})
/** A schema that refuses `minReadySeconds` in the merged spec, as if it clashed with another field. */
const REFUSING: SpecSchema = {
  ...ANY_SCHEMA,
  checkWhole: (spec) => (Object.hasOwn(spec, 'minReadySeconds') ? [clash(['minReadySeconds'])] : []),
}
const NO_SCHEMA = 'override not checked yet: no schema of Deployment was fetched'
const TWICE = {
  env: [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
  ],
}

describe('the assessment of facts', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is a fork of the source': [{}, 'wanted'],
    'is a fork of another kind': [{ kind: known(statefulSet), source: aStatefulSet() }, 'wanted'],
    'is blocked without a schema': [{ schema: undefined }, 'SchemaNotAvailable', NO_SCHEMA],
    'is blocked without a schema that a strategic merge needs': [
      { schema: undefined, experiment: anExperiment({ overrideType: 'Strategic' }) },
      'SchemaNotAvailable',
      NO_SCHEMA,
    ],
    'is blocked by the first check that fails': [
      { nameHolder: aDeployment({ name: 'fork' }) },
      'NameConflict',
      'deployment/fork already exists and is not managed by this experiment',
    ],
    'is blocked without a base': [
      { source: undefined },
      'SourceNotFound',
      'no deployment/cart in shop yet; the override is checked again when it appears',
    ],
    'has the mistakes of the merged spec that the override causes': [
      { schema: REFUSING, experiment: overriding({ minReadySeconds: 3 }) },
      'wanted',
      'spec.overrideSpec.minReadySeconds: clashes',
    ],
    'has no mistake of the merged spec that is in the source': [
      { schema: REFUSING, source: aDeployment({ spec: { minReadySeconds: 3 } }) },
      'wanted',
    ],
    'warns about what had to be changed in the source': [
      { source: aDeployment({ container: TWICE }) },
      'wanted',
      '[Source] spec.template.spec.containers[0].env of the source sets a variable twice; the fork uses the last value',
    ],
    'warns about what replaced lists lose': [
      {
        source: aDeployment({ container: { ports: [{ containerPort: 80 }] } }),
        experiment: overriding(imageOverride('example/cart:2')),
      },
      'wanted',
      '[ListReplaced] containers[cart] loses ports: Merge replaces whole lists; use Strategic to merge them',
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))

  it('uses the mistakes of the override that it is given', () => {
    const error = { field: 'spec.overrideSpec.x', message: 'odd', cause: 'FieldValueInvalid' } as const
    const found = assess(someFacts(), () => [error])
    expect(found).to.have.nested.property('decision.message', 'spec.overrideSpec.x: odd')
    const schema = { ...ANY_SCHEMA, check: () => [error] }
    expect(assess(someFacts({ schema }), () => []).is).to.equal('wanted')
    expect(assess(someFacts({ schema })).is).to.equal('blocked')
  })

  for (const schema of [ANY_SCHEMA, undefined])
    it(`is blocked where nothing is left of the template, ${schema ? 'with' : 'without'} a schema`, () => {
      const found = assess(someFacts({ experiment: overriding({ template: null }), schema }), () => [])
      expect(found.is === 'blocked' && found.decision).to.deep.include({
        reason: 'InvalidOverride',
        message: 'spec.overrideSpec.template: expected object, got nothing',
      })
    })

  it('checks the merged spec once, however often its mistakes are asked for', () => {
    let checks = 0
    const checkWhole = () => {
      checks += 1
      return []
    }
    const found = assessed({ schema: { ...ANY_SCHEMA, checkWhole } })
    if (found.is !== 'wanted') throw new Error('blocked')
    expect([found.mistakes(), found.mistakes(), checks]).to.deep.equal([[], [], 1])
  })

  it('names the item that the author wrote, where lists merge by their keys', () => {
    const containers = [
      { name: 'proxy', image: 'example/proxy:1' },
      { name: 'cart', image: 'example/cart:1' },
    ]
    const lines = linesOf({
      source: aDeployment({ pod: { containers } }),
      experiment: overriding(imageOverride('example/cart:2'), { overrideType: 'Strategic' }),
      schema: {
        ...ANY_SCHEMA,
        checkWhole: (spec) =>
          JSON.stringify(spec).includes('cart:2') ? [clash(['template', 'spec', 'containers', 1, 'image'])] : [],
      },
    })
    expect(lines).to.deep.equal(['wanted', 'spec.overrideSpec.template.spec.containers[0].image: clashes'])
  })

  it('keeps the fields of a template that the schema of the kind knows; an older API server refuses others', () => {
    const container = { members: new Map([['name', {}]]) }
    const pod = { members: new Map([['containers', { items: container }]]) }
    const template = { members: new Map([['spec', pod]]) }
    const fork = derivedFork(assessed({ schema: { ...ANY_SCHEMA, template } }))
    expect(fork).to.have.deep.nested.property('spec.template.spec', { containers: [{ name: 'cart' }] })
  })

  it('gives the fork a hash that does not depend on the number of replicas', () => {
    const hashOf = (of: Given) => {
      const found = assessed(of)
      return found.is === 'wanted' ? found.hash() : undefined
    }
    expect(hashOf({})).to.match(/^[0-9a-f]{64}$/)
    expect(hashOf({ experiment: anExperiment({ replicas: 5 }) })).to.equal(hashOf({}))
    expect(hashOf({ experiment: overriding({ minReadySeconds: 3 }) })).to.not.equal(hashOf({}))
  })
})

describe('the effect of the override in an assessment', () => {
  const experiment = overriding(imageOverride('example/cart:2'))
  const changesOf = (of: Given) =>
    assessed(of)
      .effect?.()
      .changes()
      .map(({ before, after }) => `${before} -> ${after}`)

  it('is what differs from a fork without the override', () =>
    expect(changesOf({ experiment })).to.deep.equal(['example/cart:1 -> example/cart:2']))

  it('is known also without a schema, because policies judge it', () =>
    expect(changesOf({ experiment, schema: undefined })).to.deep.equal(['example/cart:1 -> example/cart:2']))

  const none: Record<string, Given> = {
    'for a strategic merge without a schema': {
      experiment: anExperiment({ overrideType: 'Strategic' }),
      schema: undefined,
    },
    'without a base': { experiment, source: undefined },
    'for an override that cannot be merged': { experiment: overriding({ template: null }) },
  }
  for (const [sentence, given] of Object.entries(none))
    it(`is unknown ${sentence}`, () => {
      expect(assessed(given).effect).to.equal(undefined)
      expect(derivedFork(assessed(given))).to.equal(undefined)
    })
})
