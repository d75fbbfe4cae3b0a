import { expect } from 'chai'
import fc from 'fast-check'
import { boundedOverride } from '../../../common/api/decode.ts'
import { isObject, type JsonObject } from '../../../common/json/json.ts'
import { changesBetween, overrideEffect } from '../../../common/override/changes.ts'
import { merge } from '../../../common/override/merge.ts'
import type { PathStep } from '../../../common/override/path.ts'
import { NO_SHAPE, type Shape } from '../../../common/override/shape.ts'
import { aDeployment, POD } from '../../builders.ts'
import { aJsonObject } from '../../generators.ts'
import { LAW } from '../../property.ts'
import { A_SHAPE, aBaseNode, anOverrideNode } from './nodes.ts'
import { workload } from './workload.ts'

const shown = (step: PathStep): string => {
  if (step.is === 'member') return `.${step.key}`
  const sign = step.became === undefined ? '' : step.became === 'added' ? '+' : '-'
  return `[${sign}${step.names.join('|')}]`
}

const reported = (plain: unknown, changed: unknown, shape: Shape = NO_SHAPE): readonly string[] =>
  changesBetween(plain, changed, shape).map(
    ({ path, before, after }) =>
      `${path.map(shown).join('').slice(1)}: ${JSON.stringify(before)} > ${JSON.stringify(after)}`,
  )

const cases: Record<string, readonly [plain: JsonObject, changed: JsonObject, changes: readonly string[]]> = {
  'reports a changed scalar': [{ a: { b: 1 } }, { a: { b: 2 } }, ['a.b: 1 > 2']],
  'reports every leaf that was added': [
    {},
    { a: { b: 1, c: { d: true } } },
    ['a.b: undefined > 1', 'a.c.d: undefined > true'],
  ],
  'reports every leaf that was removed': [
    { a: { b: 1, c: 2 } },
    { a: {} },
    ['a.b: 1 > undefined', 'a.c: 2 > undefined'],
  ],
  'reports an empty object that was added': [{}, { emptyDir: {} }, ['emptyDir: undefined > {}']],
  'treats two empty lists as equal, and an empty list and an empty object as different': [
    { a: [], b: {} },
    { a: [], b: [] },
    ['b: {} > []'],
  ],
  'reports both sides where a scalar becomes an object': [
    { a: 'x' },
    { a: { b: 1 } },
    ['a: "x" > undefined', 'a.b: undefined > 1'],
  ],
  'distinguishes null from an absent member': [{}, { a: null }, ['a: undefined > null']],
  'compares items by name': [
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
    ['env[B].value: "2" > "3"', 'env[B]: 1 > 0'],
  ],
  'M12: reports a moved item where order matters, only once': [
    { env: [{ name: 'A' }, { name: 'B' }, { name: 'C' }], volumes: [{ name: 'A' }, { name: 'B' }] },
    { env: [{ name: 'C' }, { name: 'X' }, { name: 'B' }, { name: 'A' }], volumes: [{ name: 'B' }, { name: 'A' }] },
    ['env[+X].name: undefined > "X"', 'env[C]: 2 > 0'],
  ],
  'M12: reports no moved item where others were added before or removed': [
    { env: [{ name: 'A' }, { name: 'B' }, { name: 'C' }] },
    { env: [{ name: 'X' }, { name: 'B' }, { name: 'C' }] },
    ['env[+X].name: undefined > "X"', 'env[-A].name: "A" > undefined'],
  ],
  'reports items that were added and removed': [
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
  'reports what a shorter list lacks': [{ args: ['a', 'b'] }, { args: ['a'] }, ['args[-1]: "b" > undefined']],
  'identifies ports by number and protocol': [
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
  'identifies volume mounts by their path': [
    { volumeMounts: [{ name: 'v', mountPath: '/a' }] },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    ['volumeMounts[+/b].name: undefined > "v"', 'volumeMounts[+/b].mountPath: undefined > "/b"'],
  ],
  'treats the second of two items with the same name as an item of its own': [
    { env: [{ name: 'A', value: '1' }] },
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    },
    ['env[+A].name: undefined > "A"', 'env[+A].value: undefined > "2"'],
  ],
  'compares a list by index if one item has no key': [
    { env: [{ name: 'A' }] },
    { env: [{ name: 'A' }, {}] },
    ['env[+1]: undefined > {}'],
  ],
  'does not read members of Object.prototype': [{}, { constructor: 1 }, ['constructor: undefined > 1']],
}

/** With what the schema of a workload knows. */
const ofWorkloads: typeof cases = {
  'M10: reports no default of an object that is there on both sides, or shown by another member': [
    { template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } } },
    { template: { spec: { containers: [{ name: 'a', image: 'a:1', tty: false, resources: { limits: {} } }] } } },
    [],
  ],
  'M10: reports a default that is the only trace of an object': [
    { template: { spec: { volumes: [] } } },
    {
      template: {
        spec: {
          volumes: [
            { name: 'a', projected: { sources: [] } },
            { name: 'b', secret: { secretName: 'b', defaultMode: 0o644 } },
          ],
        },
      },
    },
    [
      'template.spec.volumes[+a].name: undefined > "a"',
      'template.spec.volumes[+a].projected.sources: undefined > []',
      'template.spec.volumes[+b].name: undefined > "b"',
      'template.spec.volumes[+b].secret.secretName: undefined > "b"',
    ],
  ],
  'M10: reports no default in an object that is itself one': [
    { template: { spec: { volumes: [{ name: 'a', emptyDir: { medium: '' } }] } } },
    { template: { spec: { volumes: [{ name: 'a' }], securityContext: {} } } },
    [],
  ],
}

