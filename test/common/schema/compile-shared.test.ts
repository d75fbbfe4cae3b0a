import { Ajv } from 'ajv'
import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { type Compiles, schemaCompiler } from '../../../common/schema/compile.ts'
import { APPS_V1 } from './openapi.ts'

const { schemas } = APPS_V1.components
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withContainer = (members: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', ...members }] } },
})

/** How many functions ajv makes while `work` is done. */
function compiledBy(work: () => void): number {
  const { compile } = Ajv.prototype
  const made = new Set<unknown>()
  Object.assign(Ajv.prototype, {
    compile(this: Ajv, ...of: Parameters<Ajv['compile']>) {
      const validate = Reflect.apply(compile, this, of)
      made.add(validate)
      return validate
    },
  })
  try {
    work()
  } finally {
    Object.assign(Ajv.prototype, { compile })
  }
  return made.size
}

describe('the schemas of one compiler', () => {
  /** Another kind, whose pods are those of the first one. */
  const OTHER = { ...schemas, Other: { type: 'object', properties: { template: ref('Template') } } }

  for (const compiles of ['now', 'whenUsed'] satisfies readonly Compiles[])
    it(`share what they have in common: ${compiles}`, () => {
      const shared = compiledBy(() => {
        const compile = schemaCompiler(compiles)
        for (const root of ['Spec', 'Other'])
          compile({ hash: root, schemas: OTHER, root: ref(root) }).checkWhole(withContainer({ image: 'x' }))
      })
      const apart = ['Spec', 'Other'].map((root) =>
        compiledBy(() =>
          schemaCompiler(compiles)({ hash: root, schemas: OTHER, root: ref(root) }).checkWhole(
            withContainer({ image: 'x' }),
          ),
        ),
      )
      expect(shared).to.be.lessThan(Math.max(...apart) + Math.min(...apart) / 2)
    })

  for (const compiles of ['now', 'whenUsed'] satisfies readonly Compiles[])
    it(`keep apart what has one name and differs: ${compiles}`, () => {
      const compile = schemaCompiler(compiles)
      const ofPort = (type: string) => ({
        ...schemas,
        Port: { type: 'object', properties: { containerPort: { type } } },
      })
      const [numbers, texts] = ['integer', 'string'].map((type) =>
        compile({ hash: type, schemas: ofPort(type), root: ref('Spec') }),
      )
      const refused = (containerPort: number | string) =>
        [numbers, texts].map((schema) => schema?.check(withContainer({ ports: [{ containerPort }] }), 'Merge').length)
      const answers = [80, 'http', 80].map(refused)
      expect(answers).to.deep.equal([
        [0, 1],
        [1, 0],
        [0, 1],
      ])
    })
})

describe('a schema without references, in which objects are large', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, { type: 'string' }]))
  const large = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, ...many } }
  const list = { type: 'array', items: large, 'x-kubernetes-list-map-keys': ['name'] }
  const schema = schemaCompiler()({
    hash: 'large',
    schemas: {},
    root: { type: 'object', properties: { one: large, list, plain: { type: 'array', items: large } } },
  })
  const told = (found: readonly { readonly field: string; readonly message: string }[]) =>
    found.map(({ field, message }) => `${field}: ${message}`)

  it('is told as one with references', () => {
    const document = { one: { fild3: 'x', field4: 5 }, list: [{ field1: 'x' }], plain: [{ field2: null }] }
    const O = 'spec.overrideSpec'
    const ofOne = [
      `${O}.one.fild3: unknown field; did you mean "field3"?`,
      `${O}.one.field4: expected string, got number 5; put it in quotes`,
    ]
    const ofLists = [
      `${O}.list[0].name: required`,
      `${O}.plain[0].name: required`,
      `${O}.plain[0].field2: expected string, got null; null is not allowed inside a list, remove this`,
    ]
    for (const type of ['Merge', 'Strategic'] as const)
      expect(told(schema.check(document, type))).to.deep.equal([...ofOne, ...ofLists])
    expect(told(schema.checkWhole(document)).slice(0, 1)).to.deep.equal(['spec.one.name: required'])
    expect(schema.shape.member('list').keys).to.deep.equal([{ key: 'name' }])
  })
})
