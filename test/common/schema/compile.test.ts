import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const findings = (overrideSpec: JsonObject, type: OverrideType = 'Merge'): string[] =>
  schema.check(overrideSpec, type).map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`)

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })
const C = '~.template.spec.containers[0]'

const accepted: Record<string, JsonObject> = {
  'nothing at all': {},
  'a part without what the whole requires': pod({ terminationGracePeriodSeconds: 5 }),
  'null for a known field, which removes it': pod({ affinity: null, containers: null }),
  'null for a label, which removes it': { template: { metadata: { labels: { app: null } } } },
  'an int or string as an integer': { strategy: { rollingUpdate: { maxSurge: 1 } } },
  'an int or string as a string': { strategy: { rollingUpdate: { maxSurge: '10%' } } },
  'a quantity as a string': container({ resources: { limits: { cpu: '500m', memory: '1.5Gi' } } }),
  'a quantity as a number': container({ resources: { limits: { cpu: 0.5 } } }),
  'unknown fields where the schema preserves them': container({ extension: { b: 1 } }),
  'one port under two protocols': container({
    ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }],
  }),
}

const refused: Record<string, readonly [JsonObject, ...string[]]> = {
  'a misspelt field': [container({ imge: 'x' }), `${C}.imge: unknown field; did you mean "image"?`],
  'another case': [container({ IMAGE: 'x' }), `${C}.IMAGE: unknown field; did you mean "image"?`],
  'a field unlike any': [{ strategy: { zzz: 1 } }, '~.strategy.zzz: unknown field; known here: rollingUpdate, type'],
  'a field that is set elsewhere is not offered': [
    { zzz: 1 },
    '~.zzz: unknown field; known here: minReadySeconds, strategy, template',
  ],
  'a field too far up': [{ containers: [] }, '~.containers: unknown field; it belongs in template.spec'],
  'a field too far up by a list': [
    pod({ imagePullPolicy: 'Always' }),
    '~.template.spec.imagePullPolicy: unknown field; it belongs in template.spec.containers[]',
  ],
  'a field too far down': [
    container({ affinity: {}, minReadySeconds: 3 }),
    `${C}.affinity: unknown field; it belongs in template.spec`,
    `${C}.minReadySeconds: unknown field; it belongs in overrideSpec itself`,
  ],
  'a field too far down that is set elsewhere': [
    { template: { replicas: 3 } },
    '~.template.replicas: unknown field; known here: metadata, spec',
  ],
  'a field that is set elsewhere, misspelt, in the words of the rule that refuses it': [
    { replica: 3, selecter: {} },
    '~.replica: unknown field; if "replicas" is meant: not here; set spec.replicas',
    '~.selecter: unknown field; if "selector" is meant: the experiment selects its pods by a label of its own; remove this',
  ],
  'another case of it likewise': [
    { Replicas: 3 },
    '~.Replicas: unknown field; if "replicas" is meant: not here; set spec.replicas',
  ],
  'containers for debugging, misspelt': [
    pod({ ephemeralContainer: [] }),
    '~.template.spec.ephemeralContainer: unknown field; if "ephemeralContainers" is meant: only pods have these; use kubectl debug on a pod',
  ],
  'containers for debugging elsewhere, and does not send them to where they are refused': [
    { template: { ephemeralContainers: [] } },
    '~.template.ephemeralContainers: unknown field; known here: metadata, spec',
  ],
  'a name for pods, misspelt': [
    { template: { metadata: { nam: 'x' } } },
    '~.template.metadata.nam: unknown field; if "name" is meant: only labels and annotations can be set here; remove this',
  ],
  'a field of the metadata that is unlike any, and offers labels and annotations alone': [
    { template: { metadata: { zzz: 'x' } } },
    '~.template.metadata.zzz: unknown field; known here: labels, annotations',
  ],
  'a bare value for metadata likewise': [
    { template: { metadata: 'x' } },
    '~.template.metadata: expected object, got string "x"; known here: labels, annotations',
  ],
  'a name too far up, and does not send it to the metadata of pods': [
    { template: { generateName: 'x' } },
    '~.template.generateName: unknown field; known here: metadata, spec',
  ],
  'a fraction for a whole number, once': [
    { minReadySeconds: 1.5 },
    '~.minReadySeconds: expected integer, got number 1.5',
  ],
  'a bare value for an object': [
    container({ ports: [8080] }),
    `${C}.ports[0]: expected object, got number 8080; known here: containerPort, name, probe, protocol`,
  ],
  'null for a misspelt field': [
    pod({ afinity: null }),
    '~.template.spec.afinity: unknown field; did you mean "affinity"?',
  ],
  'text for a number': [
    pod({ terminationGracePeriodSeconds: '30s' }),
    '~.template.spec.terminationGracePeriodSeconds: expected integer, got string "30s"; write 30',
  ],
  'a number in quotes': [
    { minReadySeconds: '3' },
    '~.minReadySeconds: expected integer, got string "3"; remove the quotes',
  ],
  'a boolean in quotes': [
    pod({ shareProcessNamespace: 'true' }),
    '~.template.spec.shareProcessNamespace: expected boolean, got string "true"; remove the quotes',
  ],
  'a number for text': [
    container({ env: [{ name: 'PORT', value: 8080 }] }),
    `${C}.env[0].value: expected string, got number 8080; quote it`,
  ],
  'a list for text': [container({ image: ['x'] }), `${C}.image: expected string, got list; write its item alone`],
  'a map for a list': [
    container({ env: { A: 'b' } }),
    `${C}.env: expected list, got object; each item begins with "- "`,
  ],
  'a list for a map': [{ template: [] }, '~.template: expected object, got list; known here: metadata, spec'],
  'a boolean for an int or string': [
    { strategy: { rollingUpdate: { maxSurge: true } } },
    '~.strategy.rollingUpdate.maxSurge: expected integer or string, got boolean true',
  ],
  'an unknown word': [
    container({ imagePullPolicy: 'Sometimes' }),
    `${C}.imagePullPolicy: unsupported value "Sometimes"; one of: Always, IfNotPresent, Never`,
  ],
  'an item without what it requires, for items replace': [pod({ containers: [{ image: 'x' }] }), `${C}.name: required`],
  'items without their key as that, not as duplicates of each other': [
    container({ env: [{ value: 'a' }, { value: 'b' }] }),
    `${C}.env[0].name: required`,
    `${C}.env[1].name: required`,
  ],
  'a field that has its place elsewhere, but not below here': [
    { strategy: { labels: {} } },
    '~.strategy.labels: unknown field; known here: rollingUpdate, type',
  ],
  'one mistake once, though what is misspelt is also missing': [
    pod({ containers: [{ nam: 'cart' }] }),
    `${C}.nam: unknown field; did you mean "name"?`,
  ],
  'null among items': [
    pod({ containers: [null] }),
    `${C}: expected object, got null; inside a list null removes nothing, leave this out`,
  ],
  'null within an item': [
    container({ image: null }),
    `${C}.image: expected string, got null; inside a list null removes nothing, leave this out`,
  ],
  'a name twice': [
    container({ env: [{ name: 'A' }, { name: 'A', value: 'b' }] }),
    `${C}.env[1].name: duplicate of [0] (name "A")`,
  ],
  'a port twice, once by its default': [
    container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }),
    `${C}.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP")`,
  ],
  'a quantity with a letter for a digit': [
    container({ resources: { limits: { cpu: '1O0m' } } }),
    `${C}.resources.limits.cpu: expected a quantity such as 500m or 1Gi, got "1O0m"; did you mean "100m"?`,
  ],
  'a number beyond int32': [
    { minReadySeconds: 2 ** 31 },
    '~.minReadySeconds: expected int32, from -2147483648 to 2147483647, got 2147483648',
  ],
  'a date that is none': [
    pod({ since: 'soon' }),
    '~.template.spec.since: expected date-time such as 2026-11-21T14:05:00Z, got "soon"',
  ],
  'all mistakes at once, in the order of the document': [
    { template: { spec: { zzz: 1, containers: [{ name: 'a', image: 1 }] } }, minReadySeconds: true, afoo: 1 },
    '~.template.spec.zzz: unknown field; known here: affinity, containers, securityContext, shareProcessNamespace, since, terminationGracePeriodSeconds',
    `${C}.image: expected string, got number 1; quote it`,
    '~.minReadySeconds: expected integer, got boolean true',
    '~.afoo: unknown field; known here: minReadySeconds, strategy, template',
  ],
}

