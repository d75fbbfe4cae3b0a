import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import type { SpecError, SpecSchema } from '../../common/workload/kind.ts'
import { type Derivation, derivation } from '../../webhook/derivation.ts'
import type { Seen, SourceSeen } from '../../webhook/look.ts'
import { ANY_SCHEMA, aBase, aDeployment, anExperiment, aRollout, aStatefulSet, imageOverride } from '../builders.ts'
import { anAsked, anUpdate } from './an-asked.ts'

type SpecOf = Parameters<typeof anExperiment>[0]

interface Given {
  readonly spec?: SpecOf
  /** of an update: as it was */
  readonly before?: SpecOf
  readonly source?: KubeObject | Exclude<SourceSeen['is'], 'found'>
  readonly referents?: readonly KubeObject[]
  readonly pinned?: Seen['pinned']
  /** absent: one that finds nothing wrong */
  readonly schema?: SpecSchema | 'none'
}

function derived(given: Given): Derivation {
  const { spec, before, source = aDeployment(), referents = [], schema = ANY_SCHEMA } = given
  const seen: SourceSeen = typeof source === 'string' ? { is: source } : { is: 'found', source, referents }
  const kind = typeof source === 'string' ? 'Deployment' : source.kind
  const of = (each: SpecOf) => ({ sourceRef: { kind, name: 'cart' }, ...each })
  const asked = before ? anUpdate(of(before), of(spec)) : anAsked({ object: anExperiment(of(spec)) })
  const known = { access: 'granted', needs: [], rules: undefined, pinned: given.pinned } as const
  return derivation(asked, { ...known, source: seen }, schema === 'none' ? undefined : schema)
}

/** What is told of a derivation: that it was refused and why; else warnings, and what was wrong before. */
function told(given: Given): readonly string[] {
  const found = derived(given)
  if (found.is === 'refused') return ['refused', ...found.errors.map(({ field, message }) => `${field}: ${message}`)]
  return [found.is, ...found.warnings, ...found.known.map(({ field, message }) => `before: ${field}: ${message}`)]
}

/** A schema that minds `minReadySeconds` in the whole, as if it clashed with something in the source. */
const minding: SpecSchema = {
  ...ANY_SCHEMA,
  checkWhole: (spec) => (Object.hasOwn(spec, 'minReadySeconds') ? [clash(['minReadySeconds'])] : []),
}
const clash = (path: SpecError['path']): SpecError => ({
  path,
  field: `spec.${path.join('.')}`,
  message: 'clashes',
  cause: 'FieldValueInvalid',
})
const overriding = (overrideSpec: JsonObject): SpecOf => ({ overrideSpec })
const CLASHES = 'spec.overrideSpec.minReadySeconds: clashes'
const IMMUTABLE = 'no update of a StatefulSet may change this; delete the experiment and create it anew'
const NO_TEMPLATE = 'spec.overrideSpec.template: expected object, got nothing'
const [serviceA, serviceB] = [overriding({ serviceName: 'a' }), overriding({ serviceName: 'b' })]
const removed = overriding({ template: null })

const twoOfOne = aDeployment({
  container: {
    env: [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ],
  },
})

