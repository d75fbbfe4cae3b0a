import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const errors = (overrideSpec: JsonObject): string[] =>
  schema
    .check(overrideSpec, 'Merge')
    .map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`)

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })
const C = '~.template.spec.containers[0]'

const refused: Record<string, readonly [JsonObject, ...string[]]> = {
  'a text for the metadata, and lists labels and annotations only': [
    { template: { metadata: 'x' } },
    '~.template.metadata: expected object, got string "x"; valid fields: labels, annotations',
  ],
  'a fraction where an integer is expected, once': [
    { minReadySeconds: 1.5 },
    '~.minReadySeconds: expected integer, got number 1.5',
  ],
  'a number where an object is expected': [
    container({ ports: [8080] }),
    `${C}.ports[0]: expected object, got number 8080; valid fields: containerPort, name, probe, protocol`,
  ],
  'a duration where a number is expected': [
    pod({ terminationGracePeriodSeconds: '30s' }),
    '~.template.spec.terminationGracePeriodSeconds: expected integer, got string "30s"; use 30',
  ],
  'a number in quotes': [
    { minReadySeconds: '3' },
    '~.minReadySeconds: expected integer, got string "3"; remove the quotes',
  ],
  'a boolean in quotes': [
    pod({ shareProcessNamespace: 'true' }),
    '~.template.spec.shareProcessNamespace: expected boolean, got string "true"; remove the quotes',
  ],
  'a number in quotes where a boolean is expected': [
    pod({ shareProcessNamespace: '1' }),
    '~.template.spec.shareProcessNamespace: expected boolean, got string "1"',
  ],
  'a number where a text is expected': [
    container({ env: [{ name: 'PORT', value: 8080 }] }),
    `${C}.env[0].value: expected string, got number 8080; put it in quotes`,
  ],
  'a list where a text is expected': [
    container({ image: ['x'] }),
    `${C}.image: expected string, got list; remove the brackets or the "- "`,
  ],
  'an object where a list is expected': [
    container({ env: { A: 'b' } }),
    `${C}.env: expected list, got object; start each item with "- "`,
  ],
  'a list where an object is expected': [
    { template: [] },
    '~.template: expected object, got list; valid fields: metadata, spec',
  ],
  'a boolean where an integer or a text is expected': [
    { strategy: { rollingUpdate: { maxSurge: true } } },
    '~.strategy.rollingUpdate.maxSurge: expected integer or string, got boolean true',
  ],
  'null as an item': [
    pod({ containers: [null] }),
    `${C}: expected object, got null; null is not allowed inside a list, remove this`,
  ],
  'null within an item': [
    container({ image: null }),
    `${C}.image: expected string, got null; null is not allowed inside a list, remove this`,
  ],
}

describe('wrongType', () => {
  for (const [sentence, [override, ...expected]] of Object.entries(refused))
    it(`reports ${sentence}`, () => expect(errors(override)).to.deep.equal(expected))

  it('distinguishes the index of an item from a key that is a number', () => {
    const override = { template: { metadata: { labels: { '0': 1 } } } }
    expect(errors(override)).to.deep.equal([
      '~.template.metadata.labels["0"]: expected string, got number 1; put it in quotes',
    ])
  })
})
