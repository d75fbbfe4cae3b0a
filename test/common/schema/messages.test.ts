import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { schemaCompiler } from '../../../common/schema/compile.ts'
import { isQuantity, suggestQuantity } from '../../../common/schema/messages.ts'
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
  'a misspelt field, and suggests the right one': [
    container({ imge: 'x' }),
    `${C}.imge: unknown field; did you mean "image"?`,
  ],
  'a field in another case': [container({ IMAGE: 'x' }), `${C}.IMAGE: unknown field; did you mean "image"?`],
  'a field that resembles no known one, and lists the valid ones': [
    { strategy: { zzz: 1 } },
    '~.strategy.zzz: unknown field; valid fields: rollingUpdate, type',
  ],
  'an unknown field, without listing banned ones': [
    { zzz: 1 },
    '~.zzz: unknown field; valid fields: minReadySeconds, strategy, template',
  ],
  'a field that belongs deeper': [{ containers: [] }, '~.containers: unknown field; it belongs in template.spec'],
  'a field that belongs in the items of a list': [
    pod({ imagePullPolicy: 'Always' }),
    '~.template.spec.imagePullPolicy: unknown field; it belongs in template.spec.containers[]',
  ],
  'M9: a field that belongs in another object, below or beside': [
    { template: { spec: { runAsUser: 1, labels: {} } } },
    '~.template.spec.runAsUser: unknown field; it belongs in template.spec.securityContext',
    '~.template.spec.labels: unknown field; it belongs in template.metadata',
  ],
  'M9: a field with several places, whose common part is said once': [
    container({ resources: { cpu: 1 } }),
    `${C}.resources.cpu: unknown field; it belongs in template.spec.containers[].resources.limits or requests`,
  ],
  'a field that belongs further up': [
    container({ affinity: {}, minReadySeconds: 3 }),
    `${C}.affinity: unknown field; it belongs in template.spec`,
    `${C}.minReadySeconds: unknown field; it belongs in overrideSpec itself`,
  ],
  'M9: a misspelt field of this object, even if it has a name of another one': [
    container({ port: [] }),
    `${C}.port: unknown field; did you mean "ports"?`,
  ],
  'M9: fields of the experiment, at any level': [
    { template: { replicas: 3 }, ttlSeconds: 60 },
    '~.template.replicas: unknown field; it belongs in spec, beside overrideSpec',
    '~.ttlSeconds: unknown field; it belongs in spec, beside overrideSpec',
  ],
  'a misspelt field that is banned, with the message of the ban': [
    { replica: 3, selecter: {} },
    '~.replica: unknown field; if you mean "replicas": cannot be set here; use spec.replicas',
    '~.selecter: unknown field; if you mean "selector": the fork has its own selector; remove this',
  ],
  'a banned field in another case, with the message of the ban': [
    { Replicas: 3 },
    '~.Replicas: unknown field; if you mean "replicas": cannot be set here; use spec.replicas',
  ],
  'misspelt debug containers, with the message of the ban': [
    pod({ ephemeralContainer: [] }),
    '~.template.spec.ephemeralContainer: unknown field; if you mean "ephemeralContainers": only a running pod can have these; remove this and use kubectl debug',
  ],
  'debug containers in another place, without sending them to where they are banned': [
    { template: { ephemeralContainers: [] } },
    '~.template.ephemeralContainers: unknown field; valid fields: metadata, spec',
  ],
  'a misspelt name for pods, with the message of the ban': [
    { template: { metadata: { nam: 'x' } } },
    '~.template.metadata.nam: unknown field; if you mean "name": only labels and annotations can be set here; remove this',
  ],
  'an unknown field of the metadata, and lists labels and annotations only': [
    { template: { metadata: { zzz: 'x' } } },
    '~.template.metadata.zzz: unknown field; valid fields: labels, annotations',
  ],
  'a name in another place, without sending it to the metadata of pods': [
    { template: { generateName: 'x' } },
    '~.template.generateName: unknown field; valid fields: metadata, spec',
  ],
  'null for a misspelt field': [
    pod({ afinity: null }),
    '~.template.spec.afinity: unknown field; did you mean "affinity"?',
  ],
  'a value that is not one of the allowed ones': [
    container({ imagePullPolicy: 'Sometimes' }),
    `${C}.imagePullPolicy: unsupported value "Sometimes"; valid values: Always, IfNotPresent, Never`,
  ],
  'an item of a replaced list that lacks a required field': [
    pod({ containers: [{ image: 'x' }] }),
    `${C}.name: required`,
  ],
  'items without their key, but not as duplicates of each other': [
    container({ env: [{ value: 'a' }, { value: 'b' }] }),
    `${C}.env[0].name: required`,
    `${C}.env[1].name: required`,
  ],
  'a field that belongs in another branch, without sending it there': [
    { strategy: { labels: {} } },
    '~.strategy.labels: unknown field; valid fields: rollingUpdate, type',
  ],
  'a misspelt required field once, not as missing too': [
    pod({ containers: [{ nam: 'cart' }] }),
    `${C}.nam: unknown field; did you mean "name"?`,
  ],
  'the same name twice': [
    container({ env: [{ name: 'A' }, { name: 'A', value: 'b' }] }),
    `${C}.env[1].name: duplicate of [0] (name "A"); remove one of them`,
  ],
  'the same port twice, once by its default protocol': [
    container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }),
    `${C}.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"); remove one of them`,
  ],
  'a quantity with a letter instead of a digit': [
    container({ resources: { limits: { cpu: '1O0m' } } }),
    `${C}.resources.limits.cpu: expected a quantity such as 500m or 1Gi, got "1O0m"; did you mean "100m"?`,
  ],
  'a number that does not fit into int32': [
    { minReadySeconds: 2 ** 31 },
    '~.minReadySeconds: expected an integer from -2147483648 to 2147483647, got 2147483648',
  ],
  'a text that is not a date': [
    pod({ since: 'soon' }),
    '~.template.spec.since: expected a time such as 2026-11-21T14:05:00Z, got "soon"',
  ],
  'all mistakes at once, in the order of the document': [
    { template: { spec: { zzz: 1, containers: [{ name: 'a', image: 1 }] } }, minReadySeconds: true, afoo: 1 },
    '~.template.spec.zzz: unknown field; valid fields: affinity, containers, securityContext, shareProcessNamespace, since, terminationGracePeriodSeconds',
    `${C}.image: expected string, got number 1; put it in quotes`,
    '~.minReadySeconds: expected integer, got boolean true',
    '~.afoo: unknown field; valid fields: minReadySeconds, strategy, template',
  ],
}

