import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })

const told = (overrideSpec: JsonObject): readonly string[] =>
  schema.check(overrideSpec, 'Merge').map(({ field, message }) => `${field.split('.').at(-1)}: ${message}`)

const cases: Record<string, readonly [JsonObject, ...string[]]> = {
  'one letter wrong': [container({ imag: 'x' }), 'imag: unknown field; did you mean "image"?'],
  'only the last word, also of a required field': [
    container({ ports: [{ port: 80 }] }),
    'port: unknown field; did you mean "containerPort"?',
  ],
  'a place above': [
    container({ probe: { image: 'x', port: 80 } }),
    'image: unknown field; it belongs in template.spec.containers[]',
  ],
  'a place below': [pod({ limits: {} }), 'limits: unknown field; it belongs in template.spec.containers[].resources'],
  'a longer or shorter name of this object': [
    { updateStrategy: {} },
    'updateStrategy: unknown field; did you mean "strategy"?',
  ],
  'a place beside': [pod({ annotations: {} }), 'annotations: unknown field; it belongs in template.metadata'],
  'two letters wrong': [container({ inagee: 'x' }), 'inagee: unknown field; did you mean "image"?'],
  'nothing known': [{ strategy: { zzz: 1 } }, 'zzz: unknown field; valid fields: rollingUpdate, type'],
}

describe('an unknown field', () => {
  for (const [sentence, [override, ...expected]] of Object.entries(cases))
    it(`M9: may mean ${sentence}`, () => expect(told(override)).to.deep.equal(expected))
})
