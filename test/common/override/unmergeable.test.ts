import { expect } from 'chai'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { describeKeys, unmergeable } from '../../../common/override/unmergeable.ts'
import { A_SHAPE } from './nodes.ts'

const A = { name: 'A' }
const FROM = { k: 'v' }

const errors = (override: JsonObject, type: OverrideType): readonly string[] =>
  unmergeable(override, type, A_SHAPE).map(
    ({ field, message, cause }) => `${field.replace('spec.overrideSpec', '~')}: ${message} (${cause})`,
  )

interface Case {
  readonly override: JsonObject
  readonly Merge: readonly string[]
  readonly Strategic: readonly string[]
}

const NULL = 'null is not allowed inside a list; remove this (FieldValueInvalid)'

const cases: Record<string, Case> = {
  'nothing in an override that can be merged': {
    override: { env: [A, { name: 'B' }], a: { labels: { app: null } }, args: ['x', 'x'] },
    Merge: [],
    Strategic: [],
  },
  'null as an item': {
    override: { env: [null] },
    Merge: [`~.env[0]: ${NULL}`],
    Strategic: [
      '~.env[0]: null cannot remove an item of this list; use overrideType: Merge and list the items to keep (FieldValueInvalid)',
    ],
  },
  'null as an item of a list without keys': {
    override: { args: [[null]] },
    Merge: [`~.args[0][0]: ${NULL}`],
    Strategic: [`~.args[0][0]: ${NULL}`],
  },
  'nothing in null within an item, which is left out (D8)': {
    override: { env: [{ ...A, value: null }] },
    Merge: [],
    Strategic: [],
  },
  'one name twice': {
    override: { env: [A, A] },
    Merge: ['~.env[1].name: duplicate of [0] (name "A"); remove one of them (FieldValueDuplicate)'],
    Strategic: ['~.env[1].name: duplicate of [0] (name "A"); remove one of them (FieldValueDuplicate)'],
  },
  'one port twice, at the item, because the key has two members': {
    override: { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] },
    Merge: [
      '~.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"); remove one of them (FieldValueDuplicate)',
    ],
    Strategic: [
      '~.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"); remove one of them (FieldValueDuplicate)',
    ],
  },
  'an item without its key': {
    override: { env: [{ value: 'x' }] },
    Merge: [],
    Strategic: ['~.env[0].name: required (FieldValueRequired)'],
  },
  'an item that is not an object': {
    override: { env: ['A'] },
    Merge: [],
    Strategic: ['~.env[0]: expected object, got "A" (FieldValueTypeInvalid)'],
  },
  'two members of a union': {
    override: { env: [{ ...A, value: 'x', valueFrom: FROM }] },
    Merge: [],
    Strategic: ['~.env[0].valueFrom: cannot be set together with value; remove one of them (FieldValueInvalid)'],
  },
  'a member that belongs to another type': {
    override: { type: 'Recreate', rollingUpdate: {} },
    Merge: [],
    Strategic: [
      '~.rollingUpdate: can be set only with type RollingUpdate, got "Recreate"; remove one of them (FieldValueInvalid)',
    ],
  },
}

describe('unmergeable', () => {
  for (const [sentence, { override, ...expected }] of Object.entries(cases))
    for (const type of ['Merge', 'Strategic'] as const)
      it(`reports ${sentence} (${type})`, () => expect(errors(override, type)).to.deep.equal(expected[type]))
})

describe('describeKeys', () => {
  it('names each key with its value or its default', () => {
    const keys = [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }]
    expect(describeKeys({ containerPort: 80 }, keys)).to.equal('containerPort 80, protocol "TCP"')
  })
})
