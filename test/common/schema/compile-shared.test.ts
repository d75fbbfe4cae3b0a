import { Ajv } from 'ajv'
import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { type Compiles, schemaCompiler } from '../../../common/schema/compile.ts'
import { APPS_V1 } from './openapi.ts'

const { schemas } = APPS_V1.components
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withPorts = (ports: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', ...ports }] } },
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
          compile({ hash: root, schemas: OTHER, root: ref(root) }).checkWhole(withPorts({ image: 'x' }))
      })
      const apart = ['Spec', 'Other'].map((root) =>
        compiledBy(() =>
          schemaCompiler(compiles)({ hash: root, schemas: OTHER, root: ref(root) }).checkWhole(
            withPorts({ image: 'x' }),
          ),
        ),
      )
      expect(shared).to.be.lessThan(Math.max(...apart) + Math.min(...apart) / 2)
    })

  it('keep apart what has one name and differs', () => {
    const compile = schemaCompiler()
    const ofPort = (type: string) => ({ ...schemas, Port: { type: 'object', properties: { containerPort: { type } } } })
    const [numbers, texts] = ['integer', 'string'].map((type) =>
      compile({ hash: type, schemas: ofPort(type), root: ref('Spec') }),
    )
    const refused = (containerPort: number | string) =>
      [numbers, texts].map((schema) => schema?.check(withPorts({ ports: [{ containerPort }] }), 'Merge').length)
    expect([refused(80), refused('http')]).to.deep.equal([
      [0, 1],
      [1, 0],
    ])
  })
})