describe('specErrors', () => {
  for (const [sentence, [override, ...expected]] of Object.entries(refused))
    it(`reports ${sentence}`, () => expect(errors(override)).to.deep.equal(expected))

  it('reports at most a thousand mistakes, and explains the first 200 only', () => {
    const hostile = pod(Object.fromEntries(Array.from({ length: 4_990 }, (_, at) => [`afinity${at % 10}${at}`, 1])))
    const found = schema.check(hostile, 'Merge').map(({ message }) => message)
    expect(found).to.have.length(1_000)
    expect(found.filter((message) => message.startsWith('unknown field'))).to.have.length(200)
  })
})

describe('the messages of bounds', () => {
  const bounded = {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 1, maximum: 10 },
      text: { type: 'string', minLength: 2, maxLength: 3 },
      list: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    },
  }
  const root = { $ref: '#/components/schemas/Bounded' }
  const { check } = schemaCompiler()({ hash: 'bounds', schemas: { Bounded: bounded }, root })
  const messages = (overrideSpec: JsonObject) => check(overrideSpec, 'Merge').map(({ message }) => message)

  it('say the bound and the value', () => {
    expect(messages({ count: 0, text: 'a', list: [] })).to.deep.equal([
      'must be at least 1, got 0',
      'must have at least 2 characters, got "a"',
      'must have at least 1 item, got a list of 0',
    ])
    expect(messages({ count: 11, text: 'abcd', list: ['a', 'b', 'c'] })).to.deep.equal([
      'must be at most 10, got 11',
      'must have at most 3 characters, got "abcd"',
      'must have at most 2 items, got a list of 3',
    ])
    expect(messages({ count: 1, text: 'ab', list: ['a'] })).to.deep.equal([])
  })
})

describe('isQuantity', () => {
  for (const text of [
    '1Mi ',
    '1\n',
    '0',
    '1',
    '500m',
    '1.5Gi',
    '.5',
    '5.',
    '-1',
    '+2k',
    '1e3',
    '1E-3',
    '1E',
    '12Ei',
    '100n',
    '3u',
  ])
    it(`accepts ${text}`, () => expect(isQuantity(text)).to.equal(true))
  for (const text of ['', '.', 'm', '1O0m', '1 Gi', '1gi', '1K', '1e', '1e+', '--1', '1.2.3', '0x10'])
    it(`refuses ${JSON.stringify(text)}`, () => expect(isQuantity(text)).to.equal(false))
})

describe('suggestQuantity', () => {
  const meant = { '1O0m': '100m', '512MB': '512M', '1 Gi': '1Gi', '10 GiB': '10Gi', l00m: '100m' }
  for (const [text, expected] of Object.entries(meant))
    it(`suggests ${expected} for ${text}`, () => expect(suggestQuantity(text)).to.equal(expected))
  // who writes a B counts bytes, and m would be thousandths of them
  const bytes = {
    '512mb': '512M',
    '512Mb': '512M',
    '512MiB': '512Mi',
    '1gi': '1Gi',
    '1GIB': '1Gi',
    '64KB': '64k',
    '64kib': '64Ki',
  }
  for (const [text, expected] of Object.entries({ ...bytes, '2tb': '2T', '100B': '100', '.5 gb': '.5G' }))
    it(`N27: suggests ${expected} for ${text}`, () => expect(suggestQuantity(text)).to.equal(expected))
  for (const text of ['much', 'mb', '1xb', '500m', ' '.repeat(61)])
    it(`suggests nothing for ${JSON.stringify(text)}`, () => expect(suggestQuantity(text)).to.equal(undefined))
})
