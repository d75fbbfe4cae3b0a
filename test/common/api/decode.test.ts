import { expect } from 'chai'
import { decodeExperiment } from '../../../common/api/decode.ts'
import * as NAMES from '../../../common/api/names.ts'
import { anExperiment } from '../../builders.ts'

const SPEC = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
const decoded = (spec: object, metadata: object = {}) =>
  decodeExperiment({ metadata, spec: { ...SPEC, ...spec } }, 'shop')
const specOf = (spec: object) => {
  const found = decoded(spec)
  if (found.is === 'malformed') return found.errors.map(({ field, message }) => `${field}: ${message}`)
  return found.experiment.spec
}
const metadataOf = (metadata: object) => {
  const found = decoded({}, metadata)
  return found.is === 'malformed' ? found.errors : found.experiment.metadata
}

const NAME = 'spec.sourceRef.name: must be the name of a workload'
const NAMESPACE = 'spec.sourceRef.namespace: must be the name of a namespace'
const REPLICAS = 'spec.replicas: must be a whole number from 0 to 2147483647'
const TTL = 'spec.ttlSeconds: must be a whole number of seconds, at most 31536000'
const hostile = { toString: () => expect.fail('called') }

describe('an experiment as it comes', () => {
  it('is read with all that it says', () => {
    const spec = {
      sourceRef: { kind: 'Rollout', name: 'cart', namespace: 'till' },
      overrideSpec: { minReadySeconds: 3 },
      overrideType: 'Strategic',
      replicas: 2,
      ttlSeconds: 60,
      onSourceChange: 'Pin',
    } as const
    const experiment = anExperiment({
      ...spec,
      metadata: { creationTimestamp: '2026-11-21T12:00:00Z', generation: 4 },
    })
    expect(decodeExperiment({ ...experiment, more: 1 }, 'shop')).to.deep.equal({ is: 'experiment', experiment })
  })

  it('is in the namespace of the request, whatever it says itself', () =>
    expect(metadataOf({ namespace: 'kube-system' })).to.have.property('namespace', 'shop'))

  it('has no name, no uid and its first generation before it is stored', () => {
    const fresh = { name: '', uid: '', generation: 1, namespace: 'shop' }
    expect(metadataOf({})).to.deep.equal(fresh)
    const odd = {
      name: hostile,
      uid: 5,
      generation: '4',
      creationTimestamp: 5,
      annotations: { [NAMES.REVIEWED_REPLICAS]: 5, team: 'a' },
    }
    expect(metadataOf(odd)).to.deep.equal(fresh)
  })

  it('N33: has a command with its author and what that author saw, and what the webhook wrote of the requester', () => {
    const { COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE } = NAMES
    const ours = [COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE]
    const annotations = Object.fromEntries(ours.map((key) => [key, 'a']))
    expect(metadataOf({ annotations: { ...annotations, team: 'a' } })).to.have.deep.property('annotations', annotations)
  })

  it('merges where nobody says how, and says no more than it was given', () => {
    expect(specOf({})).to.deep.equal({ ...SPEC, overrideType: 'Merge' })
    const nulls = { overrideType: null, replicas: null, ttlSeconds: null, onSourceChange: null }
    const sourceRef = { ...SPEC.sourceRef, namespace: null }
    expect(specOf({ ...nulls, sourceRef })).to.deep.equal({ ...SPEC, overrideType: 'Merge' })
  })

  it('N9: has nothing where null is left of what it said', () => {
    const nulls = { strategy: null, traffic: null, promotion: null, analysis: null }
    expect(specOf(nulls)).to.deep.equal({ ...SPEC, overrideType: 'Merge' })
  })

  it('N9: has no strategy in a canary that is null, which is not the canary {}', () => {
    const message = 'must be a canary, such as {} or one with steps of setWeight or pause, or a blueGreen'
    expect(specOf({ strategy: { canary: null } }))
      .to.have.nested.property('[0]')
      .that.includes(message)
    expect(specOf({ strategy: { canary: {} } })).to.have.deep.property('strategy', { canary: {} })
  })

  it('may ask for no pods, and for no time at all: that is for the CRD to mind', () =>
    expect(specOf({ replicas: 0, ttlSeconds: 0 })).to.deep.include({ replicas: 0, ttlSeconds: 0 }))

  it('may have as many pods as a workload', () =>
    expect(specOf({ replicas: 2 ** 31 - 1 })).to.have.property('replicas', 2 ** 31 - 1))

  it('may exist for a year', () =>
    expect(specOf({ ttlSeconds: 31_536_000 })).to.have.property('ttlSeconds', 31_536_000))

  const ref = (name: unknown) => ({ sourceRef: { kind: 'Deployment', name } })
  const inNamespace = (namespace: unknown) => ({ sourceRef: { ...SPEC.sourceRef, namespace } })
  const mistakes: Record<string, readonly [string, ...object[]]> = {
    'whose source has a name that would be another path': [
      NAME,
      ...[
        '',
        '.',
        '..',
        'a/b',
        'cart?watch=true',
        '-cart',
        'cart-',
        'Cart',
        'cärt',
        'a'.repeat(254),
        5,
        null,
        hostile,
      ].map(ref),
    ],
    'whose source is in a namespace that would be another path': [
      NAMESPACE,
      ...['', '..', 'kube/system', 5, hostile].map(inNamespace),
    ],
    'whose source has a kind that is no text': [
      'spec.sourceRef.kind: must be a string',
      { sourceRef: { kind: 5, name: 'cart' } },
      { sourceRef: { kind: hostile, name: 'cart' } },
    ],
    'whose override is no object': [
      'spec.overrideSpec: must be an object; write {} for no difference',
      ...[undefined, null, [], 'x'].map((overrideSpec) => ({ overrideSpec })),
    ],
    'that merges in another way': [
      'spec.overrideType: must be Merge or Strategic',
      { overrideType: 'merge' },
      { overrideType: '' },
    ],
    'that minds its source in another way': [
      'spec.onSourceChange: must be Follow or Pin',
      { onSourceChange: 'follow' },
    ],
    'whose number of pods is none': [REPLICAS, ...[-1, 1.5, '3', 2 ** 31, true].map((replicas) => ({ replicas }))],
    'whose time is none': [TTL, ...[-1, 0.5, '60', 31_536_001, 9e12].map((ttlSeconds) => ({ ttlSeconds }))],
  }
  for (const [words, [message, ...specs]] of Object.entries(mistakes))
    it(`is not one ${words}`, () => {
      for (const spec of specs) expect(specOf(spec)).to.deep.equal([message])
    })

  it('may name a source of one letter, or of 253', () => {
    for (const name of ['a', '1', 'a'.repeat(253), 'cart.v2-x'])
      expect(specOf(ref(name))).to.have.nested.property('sourceRef.name', name)
  })
})
