import { member, objectOr } from '../json/json.ts'
import type { BanLookup } from '../override/rules.ts'
import { type Definitions, resolved, type Variant } from './transform.ts'

/** Field names and their parents: `containers` in `template.spec`, `image` in `template.spec.containers[]`. */
export type FieldLocations = ReadonlyMap<string, string>

/** How many levels are searched. Below, a name says little about where it belongs. */
const MAX_DEPTH = 3

/** Finds the parent of each field that is not banned: of several parents the one nearest to the root. */
export function fieldLocations(definitions: Definitions, variant: Variant, banOf: BanLookup): FieldLocations {
  const locations = new Map<string, string>()
  let level: (readonly [path: string, schema: unknown])[] = [['', definitions[variant]]]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const fields = level.flatMap(([path, schema]) => {
      const { suffix, properties } = fieldsOf(definitions, schema)
      return Object.entries(properties)
        .map(([key, value]) => ({ path: `${path}${suffix}`, key, value }))
        .filter(({ path, key }) => banOf(path === '' ? [key] : [...path.split('.'), key]) === undefined)
    })
    for (const { path, key } of fields) if (!locations.has(key)) locations.set(key, path)
    level = fields.map(({ path, key, value }) => [path === '' ? key : `${path}.${key}`, value])
  }
  return locations
}

/** The fields of an object, or of the items of a list. */
function fieldsOf(definitions: Definitions, schema: unknown) {
  const target = resolved(definitions, schema)
  const item = member(target, 'items')
  const fields = item === undefined ? target : resolved(definitions, item)
  return { suffix: item === undefined ? '' : '[]', properties: objectOr(member(fields, 'properties')) }
}
