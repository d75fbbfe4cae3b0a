import fc from 'fast-check'
import type { Json, JsonObject } from '../../common/json/json.ts'
import { aDeployment } from '../builders.ts'

const KNOWN =
  'affinity annotations args containerPort containers cpu deep env extension image key labelSelector labels limits ' +
  'matchLabels metadata minReadySeconds name nodeSelector port ports probe protocol replicas resources rollingUpdate ' +
  'securityContext selector since spec strategy template topologySpreadConstraints type value volumeClaimTemplates volumes'
const POISONED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'length']
const ODD = [
  '',
  ' ',
  '0',
  '-1',
  '$patch',
  'a.b/c',
  'a/b/c',
  '["x"]',
  '~1',
  '%',
  '#/definitions/Merge',
  '\0',
  '\n',
  '\u2028',
]
const FOREIGN = ['é', 'e\u0301', 'ß', '👩\u200d🚀', '\ud800', '\udfff', '\ufeff', 'x'.repeat(400)]

const aKey = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...KNOWN.split(' ')) },
  { weight: 2, arbitrary: fc.constantFrom(...POISONED, ...ODD, ...FOREIGN) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)

const aNumber = fc.oneof(
  fc.constantFrom(0, -0, 1.5, -1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e21, 1e308, -1e308, Number.MIN_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const WORDS = [
  'TCP',
  'Always',
  'RollingUpdate',
  'cart',
  'true',
  '3',
  '30s',
  '500m',
  '1O0m',
  '1e9',
  '2026-11-21T14:05:00Z',
]
const aText = fc.oneof(
  { weight: 50, arbitrary: aKey },
  { weight: 50, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constant('-'.repeat(5_000)) },
)
const aScalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: aText },
  { weight: 2, arbitrary: aNumber },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: fc.constant(null) },
)

const { value: aValue, object: anObject } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: aScalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 3, arbitrary: tie('object') },
  ),
  object: fc.dictionary(aKey, tie('value'), { maxKeys: 4 }),
}))

/** Values that are nested far beyond the limit, by maps, lists or both. */
const aTower: fc.Arbitrary<Json> = fc
  .tuple(fc.integer({ min: 60, max: 1_000 }), aKey, fc.constantFrom('maps', 'lists', 'both'))
  .map(([height, key, of]) => {
    let tower: Json = null
    for (let level = 0; level < height; level++)
      tower = of === 'lists' || (of === 'both' && level % 2 === 0) ? [tower] : { [key]: tower }
    return tower
  })

/** Values with more nodes than an override may have. */
const aCrowd: fc.Arbitrary<Json> = fc
  .tuple(fc.integer({ min: 200, max: 6_000 }), aKey)
  .map(([size, key]) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`${key}${at}`, at])))

const anything = fc.oneof(
  { weight: 4_000, arbitrary: aValue },
  { weight: 2, arbitrary: aTower },
  { weight: 1, arbitrary: aCrowd },
)

/** Valid values, with every feature that the schema of the tests has. */
const SOUND: JsonObject = {
  minReadySeconds: 3,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%' } },
  template: {
    metadata: { labels: { version: 'v2', old: null }, annotations: { 'example.com/a': 'b' } },
    spec: {
      affinity: { deep: { key: 'x' } },
      nodeSelector: null,
      containers: [
        { name: 'cart', image: 'cart:2', args: ['-v'], resources: { limits: { cpu: '500m' } }, extension: { a: 1 } },
        { name: 'proxy', env: [{ name: 'A', value: 'b' }], ports: [{ containerPort: 80, probe: { port: 1 } }] },
      ],
    },
  },
}

interface Change {
  readonly at: readonly number[]
  readonly to: Json
  readonly key: string
  readonly how: 'replace' | 'add' | 'remove'
}

const aChange: fc.Arbitrary<Change> = fc.record({
  at: fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 8 }),
  to: anything,
  key: aKey,
  how: fc.constantFrom('replace', 'add', 'remove'),
})

/** `value` with one part replaced: `at` picks a child on each level, and ends where there is none. */
function changed(value: Json, { at: [pick, ...at], ...change }: Change): Json {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const chosen = entries.length > 0 && pick !== undefined ? pick % entries.length : undefined
  if (chosen === undefined) return change.to
  const others = entries.flatMap(([key, inner], index): (readonly [string, Json])[] => {
    if (index !== chosen) return [[key, inner]]
    if (at.length > 0) return [[key, changed(inner, { at, ...change })]]
    if (change.how === 'remove') return []
    return change.how === 'replace'
      ? [[key, change.to]]
      : [
          [key, inner],
          [change.key, change.to],
        ]
  })
  return Array.isArray(value) ? others.map(([, inner]) => inner) : Object.fromEntries(others)
}

const mutated = (of: Json): fc.Arbitrary<Json> =>
  fc.array(aChange, { minLength: 1, maxLength: 3 }).map((changes) => changes.reduce(changed, of))

/** Overrides with labels that every schema accepts, but that are mostly not valid. */
const labelled: fc.Arbitrary<JsonObject> = fc
  .dictionary(aKey, aText, { maxKeys: 3 })
  .map((labels) => ({ template: { metadata: { labels, annotations: labels }, spec: {} } }))

const anOverride = fc.oneof(
  { weight: 6, arbitrary: mutated(SOUND) },
  { weight: 2, arbitrary: anObject },
  { weight: 1, arbitrary: labelled },
  { weight: 1, arbitrary: anything },
)

/** The annotation in which kubectl stores the applied manifest, genuine or forged. */
const lastApplied = fc.oneof(
  { weight: 50, arbitrary: aText },
  { weight: 50, arbitrary: anOverride.map((overrideSpec) => JSON.stringify({ spec: { overrideSpec } })) },
  { weight: 1, arbitrary: fc.constant('{"spec":'.repeat(10_000)) },
)

const aResource: fc.Arbitrary<Json> = fc
  .tuple(anOverride, fc.constantFrom('Merge', 'Strategic'), fc.option(lastApplied, { freq: 1 }))
  .map(([overrideSpec, overrideType, text]) => ({
    metadata: {
      name: 'faster-cart',
      uid: 'x',
      annotations: text === null ? {} : { 'kubectl.kubernetes.io/last-applied-configuration': text },
    },
    spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideType, overrideSpec },
  }))

const SOURCE_SPEC = aDeployment({ podAnnotations: { a: 'b' } }).spec as JsonObject

/**
 * Resources from almost valid to completely invalid, each as `object` with the `sourceSpec` of its source. They are
 * JSON text, in which `__proto__` is an ordinary key.
 */
export const aHostileInput: fc.Arbitrary<string> = fc
  .record({
    object: fc.oneof(
      { weight: 8, arbitrary: aResource },
      { weight: 1, arbitrary: aResource.chain(mutated) },
      { weight: 1, arbitrary: anObject },
    ),
    sourceSpec: fc.oneof(
      { weight: 6, arbitrary: fc.constant(SOURCE_SPEC) },
      { weight: 1, arbitrary: mutated(SOURCE_SPEC) },
    ),
  })
  .map((input) => JSON.stringify(input))
