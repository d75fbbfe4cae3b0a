import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { FieldError, OverrideType } from '../../../common/api/types.ts'
import { mergedErrors } from '../../../common/assess/merged-errors.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { SpecError, SpecSchema } from '../../../common/override/spec-schema.ts'
import { ANY_SCHEMA, aDeployment } from '../../builders.ts'

interface Given {
  readonly override: JsonObject
  readonly type?: OverrideType
  /** containers of the merged result */
  readonly merged?: readonly JsonObject[]
  /** where the merged result is wrong; several: at each */
  readonly wrong: readonly SpecError['path'][]
  readonly cause?: FieldError['cause']
  /** where the source is wrong without the override too */
  readonly wrongBefore?: readonly SpecError['path'][]
}

const errorAt = (path: SpecError['path'], cause: FieldError['cause']): SpecError => ({
  path,
  field: `spec.${path.join('.')}`,
  message: 'wrong',
  cause,
})

function findings(of: Given): readonly FieldError[] {
  const { override, type = 'Merge', merged = [cart], wrong, cause = 'FieldValueInvalid', wrongBefore = [] } = of
  const [fork, plain]: KubeObject[] = [aDeployment({ pod: { containers: merged } }), aDeployment()]
  if (!fork || !plain) throw new Error('two were made')
  const checkWhole: SpecSchema['checkWhole'] = (spec) =>
    (spec === fork.spec ? wrong : wrongBefore).map((path) => errorAt(path, cause))
  const schema = { ...ANY_SCHEMA, checkWhole }
  return mergedErrors(schema, {
    fork,
    plain: () => plain,
    overrideSpec: override,
    overrideType: type,
    sourceContainers: () => [],
  })
}

const linesOf = (of: Given): readonly string[] =>
  findings(of).map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`)

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const containers = (...items: JsonObject[]): JsonObject => pod({ containers: items })
const inPod = (...path: SpecError['path']): SpecError['path'] => ['template', 'spec', ...path]
const [cart, proxy] = [
  { name: 'cart', image: 'a:1' },
  { name: 'proxy', image: 'b:1' },
]
const LACKING = 'required: neither the source nor the override has it; set it'
const NULLED = 'null removes a required field; leave this out, or give it a value'

describe('a mistake of the merged spec', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is reported where the override sets the field': [
      { override: pod({ hostNetwork: true }), wrong: [inPod('hostNetwork')] },
      '~.template.spec.hostNetwork: wrong',
    ],
    'is reported at the deepest field that the override sets': [
      { override: pod({}), wrong: [inPod('affinity', 'deep', 'key')] },
      '~.template.spec: wrong',
    ],
    'is reported at a field that must be set, one step below the override': [
      { override: pod({}), wrong: [inPod('affinity')], cause: 'FieldValueRequired' },
      `~.template.spec.affinity: ${LACKING}`,
    ],
    'is reported at the list where the override does not have the item': [
      { override: containers(cart), merged: [cart, proxy], wrong: [inPod('containers', 1)] },
      '~.template.spec.containers: wrong',
    ],
    'is reported at a null that removes a required field': [
      { override: pod({ containers: null }), wrong: [inPod('containers', 0, 'name')], cause: 'FieldValueRequired' },
      `~.template.spec.containers: ${NULLED}`,
    ],
    'is reported with its place where the override sets nothing of it, because it is not one of the source': [
      { override: { minReadySeconds: 3 }, wrong: [inPod('hostNetwork')] },
      '~: template.spec.hostNetwork: wrong',
    ],
    'is one of the source where the source has it by itself': [
      { override: pod({ hostNetwork: true }), wrong: [inPod('a')], wrongBefore: [inPod('a')] },
    ],
    'is reported beside one of the source': [
      { override: pod({ a: 1, b: 1 }), wrong: [inPod('a'), inPod('b')], wrongBefore: [inPod('a')] },
      '~.template.spec.b: wrong',
    ],
    'is reported once where several mistakes come from one field of the override': [
      { override: pod({}), wrong: [inPod('a', 'x'), inPod('a', 'y'), inPod('b', 'x')] },
      '~.template.spec: wrong',
    ],
    'is reported where the override ends with a string, which has a length but no members': [
      { override: pod({ affinity: 'none' }), wrong: [inPod('affinity', 'length', 'deep')] },
      '~.template.spec.affinity: wrong',
    ],
    'is reported at a null on the path': [
      { override: pod({ affinity: null }), wrong: [inPod('affinity', 'deep')], cause: 'FieldValueRequired' },
      `~.template.spec.affinity: ${NULLED}`,
    ],
    'is reported where the override sets it, although the value is no list there': [
      { override: pod({ containers: {} }), wrong: [inPod('containers', 0)] },
      '~.template.spec.containers: wrong',
    ],
    'is never reported at a member that every object inherits': [
      { override: pod({}), wrong: [inPod('toString', 'name')] },
      '~.template.spec: wrong',
    ],
    'is reported at the same item for Merge, which replaces whole lists': [
      { override: containers(proxy, cart), merged: [proxy, cart], wrong: [inPod('containers', 1, 'image')] },
      '~.template.spec.containers[1].image: wrong',
    ],
    'is reported at the same item for Merge, even if it has no key': [
      { override: containers({ image: 'c:1' }), merged: [{ image: 'c:1' }], wrong: [inPod('containers', 0, 'image')] },
      '~.template.spec.containers[0].image: wrong',
    ],
    'is reported at the item with that key for Strategic': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [proxy, cart],
        wrong: [inPod('containers', 1, 'image')],
      },
      '~.template.spec.containers[0].image: wrong',
    ],
    'is reported at the list for Strategic where the override has no item with that key': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [proxy, cart],
        wrong: [inPod('containers', 0, 'image')],
      },
      '~.template.spec.containers: wrong',
    ],
    'is reported at the list where an item has no key': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [{ image: 'c:1' }, cart],
        wrong: [inPod('containers', 0, 'image')],
      },
      '~.template.spec.containers: wrong',
    ],
    'is reported at an item within an item for Strategic': [
      {
        override: containers({ name: 'cart', env: [{ name: 'B', value: '2' }] }),
        type: 'Strategic',
        merged: [
          proxy,
          {
            ...cart,
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        ],
        wrong: [inPod('containers', 1, 'env', 1, 'value')],
      },
      '~.template.spec.containers[0].env[0].value: wrong',
    ],
    'is reported at the same item for Strategic in a list without keys': [
      {
        override: containers({ name: 'cart', args: ['a', 'b'] }),
        type: 'Strategic',
        merged: [proxy, { ...cart, args: ['a', 'b'] }],
        wrong: [inPod('containers', 1, 'args', 1)],
      },
      '~.template.spec.containers[0].args[1]: wrong',
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))

  it('keeps its cause, by which tools distinguish mistakes', () => {
    const given = { override: pod({ a: 1 }), wrong: [inPod('a')], cause: 'FieldValueNotSupported' } as const
    expect(findings(given).map(({ cause }) => cause)).to.deep.equal(['FieldValueNotSupported'])
  })

  it('is not reported where there is none', () => expect(linesOf({ override: pod({}), wrong: [] })).to.deep.equal([]))
})
