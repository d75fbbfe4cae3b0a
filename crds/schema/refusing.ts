import type { JsonObject } from '../../common/json/json.ts'
import type { Rule } from './schema.ts'

/** Atomic, so that server-side apply never makes null of it. */
const ANY: JsonObject = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  'x-kubernetes-preserve-unknown-fields': true,
}

/** The types that such a field may have: a rule in CEL sees only members with a type. */
export const REFUSED_TYPES = {
  object: ANY,
  list: { type: 'array', maxItems: 64, items: ANY },
  text: { type: 'string', maxLength: 1_024 },
  flag: { type: 'boolean' },
  number: { type: 'integer' },
  numberOrText: { 'x-kubernetes-int-or-string': true, maxLength: 64 },
} as const satisfies Readonly<Record<string, JsonObject>>

type RefusedType = keyof typeof REFUSED_TYPES

/** What differs between groups of such fields. */
export interface RefusingOptions {
  /** what `kubectl explain` says of them */
  readonly about: string
  /** of fields that are no objects */
  readonly types?: Readonly<Record<string, RefusedType>>
}

/**
 * Fields that are always refused, each with what to write instead. Without them the API server calls such a field
 * unknown, before the webhook could say more.
 */
export const refusing = (remedies: Readonly<Record<string, string>>, { about, types = {} }: RefusingOptions) => ({
  rules: Object.entries(remedies).map(
    ([field, message]): Rule => ({
      rule: `!has(self.${field})`,
      reason: 'FieldValueForbidden',
      fieldPath: `.${field}`,
      message,
    }),
  ),
  refused: Object.fromEntries(
    Object.keys(remedies).map((field) => [field, { description: about, ...REFUSED_TYPES[types[field] ?? 'object'] }]),
  ),
})

/** As `refusing`, for names that people write by mistake or habit. */
export const refusingNames = (remedies: Readonly<Record<string, string>>, types: RefusingOptions['types'] = {}) =>
  refusing(remedies, { about: 'Always refused, with what to write instead.', types })
