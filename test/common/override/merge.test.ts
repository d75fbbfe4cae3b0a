import { expect } from 'chai'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { merge, replacedLists } from '../../../common/override/merge.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { A_SHAPE, mergeDecoded } from './nodes.ts'

type Row = readonly [types: 'MS' | 'M' | 'S', base: JsonObject, override: JsonObject, result: JsonObject | string]

const A = { name: 'A' }
const B = { name: 'B' }
const FROM = { k: 'v' }
const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }

/** The table of the specification: a result, or the path of an error. */
const table: readonly Row[] = [
  ['MS', { a: { x: 1 }, b: 2 }, { a: { y: 2 }, b: 3 }, { a: { x: 1, y: 2 }, b: 3 }],
  ['MS', { a: 1, b: 2 }, { b: null, z: null }, { a: 1 }],
  ['MS', {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['MS', { a: 's' }, { a: { b: null } }, { a: {} }],
  ['MS', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
  ['MS', ROLLING, { type: 'Recreate', rollingUpdate: null }, { type: 'Recreate' }],
  ['M', { env: [A, B] }, { env: [{ ...A, value: 'z' }] }, { env: [{ ...A, value: 'z' }] }],
  ['S', { env: [A, B] }, { env: [{ ...A, value: 'z' }] }, { env: [{ ...A, value: 'z' }, B] }],
  [
    'S',
    { env: [A, B] },
    { env: [{ name: 'C' }, { ...B, value: 'w' }] },
    { env: [A, { ...B, value: 'w' }, { name: 'C' }] },
  ],
  [
    'S',
    { env: [{ ...A, value: 'x' }] },
    { env: [{ ...A, value: null, valueFrom: FROM }] },
    { env: [{ ...A, valueFrom: FROM }] },
  ],
  ['S', { env: [{ ...A, value: 'x' }] }, { env: [{ ...A, valueFrom: FROM }] }, { env: [{ ...A, valueFrom: FROM }] }],
  [
    'S',
    { livenessProbe: { httpGet: { port: 80 }, periodSeconds: 5 } },
    { livenessProbe: { exec: { command: ['a'] } } },
    { livenessProbe: { exec: { command: ['a'] }, periodSeconds: 5 } },
  ],
  [
    'S',
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
    { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
  ],
  ['S', ROLLING, { type: 'Recreate' }, { type: 'Recreate' }],
  [
    'S',
    { ports: [{ containerPort: 80, protocol: 'TCP' }] },
    {
      ports: [
        { containerPort: 80, name: 'b' },
        { containerPort: 80, protocol: 'UDP' },
      ],
    },
    {
      ports: [
        { containerPort: 80, protocol: 'TCP', name: 'b' },
        { containerPort: 80, protocol: 'UDP' },
      ],
    },
  ],
  ['S', { env: [A] }, { env: [] }, { env: [A] }],
  ['M', { env: [A] }, { env: [] }, { env: [] }],
  ['MS', { env: [A] }, { env: null }, {}],
  ['MS', { env: [] }, { env: [A, A] }, 'env[1].name'],
  ['S', { env: [] }, { env: [{ value: 'x' }] }, 'env[0].name'],
  ['MS', { env: [] }, { env: [null] }, 'env[0]'],
  ['M', { env: [] }, { env: [{ ...A, value: null }] }, { env: [A] }],
  ['S', { env: [A] }, { env: [{ ...A, $patch: 'delete' }] }, 'env[0].$patch'],
  ['MS', { labels: {} }, { labels: { toString: 'a' } }, 'labels.toString'],
]

/** Cases that the table does not have. */
const more: readonly Row[] = [
  ['MS', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['S', { env: 'odd' }, { env: [A] }, { env: [A] }],
  ['S', { env: ['odd', A] }, { env: [{ ...A, value: 'z' }] }, { env: ['odd', { ...A, value: 'z' }] }],
  [
    'S',
    { env: [{ ...A, env: [B] }] },
    { env: [{ ...A, env: [{ name: 'C' }] }] },
    { env: [{ ...A, env: [B, { name: 'C' }] }] },
  ],
  ['S', {}, { env: [{ ...A, a: { b: null } }] }, { env: [{ ...A, a: {} }] }],
  ['S', { args: [{ env: [A] }] }, { args: [{ env: [B] }] }, { args: [{ env: [B] }] }],
  ['S', ROLLING, { type: 'RollingUpdate' }, ROLLING],
  ['S', { labels: { app: 'x' } }, { labels: { app: null } }, { labels: {} }],
  ['MS', {}, { args: [[null]] }, 'args[0][0]'],
  ['MS', {}, { args: [{ env: [A, A] }] }, 'args[0].env[1].name'],
  ['MS', {}, { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }, 'ports[1]'],
  ['S', {}, { args: [{ env: [{ ...A, value: null }] }] }, { args: [{ env: [A] }] }],
  ['M', {}, { volumes: [{ ...A, emptyDir: null }] }, { volumes: [A] }],
  ['M', {}, { containers: [{ ...A, env: null, ports: [B] }] }, { containers: [{ ...A, ports: [B] }] }],
  ['S', {}, { env: [{ name: null }] }, 'env[0].name'],
  ['S', {}, { env: ['A'] }, 'env[0]'],
  ['S', {}, { env: [{ ...A, value: 'x', valueFrom: FROM }] }, 'env[0].valueFrom'],
  ['M', {}, { env: [{ ...A, value: 'x', valueFrom: FROM }] }, { env: [{ ...A, value: 'x', valueFrom: FROM }] }],
  ['S', {}, { type: 'Recreate', rollingUpdate: {} }, 'rollingUpdate'],
  ['S', {}, { livenessProbe: { exec: {}, httpGet: {} } }, 'livenessProbe.httpGet'],
]

const TYPES: Readonly<Record<Row[0], readonly OverrideType[]>> = {
  MS: ['Merge', 'Strategic'],
  M: ['Merge'],
  S: ['Strategic'],
}

function outcome(base: JsonObject, override: JsonObject, type: OverrideType): JsonObject | string {
  const merged = mergeDecoded(base, override, type)
  return merged.is === 'merged'
    ? merged.spec
    : merged.errors.map(({ field }) => field.replace('spec.overrideSpec.', '')).join()
}

const shows = (rows: readonly Row[]) => {
  for (const [types, base, override, result] of rows)
    for (const type of TYPES[types])
      it(`${type}: ${JSON.stringify(base)} + ${JSON.stringify(override)}`, () =>
        expect(outcome(base, override, type)).to.deep.equal(result))
}

describe('merge', () => {
  describe('gives each result of the table', () => shows(table))
  describe('gives these results too', () => shows(more))

  it('reports every mistake at once, each with its remedy', () => {
    const found = mergeDecoded({}, { env: [null, A, { ...A, value: 'x', valueFrom: {} }], args: [null] }, 'Strategic')
    expect(found.is === 'invalid' && found.errors.map(({ message }) => message)).to.deep.equal([
      'null cannot remove an item of this list; use overrideType: Merge and list the items to keep',
      'duplicate of [1] (name "A"); remove one of them',
      'cannot be set together with value; remove one of them',
      'null is not allowed inside a list; remove this',
    ])
  })
})

const REMEDY = ': Merge replaces whole lists; use Strategic to merge them'

const pod = (...containers: JsonObject[]): JsonObject => ({ template: { spec: { containers } } })

const lost = (base: JsonObject, override: JsonObject, type: OverrideType = 'Merge') => {
  const merged = merge(base, boundedOverride(override), type, A_SHAPE)
  return merged.is === 'merged' ? merged.replaced().map((parts) => fitted(MAX_WARNING, parts)) : []
}

describe('replacedLists', () => {
  it('names the containers, variables and ports that are lost because lists are replaced', () => {
    const ports = [{ containerPort: 80 }]
    const base = pod({ name: 'a', env: [A, B], ports, resources: {} }, { name: 'b', ports }, { name: 'c' })
    const same = [{ containerPort: 80, protocol: 'TCP' }]
    expect(lost(base, pod({ name: 'a', env: [B], ports: same }, { name: 'b' }))).to.deep.equal([
      `containers[a] loses env${REMEDY}`,
      `containers[b] loses ports${REMEDY}`,
      `containers[c] is removed${REMEDY}`,
    ])
  })

  it('does not report a loss that the override asks for', () => {
    const base: JsonObject = {
      template: { spec: { initContainers: [{ name: 'i' }], containers: [{ ...A, env: [A] }] } },
    }
    expect(lost(base, { template: { spec: { initContainers: null } } })).to.deep.equal([])
    expect(lost(base, { template: { spec: { containers: [{ ...A, env: [] }] } } }, 'Strategic')).to.deep.equal([])
    expect(lost(base, {})).to.deep.equal([])
  })

  it('does not report defaults, which the API server fills in again', () => {
    const base = pod({ ...A, imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/x', resources: {} })
    expect(lost(base, pod({ ...A }))).to.deep.equal([])
  })

  it('does not report variables in another order', () => {
    expect(lost(pod({ ...A, env: [A, B] }), pod({ ...A, env: [B, A] }))).to.deep.equal([])
  })

  it('ignores a container whose name is not a text', () => {
    const hostile = pod({ name: { toString: 'x' } }, { image: 'y' })
    expect(replacedLists(hostile, pod())).to.deep.equal([])
  })

  it('takes no keys from a member whose name is inherited', () => {
    const odd = pod({ name: 'cart', constructor: ['x'] })
    expect(replacedLists(odd, pod({ name: 'cart', constructor: ['y'] }))).to.deep.equal([])
  })
})