describe('changesBetween', () => {
  for (const [sentence, [plain, changed, expected]] of Object.entries(cases))
    it(sentence, () => expect(reported(plain, changed)).to.deep.equal(expected))

  for (const [sentence, [plain, changed, expected]] of Object.entries(ofWorkloads))
    it(sentence, () => expect(reported(plain, changed, workload())).to.deep.equal(expected))

  it('prefers the keys of the schema to guessed ones', () => {
    const byIp: Shape = { ...NO_SHAPE, member: () => ({ ...NO_SHAPE, keys: [{ key: 'ip' }] }) }
    const [before, after] = [[{ ip: '1' }, { ip: '2' }], [{ ip: '2' }]]
    expect(reported({ hostAliases: before }, { hostAliases: after }, byIp)).to.deep.equal([
      'hostAliases[-1].ip: "1" > undefined',
    ])
  })

  it('finds no change between a spec and itself', () =>
    fc.assert(
      fc.property(fc.oneof(aJsonObject, aBaseNode), fc.constantFrom(NO_SHAPE, POD, A_SHAPE), (spec, shape) => {
        expect(changesBetween(spec, structuredClone(spec), shape)).to.deep.equal([])
      }),
      LAW,
    ))

  it('finds changes between specs that differ in more than order and defaults, in both directions', () =>
    fc.assert(
      fc.property(aJsonObject, aJsonObject, (plain, changed) => {
        const isSame = changesBetween(plain, changed, NO_SHAPE).length === 0
        expect(isSame).to.equal(changesBetween(changed, plain, NO_SHAPE).length === 0)
        if (isSame) expect(Object.keys(plain).sort()).to.deep.equal(Object.keys(changed).sort())
      }),
      LAW,
    ))

  it('finds the same changes whether a result was written as Merge or as Strategic', () =>
    fc.assert(
      fc.property(aBaseNode, anOverrideNode, (base, override) => {
        const strategic = merge(base, boundedOverride(override), 'Strategic', A_SHAPE)
        if (strategic.is !== 'merged') return
        const merged = merge(base, boundedOverride(asMergePatch(base, strategic.spec)), 'Merge', A_SHAPE)
        expect(merged.is === 'merged' && reported(base, merged.spec, A_SHAPE)).to.deep.equal(
          reported(base, strategic.spec, A_SHAPE),
        )
      }),
      LAW,
    ))
})

/** The Merge override that turns `base` into `result`: whole lists, and null for what is removed. */
function asMergePatch(base: JsonObject, result: JsonObject): JsonObject {
  const gone = Object.keys(base).filter((key) => !Object.hasOwn(result, key))
  const there = Object.entries(result).map(([key, value]) => {
    const before = base[key]
    return [key, isObject(value) && isObject(before) ? asMergePatch(before as JsonObject, value as JsonObject) : value]
  })
  return Object.fromEntries([...there, ...gone.map((key) => [key, null])])
}

describe('overrideEffect', () => {
  const plain = aDeployment({ spec: { minReadySeconds: 1 } })
  const changed = aDeployment({ spec: { minReadySeconds: 2 } })

  it('returns the changes between the two specs', () => {
    const { changes, ...rest } = overrideEffect({ plain, changed, shape: NO_SHAPE })
    expect(rest).to.deep.equal({ plain, changed, shape: NO_SHAPE })
    expect(changes()).to.deep.equal([{ path: [{ is: 'member', key: 'minReadySeconds' }], before: 1, after: 2 }])
  })

  it('ignores metadata', () => {
    const renamed = { ...plain, metadata: { ...plain.metadata, name: 'other' } }
    expect(overrideEffect({ plain, changed: renamed, shape: NO_SHAPE }).changes()).to.deep.equal([])
  })

  it('compares at the first call only', () => {
    let reads = 0
    const counting: Shape = {
      ...NO_SHAPE,
      member: () => {
        reads += 1
        return NO_SHAPE
      },
    }
    const { changes } = overrideEffect({ plain, changed, shape: counting })
    expect(reads).to.equal(0)
    const first = changes()
    const readsOfFirst = reads
    expect(readsOfFirst).to.be.above(0)
    expect(changes()).to.equal(first)
    expect(reads).to.equal(readsOfFirst)
  })
})
