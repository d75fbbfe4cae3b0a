import type { JsonObject } from '../../common/json/json.ts'
import { reviewBody } from './webhook-review.ts'

const MIB = 1024 * 1024

const variables = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ name: `VARIABLE_${index}`, value: `${index}` }))

const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })

/** An override as full as the limits allow: 5,000 keys and items. */
const FULL = container({ image: 'example/cart:2', env: variables(1_660) })

/** The same size, and every key is a mistake. */
const WRONG = container(Object.fromEntries(Array.from({ length: 4_900 }, (_, index) => [`imag${index}`, index])))

/**
 * Bodies just within the limits. Each is the most expensive of its kind.
 * - `largest`: 7 MiB and 100,000 structural characters, most of them in an old object that counts as unknown.
 * - `escaped`: 7 MiB of quotation marks within strings. A scanner that skips strings must check each of them.
 * - `fullest`, `wrongest`: an override of 5,000 nodes, which are all valid, or all invalid.
 */
export const BODIES: Readonly<Record<'largest' | 'escaped' | 'fullest' | 'wrongest', () => string>> = {
  largest: () =>
    reviewBody({
      overrideSpec: FULL,
      oldOverrideSpec: container({ env: variables(14_900) }),
      managedFields: [{ manager: 'x'.repeat(3.15 * MIB) }],
    }),
  escaped: () =>
    reviewBody({
      overrideSpec: FULL,
      oldOverrideSpec: container({ env: variables(14_900) }),
      managedFields: [{ manager: '"'.repeat(1.575 * MIB) }],
    }),
  fullest: () => reviewBody({ overrideSpec: FULL, oldOverrideSpec: container({ env: variables(1_650) }) }),
  wrongest: () => reviewBody({ overrideSpec: WRONG }),
}