describe('a compiled schema', () => {
  for (const [sentence, override] of Object.entries(accepted))
    it(`accepts ${sentence}`, () => expect(findings(override)).to.deep.equal([]))
  for (const [sentence, [override, ...expected]] of Object.entries(refused))
    it(`refuses ${sentence}`, () => expect(findings(override)).to.deep.equal(expected))

  it('never changes what it judges', () => {
    const override = pod({ containers: [{ name: 'a', env: [{ name: 'A' }, { name: 'A' }] }], affinity: null })
    const before = structuredClone(override)
    schema.check(override, 'Merge')
    expect(override).to.deep.equal(before)
  })

  it('finds a thousand mistakes of a hostile override, and guesses what was meant for the first 200 only', () => {
    const hostile = pod(Object.fromEntries(Array.from({ length: 4_990 }, (_, at) => [`afinity${at % 10}${at}`, 1])))
    const found = schema.check(hostile, 'Merge').map(({ message }) => message)
    expect(found).to.have.length(1_000)
    expect(found.filter((message) => message.startsWith('unknown field'))).to.have.length(200)
  })

  it('tells a list index from a key that is a number', () => {
    const override = { template: { metadata: { labels: { '0': 1 } } } }
    expect(findings(override)).to.deep.equal([
      '~.template.metadata.labels["0"]: expected string, got number 1; quote it',
    ])
  })

  describe('under Strategic', () => {
    const strategic = (override: JsonObject) => findings(override, 'Strategic')
    it('wants of an item of a keyed list only its keys, and lets null remove members of it', () => {
      expect(strategic(container({ image: null, env: [{ name: 'A', value: null }] }))).to.deep.equal([])
    })

    it('wants whole items in lists that replace', () => {
      expect(strategic(container({ args: [null] }))).to.deep.equal([
        `${C}.args[0]: expected string, got null; inside a list null removes nothing, leave this out`,
      ])
    })

    it('refuses an item without its key', () => {
      expect(strategic(pod({ containers: [{ image: 'x' }] }))).to.deep.equal([`${C}.name: required`])
    })

    it('refuses a null for an item and for its key', () => {
      expect(strategic(pod({ containers: [null, { name: null }] }))).to.deep.equal([
        `${C}: null removes no item of this list; use overrideType: Merge and repeat what must stay`,
        '~.template.spec.containers[1].name: items are told apart by it, so null cannot remove it; give its value',
      ])
    })

    it('finds misspelt fields and one key twice as under Merge', () => {
      const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
      expect(strategic(container({ imge: 'x', ports }))).to.deep.equal([
        `${C}.imge: unknown field; did you mean "image"?`,
        `${C}.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP")`,
      ])
    })
  })

  it('tells which lists merge by key, and that a zero value is no default of one', () => {
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
})
