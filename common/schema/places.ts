import { member, objectOr } from '../api/object.ts'
import type { Refusal } from '../api/rules.ts'
import type { Definitions, Variant } from './transform.ts'

/** Field names, and where each stands: `containers` in `template.spec`, `image` in `template.spec.containers[]`. */
export type Places = ReadonlyMap<string, string>

/** Objects within objects that are looked into: further down, a name says little about where it was meant to be. */
const MAX_DEPTH = 3

/** Where each known field stands that `refusal` lets be; of several places the shallowest, then the first. */
export function placesOf(definitions: Definitions, variant: Variant, refusal: Refusal): Places {
  const places = new Map<string, string>()
  let level: (readonly [path: string, schema: unknown])[] = [['', definitions[variant]]]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const fields = level.flatMap(([path, schema]) => {
      const { suffix, properties } = fieldsOf(definitions, schema)
      return Object.entries(properties)
        .map(([key, value]) => ({ path: `${path}${suffix}`, key, value }))
        .filter(({ path, key }) => refusal(path === '' ? [key] : [...path.split('.'), key]) === undefined)
    })
    for (const { path, key } of fields) if (!places.has(key)) places.set(key, path)
    level = fields.map(({ path, key, value }) => [path === '' ? key : `${path}.${key}`, value])
  }
  return places
}

/** Of an object the fields, of a list of objects those of an item. */
function fieldsOf(definitions: Definitions, schema: unknown): Fields {
  const target = resolved(definitions, schema)
  const item = member(target, 'items')
  return item === undefined
    ? { suffix: '', properties: objectOr(member(target, 'properties')) }
    : { suffix: '[]', properties: objectOr(member(resolved(definitions, item), 'properties')) }
}

interface Fields {
  readonly suffix: string
  readonly properties: Readonly<Record<string, unknown>>
}

function resolved(definitions: Definitions, schema: unknown): unknown {
  const ref = member(schema, '$ref')
  return typeof ref === 'string' ? member(definitions, ref.replace('#/definitions/', '')) : schema
}
