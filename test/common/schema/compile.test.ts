import { Ajv, type AnySchema } from 'ajv'
import { expect } from 'chai'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { findDuplicates } from '../../../common/override/shape.ts'
import { type Compiles, shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'
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

describe('compile, for a whole spec', () => {
  const whole = (spec: JsonObject) =>
    schema.checkWhole(spec).map(({ field, message, path }) => `${field} [${path.length}]: ${message}`)
  const complete = { selector: {}, ...pod({ containers: [{ name: 'cart', image: 'x' }] }) }

  it('accepts a complete spec', () => expect(whole(complete)).to.deep.equal([]))

  it('requires every required field, and refuses null', () => {
    const spec = pod({ affinity: { deep: {} }, terminationGracePeriodSeconds: null, shareProcessNamespace: true })
    expect(whole(spec)).to.deep.equal([
      'spec.selector [1]: required',
      'spec.template.spec.containers [3]: required',
      'spec.template.spec.affinity.deep.key [5]: required',
      'spec.template.spec.terminationGracePeriodSeconds [3]: expected integer, got null',
    ])
  })

  it('finds duplicates, quantities and misspelt fields as in an override', () => {
    const spec = container({ env: [{ name: 'A' }, { name: 'A' }], imge: 1, resources: { limits: { cpu: '1O0m' } } })
    expect(whole({ ...complete, ...spec }).map((line) => line.split(' ')[0])).to.deep.equal(
      ['env[1].name', 'imge', 'resources.limits.cpu'].map((path) => `spec.template.spec.containers[0].${path}`),
    )
  })
})

describe('shapeOf', () => {
  const schema = deploymentSchema()

  it('knows the keys of lists, and does not take a zero value for the default of a key', () => {
    const containers = schema.shape.member('template').member('spec').member('containers')
    const item = containers.items()
    expect(containers.keys).to.deep.equal([{ key: 'name' }])
    expect(item.member('ports').keys).to.deep.equal([{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }])
    expect(item.member('args').keys).to.deep.equal([])
    expect(item.member('nobody knows').member('this').items().keys).to.deep.equal([])
    expect(schema.shape.member('strategy').unions).to.deep.equal([
      { is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' },
    ])
  })

  it('N22: takes an empty text for the key of an item that need not have it, as of imagePullSecrets', () => {
    const items = { type: 'object', properties: { name: { type: 'string', default: '' } } }
    const list = { type: 'array', items, 'x-kubernetes-list-map-keys': ['name'] }
    const { keys } = shapeOf(transform({}, { type: 'object', properties: { list } })).member('list')
    expect(keys).to.deep.equal([{ key: 'name', fallback: '' }])
    expect(findDuplicates([{}, { name: 'a' }, { name: '' }], keys)).to.deep.equal([{ index: 2, earlier: 0 }])
  })

  it('follows a schema that refers to itself, and gives equal places the same shape', () => {
    const self = { $ref: '#/components/schemas/Self' }
    const shape = shapeOf(transform({ Self: { type: 'object', properties: { self, other: self } } }, self))
    expect(shape.member('self').member('self')).to.equal(shape.member('other'))
  })

  it('gives every member of a map the shape of its values', () => {
    const keyed = { type: 'array', items: {}, 'x-kubernetes-list-map-keys': ['name'] }
    const shape = shapeOf(transform({}, { type: 'object', additionalProperties: keyed }))
    expect(shape.member('any').keys).to.deep.equal([{ key: 'name' }])
  })
})
