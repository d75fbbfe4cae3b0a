import { expect } from 'chai'
import fc from 'fast-check'
import { isObject, type JsonObject } from '../../../common/api/object.ts'
import type { Step } from '../../../common/api/override-path.ts'
import { changesBetween } from '../../../common/workload/changes.ts'
import { merge } from '../../../common/workload/merge.ts'
import { NO_SHAPE, type Shape } from '../../../common/workload/shape.ts'
import { POD } from '../../builders.ts'
import { aJsonObject } from '../../generators.ts'
import { LAW } from '../../property.ts'
import { A_SHAPE, aBaseNode, anOverrideNode } from './nodes.ts'

const shown = (step: Step): string => {
  if (step.is === 'member') return `.${step.key}`
  const sign = step.became === undefined ? '' : step.became === 'added' ? '+' : '-'
  return `[${sign}${step.names.join('|')}]`
}

const told = (plain: unknown, changed: unknown, shape: Shape = NO_SHAPE): readonly string[] =>
  changesBetween(plain, changed, shape).map(
    ({ path, before, after }) =>
      `${path.map(shown).join('').slice(1)}: ${JSON.stringify(before)} > ${JSON.stringify(after)}`,
  )

const cases: Record<string, readonly [plain: JsonObject, changed: JsonObject, changes: readonly string[]]> = {
  'tells a changed scalar': [{ a: { b: 1 } }, { a: { b: 2 } }, ['a.b: 1 > 2']],
  'tells every leaf of what came': [
    {},
    { a: { b: 1, c: { d: true } } },
    ['a.b: undefined > 1', 'a.c.d: undefined > true'],
  ],
  'tells every leaf of what went': [{ a: { b: 1, c: 2 } }, { a: {} }, ['a.b: 1 > undefined', 'a.c: 2 > undefined']],
  'tells an empty object that came': [{}, { emptyDir: {} }, ['emptyDir: undefined > {}']],
  'takes empty lists for equal, and an empty object for another': [{ a: [], b: {} }, { a: [], b: [] }, ['b: {} > []']],
  'tells both sides where the kind of value changes': [
    { a: 'x' },
    { a: { b: 1 } },
    ['a: "x" > undefined', 'a.b: undefined > 1'],
  ],
  'knows null from absence': [{}, { a: null }, ['a: undefined > null']],
  'compares items by name, wherever they stand': [
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    },
    {
      env: [
        { name: 'B', value: '3' },
        { name: 'A', value: '1' },
      ],
    },
    ['env[B].value: "2" > "3"'],
  ],
  'tells items that came and went': [
    { env: [{ name: 'A', value: '1' }] },
    { env: [{ name: 'B', value: '1' }] },
    [
      'env[+B].name: undefined > "B"',
      'env[+B].value: undefined > "1"',
      'env[-A].name: "A" > undefined',
      'env[-A].value: "1" > undefined',
    ],
  ],
  'compares lists without keys by index': [
    { args: ['a', 'b'] },
    { args: ['a', 'c', 'd'] },
    ['args[1]: "b" > "c"', 'args[+2]: undefined > "d"'],
  ],
  'tells what a shorter list lost': [{ args: ['a', 'b'] }, { args: ['a'] }, ['args[-1]: "b" > undefined']],
  'tells ports apart by number and protocol': [
    { ports: [{ containerPort: 53 }] },
    {
      ports: [
        { containerPort: 53, protocol: 'UDP', hostPort: 53 },
        { containerPort: 53, protocol: 'TCP', hostPort: 1 },
      ],
    },
    [
      'ports[+53|53/UDP].containerPort: undefined > 53',
      'ports[+53|53/UDP].protocol: undefined > "UDP"',
      'ports[+53|53/UDP].hostPort: undefined > 53',
      'ports[53|53/TCP].protocol: undefined > "TCP"',
      'ports[53|53/TCP].hostPort: undefined > 1',
    ],
  ],
  'tells mounts of one volume apart': [
    { volumeMounts: [{ name: 'v', mountPath: '/a' }] },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    ['volumeMounts[+/b].name: undefined > "v"', 'volumeMounts[+/b].mountPath: undefined > "/b"'],
  ],
  'takes the second of two items with one name for another': [
    { env: [{ name: 'A', value: '1' }] },
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    },
    ['env[+A].name: undefined > "A"', 'env[+A].value: undefined > "2"'],
  ],
  'compares a list by index where one item has no key': [
    { env: [{ name: 'A' }] },
    { env: [{ name: 'A' }, {}] },
    ['env[+1]: undefined > {}'],
  ],
  'reads no member of Object.prototype': [{}, { constructor: 1 }, ['constructor: undefined > 1']],
}

