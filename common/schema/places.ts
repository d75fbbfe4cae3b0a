import { isObject, member, objectOr } from '../api/object.ts'
import type { Definitions, Variant } from './transform.ts'

/** Field names, and the object below which each stands: `containers` stands in `template.spec`. */
export type Places = ReadonlyMap<string, string>

/** Objects within objects that are looked into: further down, a name says little about where it was meant to be. */
const MAX_DEPTH = 3

/** Where each field that is known along object paths stands; of several places the shallowest, then the first. */
export function placesOf(definitions: Definitions, variant: Variant): Places {
  const places = new Map<string, string>()
  let level: (readonly [path: string, schema: unknown])[] = [['', definitions[variant]]]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const fields = level.flatMap(([path, object]) =>
      Object.entries(propertiesOf(definitions, object)).map(([key, value]) => ({ path, key, value })),
    )
    for (const { path, key } of fields) if (!places.has(key)) places.set(key, path)
    level = fields.map(({ path, key, value }) => [path === '' ? key : `${path}.${key}`, value])
  }
  return places
}

function propertiesOf(definitions: Definitions, schema: unknown): Readonly<Record<string, unknown>> {
  const ref = member(schema, '$ref')
  const target = typeof ref === 'string' ? member(definitions, ref.replace('#/definitions/', '')) : schema
  return isObject(target) ? objectOr(target.properties) : {}
}
