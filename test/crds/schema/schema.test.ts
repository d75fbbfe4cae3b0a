import { expect } from 'chai'
import {
  amount,
  anyNumber,
  anyObject,
  anyText,
  arrayOf,
  countOrText,
  flag,
  integer,
  map,
  narrowed,
  number,
  object,
  optional,
  type Structure,
  syntax,
  text,
  time,
  whole,
  word,
} from '../../../common/json/structure.ts'
import { type Note, schemaOf } from '../../../crds/schema/schema.ts'

const RULE = { rule: 'self.size() > 0', message: 'is empty; fill it' }

describe('the schema of a structure', () => {
  const scalars: readonly (readonly [structure: Structure, schema: object])[] = [
    [text(3), { type: 'string', minLength: 1, maxLength: 3 }],
    [word(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [whole(0, 8), { type: 'integer', format: 'int32', minimum: 0, maximum: 8 }],
    [amount, { type: 'integer', format: 'int64', minimum: 0 }],
    [number(0, 1), { type: 'number', format: 'double', minimum: 0, maximum: 1 }],
    [anyNumber, { type: 'number', format: 'double' }],
    [flag, { type: 'boolean' }],
    [time, { type: 'string', format: 'date-time' }],
    [anyText(), { type: 'string' }],
    [anyText(3), { type: 'string', maxLength: 3 }],
    [
      syntax(3, '^a*$', 'all a'),
      {
        ...{ type: 'string', minLength: 1, maxLength: 3 },
        'x-kubernetes-validations': [{ rule: 'self.matches("^a*$")', message: 'must be all a' }],
      },
    ],
    [integer('int32'), { type: 'integer', format: 'int32' }],
    [integer('int64', 1, 8), { type: 'integer', format: 'int64', minimum: 1, maximum: 8 }],
    [
      countOrText('an x', 2, '^a*$', 8),
      {
        ...{ 'x-kubernetes-int-or-string': true, minimum: 0, maximum: 8, maxLength: 2 },
        'x-kubernetes-validations': [
          { rule: 'type(self) == int || string(self).matches("^a*$")', message: 'must be an x' },
        ],
      },
    ],
    [narrowed(anyText(), word(['a'])), { type: 'string', enum: ['a'] }],
    [map(anyText()), { type: 'object', additionalProperties: { type: 'string' } }],
  ]
  for (const [structure, schema] of scalars)
    it(`is ${JSON.stringify(schema)}`, () =>
      expect(schemaOf(structure, 'About it.')).to.deep.equal({ description: 'About it.', ...schema }))

  it('says in a rule what a pattern means, because its message can name the remedy', () =>
    expect(schemaOf(text(3, '^"\\d$', 'a digit'), '')).to.deep.equal({
      type: 'string',
      maxLength: 3,
      'x-kubernetes-validations': [{ rule: 'self.matches("^\\"\\\\d$")', message: 'must be a digit' }],
    }))

  it('lets a text in place of a number pass, so that a rule can say what to write', () =>
    expect(schemaOf(whole(0, 8), { about: '', insteadOfText: 'must be a number' })).to.deep.equal({
      ...{ 'x-kubernetes-int-or-string': true, minimum: 0, maximum: 8, maxLength: 64 },
      'x-kubernetes-validations': [{ rule: 'type(self) in [int]', message: 'must be a number' }],
    }))

  it('checks a bound that is no whole number by a rule too', () =>
    expect(schemaOf(number(0.01, 1), '')).to.deep.include({
      'x-kubernetes-validations': [{ rule: 'self >= 0.01', message: 'must be 0.01 to 1; raise it' }],
    }))

  const PET = object<{ name: string; tags?: object; toys?: readonly { name: string }[]; legs?: number }>({
    name: text(3),
    tags: optional(map(text(3), 2)),
    toys: optional(arrayOf(object<{ name: string }>({ name: text(3, '^a*$', 'all a') }), 2, 1)),
    legs: optional(whole(0, 8), 4),
  })
  const members = {
    name: 'Its name.',
    tags: { about: 'Its tags.', rules: [RULE] },
    toys: { about: 'Its toys.', keys: ['name'], itemRules: [RULE], members: { name: 'The name.' } },
    legs: 'Its legs.',
  }
  const toys = (item: object) => ({
    description: 'Its toys.',
    ...{ type: 'array', minItems: 1, maxItems: 2 },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    items: {
      type: 'object',
      required: ['name'],
      ...item,
    },
  })

  it('has members, their defaults and their rules', () =>
    expect(schemaOf(PET, { about: 'A pet.', rules: [RULE], members })).to.deep.equal({
      description: 'A pet.',
      type: 'object',
      required: ['name'],
      'x-kubernetes-validations': [RULE],
      properties: {
        name: { description: 'Its name.', type: 'string', minLength: 1, maxLength: 3 },
        tags: {
          description: 'Its tags.',
          ...{ type: 'object', maxProperties: 2, 'x-kubernetes-validations': [RULE] },
          additionalProperties: { type: 'string', minLength: 1, maxLength: 3 },
        },
        toys: toys({
          'x-kubernetes-validations': [RULE],
          properties: {
            name: {
              description: 'The name.',
              ...{ type: 'string', maxLength: 3 },
              'x-kubernetes-validations': [{ rule: 'self.matches("^a*$")', message: 'must be all a' }],
            },
          },
        }),
        legs: { description: 'Its legs.', type: 'integer', format: 'int32', minimum: 0, maximum: 8, default: 4 },
      },
    }))

  it('N9: keeps an object as it is applied where its note says so', () => {
    const atomic = { 'x-kubernetes-map-type': 'atomic' }
    const tags = { about: 'Its tags.', isAtomic: true }
    const schema = schemaOf(PET, { about: 'A pet.', isAtomic: true, members: { ...members, tags } })
    expect(schema).to.include(atomic)
    expect(schema).to.have.nested.property('properties.tags').that.includes(atomic)
    expect(JSON.stringify(schemaOf(PET, { about: 'A pet.', members }))).to.not.include('map-type')
  })

  it('has no rules for what only the program writes', () => {
    const schema = schemaOf(PET, { about: 'A pet.', rules: [RULE], members }, { withoutRules: true })
    expect(JSON.stringify(schema)).not.to.include('x-kubernetes-validations')
    expect(schema).to.have.nested.property('properties.toys.items.properties.name.maxLength', 3)
  })

  it('treats a list without keys as one value', () =>
    expect(schemaOf(arrayOf(anyNumber, 9), 'Numbers.')).to.deep.equal({
      description: 'Numbers.',
      ...{ type: 'array', maxItems: 9, 'x-kubernetes-list-type': 'atomic' },
      items: { type: 'number', format: 'double' },
    }))

  it('has what its note says about lists, null and members that are refused', () => {
    const numbers = arrayOf(anyNumber)
    const schema = schemaOf(numbers, { about: 'Numbers.', keys: 'set', isNullable: true })
    expect(schema).to.include({ nullable: true, 'x-kubernetes-list-type': 'set' }).and.not.have.property('maxItems')
    expect(schemaOf(numbers, { about: 'Numbers.', keys: 'unsaid' })).not.to.have.property('x-kubernetes-list-type')
    const refused = { wings: { type: 'integer' } }
    expect(schemaOf(PET, { about: 'A pet.', members, refused }))
      .to.have.property('properties')
      .that.has.keys('name', 'tags', 'toys', 'legs', 'wings')
  })

  it('says in a rule what to do where a member is absent, in place of the words of the API server', () => {
    const name = { about: 'Its name.', whenAbsent: 'give it a name' }
    const schema = schemaOf(PET, { about: 'A pet.', rules: [RULE], members: { ...members, name } })
    expect(schema).not.to.have.property('required')
    const rule = { rule: 'has(self.name)', fieldPath: '.name', reason: 'FieldValueRequired', message: 'give it a name' }
    expect(schema['x-kubernetes-validations']).to.deep.equal([rule, RULE])
  })

  it('comes from its note where somebody else checks the object', () => {
    expect(schemaOf(anyObject, { about: 'Any.', schema: { type: 'object' } })).to.deep.equal({
      description: 'Any.',
      type: 'object',
    })
    expect(() => schemaOf(anyObject, 'Any.')).to.throw('needs a schema in its note')
  })

  it('needs a description of every member, and of no other', () => {
    const described = (of: Readonly<Record<string, Note>>) => () => schemaOf(PET, { about: 'A pet.', members: of })
    expect(described({ name: 'Its name.' })).to.throw('the schema of tags has no description')
    expect(described({ ...members, wings: 'Its wings.' })).to.throw('the description of wings is about no member')
  })
})
