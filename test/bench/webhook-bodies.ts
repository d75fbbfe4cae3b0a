import type { JsonObject } from '../../common/json/json.ts'
import { reviewBody } from './webhook-review.ts'

const MIB = 1024 * 1024

const variables = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ name: `VARIABLE_${index}`, value: `${index}` }))

const keys = (count: number, prefix: string, value: string | number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]))

const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })

/** An override as full as the limits allow: 5,000 keys and items. */
const FULL = container({ image: 'example/cart:2', env: variables(1_660) })

/** The same size, and every key is a mistake. */
const WRONG = container(keys(4_900, 'imag', 1))

const nested = (depth: number): JsonObject => (depth === 0 ? {} : { template: nested(depth - 1) })

const annotated = (count: number, value: string): JsonObject => ({
  template: { metadata: { annotations: keys(count, 'key-', value) } },
})

/** Bodies just within the limits, and two beyond them. Each is the most expensive of its kind. */
export const BODIES = {
  /** 7 MiB and 100,000 structural characters, most of them in an old object that counts as unknown. */
  largest: () =>
    reviewBody({
      overrideSpec: FULL,
      oldOverrideSpec: container({ env: variables(14_900) }),
      managedFields: [{ manager: 'x'.repeat(3.15 * MIB) }],
    }),
  /** 7 MiB of quotation marks within strings. A scanner that skips strings must check each of them. */
  escaped: () =>
    reviewBody({
      overrideSpec: FULL,
      oldOverrideSpec: container({ env: variables(14_900) }),
      managedFields: [{ manager: '"'.repeat(1.575 * MIB) }],
    }),
  /** 5,000 keys and items, all valid, most of them unchanged. */
  fullest: () => reviewBody({ overrideSpec: FULL, oldOverrideSpec: container({ env: variables(1_650) }) }),
  /** 5,000 keys and items, all valid and changed. */
  changed: () => reviewBody({ overrideSpec: annotated(4_900, 'a'), oldOverrideSpec: annotated(4_900, 'b') }),
  /** 5,000 keys of a container, all of them unknown and similar to `image`. */
  wrongest: () => reviewBody({ overrideSpec: WRONG }),
  /** 5,000 unknown keys of the spec. */
  unknown: () => reviewBody({ overrideSpec: keys(4_990, 'key-', 1) }),
  /** 2,400 containers, each with an unknown key and without a name. */
  containers: () =>
    reviewBody({
      overrideSpec: { template: { spec: { containers: Array.from({ length: 2_400 }, () => ({ nam: 1 })) } } },
    }),
  /** 1,600 variables, each with two values of the wrong type. */
  variables: () =>
    reviewBody({
      overrideSpec: container({ env: Array.from({ length: 1_600 }, (_, index) => ({ name: index, value: index })) }),
    }),
  /** As many levels as are allowed. */
  deep: () => reviewBody({ overrideSpec: nested(64) }),
  /** 20,000 levels, which are refused. */
  deeper: () => reviewBody({ overrideSpec: { a: '@' } }).replace('"@"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  /** 3 MiB of small objects, which are refused before they are parsed. */
  structured: () => reviewBody({ overrideSpec: { a: Array.from({ length: (3 * MIB) / 8 }, () => ({ a: 1 })) } }),
} satisfies Readonly<Record<string, () => string>>
