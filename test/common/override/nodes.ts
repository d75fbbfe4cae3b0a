import fc from 'fast-check'
import { boundedOverride } from '../../../common/api/decode.ts'
import { brokenLimits } from '../../../common/api/limits.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { type Merged, merge } from '../../../common/override/merge.ts'
import type { Shape } from '../../../common/override/shape.ts'
import { shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'

const NODE = { $ref: '#/components/schemas/Node' }
const string = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })
const keyed = (...keys: string[]) => ({ type: 'array', items: NODE, 'x-kubernetes-list-map-keys': keys })

/** One type that refers to itself and has everything that matters to merging, so that it can occur at every depth. */
const SCHEMAS = {
  Node: {
    ...object({
      name: string,
      containerPort: { type: 'integer' },
      protocol: { type: 'string', default: 'TCP' },
      value: string,
      valueFrom: object({ k: string }),
      type: string,
      rollingUpdate: object({ maxSurge: { type: 'integer' } }),
      livenessProbe: object({ exec: NODE, httpGet: NODE, tcpSocket: NODE, periodSeconds: { type: 'integer' } }),
      volumes: {
        ...keyed('name'),
        items: object({ name: string, emptyDir: NODE, hostPath: NODE, persistentVolumeClaim: NODE, configMap: NODE }),
      },
      a: NODE,
      args: { type: 'array', items: NODE },
      env: keyed('name'),
      ports: keyed('containerPort', 'protocol'),
      labels: { type: 'object', additionalProperties: string },
    }),
    required: ['name', 'containerPort'],
  },
}

/** The shape of a spec that has every kind of list, map and union at its top. */
export const A_SHAPE: Shape = shapeOf(transform(SCHEMAS, NODE))

const PLAIN = { noNullPrototype: true } as const
const text: fc.Arbitrary<Json> = fc.constantFrom('x', 'y', '')

/**
 * Objects of `A_SHAPE` with `depth` levels of lists and maps. Only those of an override contain nulls, but not in
 * `args`.
 */
function nodes(depth: number, isOverride: boolean, isNullable = isOverride): fc.Arbitrary<JsonObject> {
  const or = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    isNullable ? fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }) : value
  const flat: Record<string, fc.Arbitrary<Json>> = {
    labels: or(fc.dictionary(fc.constantFrom('app', 'x.y/z'), or(text), { ...PLAIN, maxKeys: 2 })),
    type: or(fc.constantFrom('RollingUpdate', 'Recreate')),
  }
  const inner = depth === 0 ? undefined : nodes(depth - 1, isOverride, isNullable)
  const members = inner
    ? {
        ...flat,
        a: or(inner),
        args: or(lists(fc.oneof(text, nodes(0, isOverride, false)))),
        env: or(keyedLists(inner, { name: fc.constantFrom('A', 'B', 'C') })),
        ports: or(
          keyedLists(depth === 1 ? inner : nodes(0, isOverride, isNullable), {
            containerPort: fc.constantFrom(80, 443),
            protocol: fc.constantFrom('TCP', 'UDP', undefined),
          }),
        ),
      }
    : flat
  const source = fc.oneof(
    fc.constant({}),
    fc.record({ value: or(text) }, PLAIN),
    fc.record({ valueFrom: fc.record({ k: text }, PLAIN) }, PLAIN),
  )
  return fc
    .tuple(fc.record(members, { ...PLAIN, requiredKeys: [] }), source)
    .map(([some, one]) => ({ ...some, ...one }) as JsonObject)
}

const lists = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.array(item, { maxLength: 2, size: 'max' }).map((items): Json => items)

/** Lists of `item` with distinct `keys`. A key whose value is undefined is left out. */
const keyedLists = (
  item: fc.Arbitrary<JsonObject>,
  keys: Readonly<Record<string, fc.Arbitrary<Json | undefined>>>,
): fc.Arbitrary<Json> =>
  fc
    .uniqueArray(fc.record(keys, PLAIN), { maxLength: 2, size: 'max', selector: (of) => identity(of as JsonObject) })
    .chain((found) =>
      fc.tuple(...found.map((of) => item.map((object) => JSON.parse(JSON.stringify({ ...of, ...object }))))),
    )

/** The identity of an item in the lists of `A_SHAPE`. */
export const identity = (item: Json): string => {
  const { name, containerPort, protocol } = item as JsonObject
  return JSON.stringify(name ?? [containerPort, protocol ?? 'TCP'])
}

export const aBaseNode: fc.Arbitrary<JsonObject> = nodes(2, false)
export const anOverrideNode: fc.Arbitrary<JsonObject> = nodes(2, true)

/** `merge` of an override that passed the bounds first, as `decodeExperiment` checks them. */
export function mergeDecoded(base: JsonObject, override: JsonObject, type: OverrideType, shape = A_SHAPE): Merged {
  const errors = brokenLimits(override)
  return errors.length > 0 ? { is: 'invalid', errors } : merge(base, boundedOverride(override), type, shape)
}
