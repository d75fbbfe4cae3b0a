import jsonPatch from 'fast-json-patch'
import { DEFAULTS } from '../common/api/defaults.ts'
import { isObject } from '../common/api/object.ts'

/**
 * The JSON patch that makes defaults visible in `kubectl diff`; empty where nothing is missing. Looks at nothing but
 * the members that have a default: `object` was judged by nobody yet, and `overrideSpec` may be huge.
 */
export function defaultsPatch(object: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { spec } = object
  if (!isObject(spec)) return []
  const given = Object.fromEntries(
    Object.keys(DEFAULTS).flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]])),
  )
  return jsonPatch.compare({ spec: given }, { spec: { ...DEFAULTS, ...given } })
}
