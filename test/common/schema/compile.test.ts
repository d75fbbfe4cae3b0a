import { Ajv, type AnySchema } from 'ajv'
import { expect } from 'chai'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { Compiles } from '../../../common/schema/compile.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const findings = (overrideSpec: JsonObject, type: OverrideType = 'Merge'): string[] =>
  schema.check(overrideSpec, type).map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`)

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })
const C = '~.template.spec.containers[0]'

const accepted: Record<string, JsonObject> = {
  'an empty override': {},
  'an object without its required fields': pod({ terminationGracePeriodSeconds: 5 }),
  'null for a known field': pod({ affinity: null, containers: null }),
  'null for a label': { template: { metadata: { labels: { app: null } } } },
  'an integer where an integer or a text is expected': { strategy: { rollingUpdate: { maxSurge: 1 } } },
  'a text where an integer or a text is expected': { strategy: { rollingUpdate: { maxSurge: '10%' } } },
  'a quantity as a string': container({ resources: { limits: { cpu: '500m', memory: '1.5Gi' } } }),
  'a quantity as a number': container({ resources: { limits: { cpu: 0.5 } } }),
  'unknown fields where the schema preserves them': container({ extension: { b: 1 } }),
  'one port with two protocols': container({
    ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }],
  }),
}

describe('compile', () => {
  for (const [sentence, override] of Object.entries(accepted))
    it(`accepts ${sentence}`, () => expect(findings(override)).to.deep.equal([]))
  it('refuses an unknown field', () =>
    expect(findings(container({ imge: 'x' }))).to.deep.equal([`${C}.imge: unknown field; did you mean "image"?`]))

  describe('compiles', () => {
    const { compile } = Ajv.prototype
    const compiled = new Set<AnySchema>()
    const noted = function (this: Ajv, schema: AnySchema) {
      compiled.add(schema)
      return compile.call(this, schema)
    }
    beforeEach(() => {
      compiled.clear()
      Object.assign(Ajv.prototype, { compile: noted })
    })
    afterEach(() => Object.assign(Ajv.prototype, { compile }))

    const SPECS = [{}, pod({ affinity: null }), container({ image: 'x' }), container({ image: 'y' })]
    /** The numbers of definitions that were compiled: at first, and after the check of each spec. */
    const counts = (compiles: Compiles): readonly number[] => {
      const { check } = deploymentSchema(compiles)
      const counted = [compiled.size]
      for (const spec of SPECS) {
        check(spec, 'Merge')
        counted.push(compiled.size)
      }
      return counted
    }

    it('a definition when a value first needs it', () => {
      const [first, ofNothing, ofPod = 0, ofContainer, again] = counts('whenUsed')
      expect([first, ofNothing]).to.deep.equal([0, 2]) // the root, which refers to a definition
      expect(ofPod).to.be.greaterThan(2)
      expect(ofContainer).to.be.greaterThan(ofPod)
      expect(again).to.equal(ofContainer)
    })

    it('all definitions at once, where a check must not take longer', () => {
      const [first = 0, ...later] = counts('now')
      expect(first).to.be.greaterThan(10)
      expect(new Set(later)).to.deep.equal(new Set([first]))
    })
  })

  it('does not change the override', () => {
    const override = pod({ containers: [{ name: 'a', env: [{ name: 'A' }, { name: 'A' }] }], affinity: null })
    const before = structuredClone(override)
    schema.check(override, 'Merge')
    expect(override).to.deep.equal(before)
  })

  it('D8: takes null for a list or an object in an item as absent, but not for a scalar or an item', () => {
    const containers = [{ name: 'a', image: null, env: null, ports: [null], resources: null }]
    expect(findings(pod({ containers }), 'Merge')).to.deep.equal([
      `${C}.image: expected string, got null; null is not allowed inside a list, remove this`,
      `${C}.ports[0]: expected object, got null; null is not allowed inside a list, remove this`,
    ])
  })

  describe('under Strategic', () => {
    const strategic = (override: JsonObject) => findings(override, 'Strategic')
    it('requires only the keys of an item of a keyed list, and accepts null for its other members', () => {
      expect(strategic(container({ image: null, env: [{ name: 'A', value: null }] }))).to.deep.equal([])
    })

    it('requires complete items in lists that are replaced', () => {
      expect(strategic(container({ args: [null] }))).to.deep.equal([
        `${C}.args[0]: expected string, got null; null is not allowed inside a list, remove this`,
      ])
    })

    it('refuses an item without its key', () => {
      expect(strategic(pod({ containers: [{ image: 'x' }] }))).to.deep.equal([`${C}.name: required`])
    })

    it('refuses null for an item and for its key', () => {
      expect(strategic(pod({ containers: [null, { name: null }] }))).to.deep.equal([
        `${C}: null cannot remove an item of this list; use overrideType: Merge and list the items to keep`,
        '~.template.spec.containers[1].name: identifies the item and cannot be null; set its value',
      ])
    })

    it('refuses misspelt fields and duplicate keys as Merge does', () => {
      const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
      expect(strategic(container({ imge: 'x', ports }))).to.deep.equal([
        `${C}.imge: unknown field; did you mean "image"?`,
        `${C}.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"); remove one of them`,
      ])
    })
  })
})
