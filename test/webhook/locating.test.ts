import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import type { FieldError, OverrideType } from '../../common/api/types.ts'
import type { SpecError, SpecSchema } from '../../common/workload/kind.ts'
import { mergedFindings } from '../../webhook/merged-findings.ts'
import { ANY_SCHEMA, aDeployment } from '../builders.ts'

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
  const { override, type = 'Merge', merged = [], wrong, cause = 'FieldValueInvalid', wrongBefore = [] } = of
  const [fork, plain]: KubeObject[] = [aDeployment({ pod: { containers: merged } }), aDeployment()]
  if (!fork || !plain) throw new Error('two were made')
  const checkWhole: SpecSchema['checkWhole'] = (spec) =>
    (spec === fork.spec ? wrong : wrongBefore).map((path) => errorAt(path, cause))
  const schema = { ...ANY_SCHEMA, checkWhole }
  return mergedFindings(schema, { fork, plain, overrideSpec: override, overrideType: type })
}

const told = (of: Given): readonly string[] =>
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

describe('what is wrong with a merged result', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is told where the override says it': [
      { override: pod({ hostNetwork: true }), wrong: [inPod('hostNetwork')] },
      '~.template.spec.hostNetwork: wrong',
    ],
    'is told as far as the override goes': [
      { override: pod({}), wrong: [inPod('affinity', 'deep', 'key')] },
      '~.template.spec: wrong',
    ],
    'is told with the field that is to be set, one step beyond the override': [
      { override: pod({}), wrong: [inPod('affinity')], cause: 'FieldValueRequired' },
      `~.template.spec.affinity: ${LACKING}`,
    ],
    'is told no further than to a list whose item the override does not have': [
      { override: containers(cart), merged: [cart, proxy], wrong: [inPod('containers', 1)] },
      '~.template.spec.containers: wrong',
    ],
    'is told of a null that removes what must be there': [
      { override: pod({ containers: null }), wrong: [inPod('containers', 0, 'name')], cause: 'FieldValueRequired' },
      `~.template.spec.containers: ${NULLED}`,
    ],
    'is the source’s where the override says nothing of it': [
      { override: { minReadySeconds: 3 }, wrong: [inPod('hostNetwork')] },
    ],
    'is the source’s where that is wrong by itself': [
      { override: pod({ hostNetwork: true }), wrong: [inPod('a')], wrongBefore: [inPod('a')] },
    ],
    'is told beside what is wrong with the source': [
      { override: pod({ a: 1, b: 1 }), wrong: [inPod('a'), inPod('b')], wrongBefore: [inPod('a')] },
      '~.template.spec.b: wrong',
    ],
    'is told once where several places in it come of one in the override': [
      { override: pod({}), wrong: [inPod('a', 'x'), inPod('a', 'y'), inPod('b', 'x')] },
      '~.template.spec: wrong',
    ],
    'is told where the override ends with a text, which has a length and yet no members': [
      { override: pod({ affinity: 'none' }), wrong: [inPod('affinity', 'length', 'deep')] },
      '~.template.spec.affinity: wrong',
    ],
    'is told of a null on the way': [
      { override: pod({ affinity: null }), wrong: [inPod('affinity', 'deep')], cause: 'FieldValueRequired' },
      `~.template.spec.affinity: ${NULLED}`,
    ],
    'is told where the override has it, although the value is no list there': [
      { override: pod({ containers: {} }), wrong: [inPod('containers', 0)] },
      '~.template.spec.containers: wrong',
    ],
    'is never told at a member that every object has': [
      { override: pod({}), wrong: [inPod('toString', 'name')] },
      '~.template.spec: wrong',
    ],
    'is told of the same item under Merge, which replaces lists whole': [
      { override: containers(proxy, cart), merged: [proxy, cart], wrong: [inPod('containers', 1, 'image')] },
      '~.template.spec.containers[1].image: wrong',
    ],
    'is told of the same item under Merge although it has no key': [
      { override: containers({ image: 'c:1' }), merged: [{ image: 'c:1' }], wrong: [inPod('containers', 0, 'image')] },
      '~.template.spec.containers[0].image: wrong',
    ],
    'is told of the item with that key under Strategic': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [proxy, cart],
        wrong: [inPod('containers', 1, 'image')],
      },
      '~.template.spec.containers[0].image: wrong',
    ],
    'is told at the list under Strategic where its author wrote no item of that key': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [proxy, cart],
        wrong: [inPod('containers', 0, 'image')],
      },
      '~.template.spec.containers: wrong',
    ],
    'is told at the list where an item has no key': [
      {
        override: containers(cart),
        type: 'Strategic',
        merged: [{ image: 'c:1' }, cart],
        wrong: [inPod('containers', 0, 'image')],
      },
      '~.template.spec.containers: wrong',
    ],
    'is told of the item with that key within another under Strategic': [
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
    'is told of the same item under Strategic in a list without keys': [
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
    it(sentence, () => expect(told(given)).to.deep.equal(expected))

  it('keeps its cause, by which tools tell mistakes apart', () => {
    const given = { override: pod({ a: 1 }), wrong: [inPod('a')], cause: 'FieldValueNotSupported' } as const
    expect(findings(given).map(({ cause }) => cause)).to.deep.equal(['FieldValueNotSupported'])
  })

  it('is nothing where nothing is wrong', () => expect(told({ override: pod({}), wrong: [] })).to.deep.equal([]))
})