describe('what is derived at admission', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is a fork of what is there': [{}, 'derived'],
    'is refused where an update changes what no StatefulSet may change': [
      { source: aStatefulSet(), before: serviceA, spec: serviceB },
      'refused',
      `spec.overrideSpec.serviceName: ${IMMUTABLE}`,
    ],
    'is not refused for what no StatefulSet may change where that stays': [
      { source: aStatefulSet(), before: serviceA, spec: { ...serviceA, replicas: 2 } },
      'derived',
    ],
    'is not refused for it in a new experiment': [{ source: aStatefulSet(), spec: serviceB }, 'derived'],
    'is not refused where nothing was derived before that could be changed': [
      { source: aStatefulSet(), before: removed, spec: serviceB },
      'derived',
    ],
    'is not refused where an update changes a pod': [
      { source: aStatefulSet(), spec: overriding(imageOverride('example/cart:2')), before: {} },
      'derived',
    ],
    'is refused where nothing is left of the template': [{ spec: removed }, 'refused', NO_TEMPLATE],
    'can be told without a schema where lists are replaced whole': [{ schema: 'none' }, 'derived'],
    'cannot be told without a schema where lists merge by their keys, which others say': [
      { schema: 'none', spec: { overrideType: 'Strategic' } },
      'unknown',
    ],
    'is refused for a mistake of the whole, where the override makes it': [
      { schema: minding, spec: overriding({ minReadySeconds: 3 }) },
      'refused',
      CLASHES,
    ],
    'is not refused for a mistake of the whole that is the source’s': [
      { schema: minding, source: aDeployment({ spec: { minReadySeconds: 3 } }), spec: overriding({}) },
      'derived',
    ],
    'is only told of a mistake of the whole that was stored before': [
      { schema: minding, before: overriding({ minReadySeconds: 3 }), spec: overriding({ minReadySeconds: 3, a: 1 }) },
      'derived',
      `before: ${CLASHES}`,
    ],
    'is refused for a stored mistake of another value': [
      { schema: minding, before: overriding({ minReadySeconds: 3 }), spec: overriding({ minReadySeconds: 4 }) },
      'refused',
      CLASHES,
    ],
    'is refused for a mistake of the whole where nothing could be derived before': [
      { schema: minding, before: removed, spec: overriding({ minReadySeconds: 3 }) },
      'refused',
      CLASHES,
    ],
    'comes with what had to be changed about the source': [
      { source: twoOfOne },
      'derived',
      '[Source] spec.template.spec.containers[0].env of the source names a variable twice; the experiment takes the last',
    ],
    'comes with what lists lose that are replaced whole': [
      {
        source: aDeployment({ container: { ports: [{ containerPort: 80 }] } }),
        spec: overriding(imageOverride('example/cart:2')),
      },
      'derived',
      '[ListReplaced] containers[cart] loses ports: Merge replaces lists whole, Strategic merges by name',
    ],
    'is refused of a source that is an experiment': [
      { source: aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } }) },
      'refused',
      'spec.sourceRef.name: deployment/cart is itself an experiment; name the workload it was made from',
    ],
    'is refused of a source that cannot be forked, at the reference to it': [
      { source: aDeployment({ container: { ports: [{ containerPort: 80 }, { containerPort: 80 }] } }) },
      'refused',
      'spec.sourceRef.name: deployment/cart cannot be forked: spec.template.spec.containers[0].ports[1]: containerPort 80, protocol "TCP" is there already, as [0]; server-side apply takes it only once',
    ],
    'is unknown while the template is not there that a source refers to': [
      { source: aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } }) },
      'unknown',
      '[SourceTemplateNotFound] spec.workloadRef: no deployment/base in shop',
    ],
    'is unknown while nobody can read what was pinned, although the source is there': [
      { pinned: 'unread' },
      'unknown',
      '[SourceUnread] deployment/cart could not be read now; the controller checks the override against it',
    ],
    'is only told of a template that was removed before': [
      { before: removed, spec: { ...removed, replicas: 2 } },
      'unknown',
      `before: ${NO_TEMPLATE}`,
    ],
    'is only told, in an update, of a source that cannot be forked: it is the one that it was': [
      {
        source: aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } }),
        before: {},
        spec: { replicas: 2 },
      },
      'unknown',
      'before: spec.sourceRef.name: deployment/cart is itself an experiment; name the workload it was made from',
    ],
    'is unknown while the source is being deleted': [
      { source: aDeployment({ metadata: { deletionTimestamp: '2026-11-21T12:00:00Z' } }) },
      'unknown',
      '[SourceNotFound] deployment/cart is being deleted; the override is checked again when there is another',
    ],
    'is unknown in a cluster without the kind': [
      { source: 'kindAbsent' },
      'unknown',
      '[KindNotAvailable] the cluster has no kind Deployment (apps/v1) yet',
    ],
    'is unknown while there is no source: the order of applies must not matter': [
      { source: 'absent' },
      'unknown',
      '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
    ],
    'is unknown while nobody can read the source': [
      { source: 'unread' },
      'unknown',
      '[SourceUnread] deployment/cart could not be read now; the controller checks the override against it',
    ],
    'is a fork of what was pinned, although the source is gone': [{ source: 'absent', pinned: aBase() }, 'derived'],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(told(given)).to.deep.equal(expected))

  it('names the item that the author wrote, where lists merge by their keys', () => {
    const containers = [
      { name: 'proxy', image: 'example/proxy:1' },
      { name: 'cart', image: 'example/cart:1' },
    ]
    const found = told({
      source: aDeployment({ pod: { containers } }),
      spec: { overrideType: 'Strategic', ...overriding(imageOverride('example/cart:2')) },
      schema: {
        ...ANY_SCHEMA,
        checkWhole: (spec) =>
          JSON.stringify(spec).includes('cart:2') ? [clash(['template', 'spec', 'containers', 1, 'image'])] : [],
      },
    })
    expect(found).to.deep.equal(['refused', 'spec.overrideSpec.template.spec.containers[0].image: clashes'])
  })

  it('keeps of a template what the kind’s own schema knows, or an older API server would refuse the fork', () => {
    const container = { members: new Map([['name', {}]]) }
    const pod = { members: new Map([['containers', { items: container }]]) }
    const template = { members: new Map([['spec', pod]]) }
    const found = derived({ schema: { ...ANY_SCHEMA, template } })
    expect(found).to.have.deep.nested.property('forks.changed.spec.template.spec', { containers: [{ name: 'cart' }] })
  })
})

describe('what an update is compared with', () => {
  const [one, two] = [overriding(imageOverride('example/cart:2')), overriding(imageOverride('example/cart:3'))]
  const changesOf = (found: Derivation, which: 'forks' | 'formerForks') => {
    if (found.is !== 'derived') throw new Error(`not derived: ${JSON.stringify(found)}`)
    const forks = which === 'forks' ? found.forks : found.formerForks()
    return forks?.changes().map(({ before, after }) => `${before} -> ${after}`)
  }

  for (const schema of [ANY_SCHEMA, 'none'] as const)
    it(`is what was derived before, and what either overrides, ${schema === 'none' ? 'without' : 'with'} a schema`, () => {
      const found = derived({ before: one, spec: two, schema })
      expect(found).to.have.nested.property('before.spec.template.spec.containers[0].image', 'example/cart:2')
      expect(changesOf(found, 'forks')).to.deep.equal(['example/cart:1 -> example/cart:3'])
      expect(changesOf(found, 'formerForks')).to.deep.equal(['example/cart:1 -> example/cart:2'])
    })

  const nothing: Record<string, Given> = {
    'is nothing for a create': { spec: two },
    'is nothing where no fork could be derived before': { before: removed, spec: two },
  }
  for (const [sentence, given] of Object.entries(nothing))
    it(sentence, () => {
      const found = derived(given)
      expect(found).to.deep.include({ is: 'derived', before: undefined })
      expect(changesOf(found, 'formerForks')).to.equal(undefined)
    })
})