const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })
const AT = 'template.spec.containers[cart]'

const defaults: Record<string, readonly [plain: JsonObject, changed: JsonObject, changes: readonly string[]]> = {
  'what the API server filled in and a replaced list leaves out': [
    container({
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      resources: {},
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      livenessProbe: {
        httpGet: { path: '/', scheme: 'HTTP' },
        periodSeconds: 10,
        timeoutSeconds: 1,
        failureThreshold: 3,
      },
    }),
    container({ ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { path: '/' } } }),
    [],
  ],
  'what an override says and was so already': [container({}), container({ imagePullPolicy: 'IfNotPresent' }), []],
  'not another value': [
    container({ imagePullPolicy: 'IfNotPresent' }),
    container({ imagePullPolicy: 'Never' }),
    [`${AT}.imagePullPolicy: "IfNotPresent" > "Never"`],
  ],
  'not a pull that is no longer made': [
    container({ imagePullPolicy: 'Always' }),
    container({}),
    [`${AT}.imagePullPolicy: "Always" > undefined`],
  ],
  'not a label of that name': [
    { template: { metadata: { labels: { protocol: 'TCP' } } } },
    { template: { metadata: { labels: {} } } },
    ['template.metadata.labels.protocol: "TCP" > undefined'],
  ],
}

describe('changesBetween', () => {
  for (const [sentence, [plain, changed, expected]] of Object.entries(cases))
    it(sentence, () => expect(told(plain, changed)).to.deep.equal(expected))

  for (const [sentence, [plain, changed, expected]] of Object.entries(defaults))
    it(`leaves out ${sentence}`, () => expect(told(plain, changed)).to.deep.equal(expected))

  it('asks the schema first', () => {
    const byIp: Shape = { ...NO_SHAPE, member: () => ({ ...NO_SHAPE, keys: [{ key: 'ip' }] }) }
    const [before, after] = [[{ ip: '1' }, { ip: '2' }], [{ ip: '2' }]]
    expect(told({ hostAliases: before }, { hostAliases: after }, byIp)).to.deep.equal([
      'hostAliases[-1].ip: "1" > undefined',
    ])
  })

  it('finds nothing between a spec and itself', () =>
    fc.assert(
      fc.property(fc.oneof(aJsonObject, aBaseNode), fc.constantFrom(NO_SHAPE, POD, A_SHAPE), (spec, shape) => {
        expect(changesBetween(spec, structuredClone(spec), shape)).to.deep.equal([])
      }),
      LAW,
    ))

  it('finds something between specs that differ, but for order and defaults', () =>
    fc.assert(
      fc.property(aJsonObject, aJsonObject, (plain, changed) => {
        const isSame = changesBetween(plain, changed, NO_SHAPE).length === 0
        expect(isSame).to.equal(changesBetween(changed, plain, NO_SHAPE).length === 0)
        if (isSame) expect(Object.keys(plain).sort()).to.deep.equal(Object.keys(changed).sort())
      }),
      LAW,
    ))

  it('finds the same whether a result was spelt as Merge or as Strategic', () =>
    fc.assert(
      fc.property(aBaseNode, anOverrideNode, (base, override) => {
        const strategic = merge(base, override, 'Strategic', A_SHAPE)
        if (strategic.is !== 'merged') return
        const merged = merge(base, asMergePatch(base, strategic.spec), 'Merge', A_SHAPE)
        expect(merged.is === 'merged' && told(base, merged.spec, A_SHAPE)).to.deep.equal(
          told(base, strategic.spec, A_SHAPE),
        )
      }),
      LAW,
    ))
})

/** What Merge takes to make `result` of `base`: lists whole, and a null for what is gone. */
function asMergePatch(base: JsonObject, result: JsonObject): JsonObject {
  const gone = Object.keys(base).filter((key) => !Object.hasOwn(result, key))
  const there = Object.entries(result).map(([key, value]) => {
    const before = base[key]
    return [key, isObject(value) && isObject(before) ? asMergePatch(before as JsonObject, value as JsonObject) : value]
  })
  return Object.fromEntries([...there, ...gone.map((key) => [key, null])])
}
