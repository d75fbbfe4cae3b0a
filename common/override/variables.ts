import { isEqual, type Json, member } from '../json/json.ts'
import type { Duplicate } from './shape.ts'

/** What to do about the items of a list that have the key of an earlier item. */
export interface Repeated {
  /** the indexes of the items that can be left out */
  readonly dropped: ReadonlySet<number>
  /** whether two items with the same key have to stay */
  readonly isAmbiguous: boolean
}

/**
 * Finds the variables in `env` that can be left out without a change for the container. `repeated` are its duplicates.
 * The kubelet expands `$(NAME)` with the value that is set so far, and in the end the last value counts. So of two
 * equal variables the later can be left out if it expands alike, and of others the earlier if no variable from there up
 * to the later refers to it. Takes a time proportional to the length of `env`.
 */
export function repeatedVariables(env: readonly Json[], repeated: readonly Duplicate[]): Repeated {
  const earlierOf = new Map(repeated.map(({ index, earlier }) => [index, earlier]))
  const dropped = new Set<number>()
  const stays = new Map<number, number>() // the equal one that stays for a variable that is left out
  const lastSet = new Map<unknown, number>()
  const lastReferred = new Map<unknown, number>()
  let isAmbiguous = false
  for (const [index, variable] of env.entries()) {
    const name = member(variable, 'name')
    const references = referencesOf(variable)
    for (const each of references) lastReferred.set(each, index)
    const earlier = earlierOf.get(index)
    if (earlier !== undefined) {
      const former = stays.get(earlier) ?? earlier
      const isSetSince = (each: string) => (lastSet.get(each) ?? -1) >= former
      if (isEqual(variable, env[former]) && !references.some(isSetSince)) {
        dropped.add(index)
        stays.set(index, former)
      } else if ((lastReferred.get(name) ?? -1) <= former) dropped.add(former)
      else isAmbiguous = true
    }
    lastSet.set(name, index)
  }
  return { dropped, isAmbiguous }
}

/** The names of the variables that the value of `variable` refers to: `A` and `B` in `$(A)-$(B)-$$(C)`. */
function referencesOf(variable: Json): readonly string[] {
  const value = member(variable, 'value')
  if (typeof value !== 'string' || !value.includes('$(')) return []
  // what is behind the last bracket refers to nothing, and would be searched again for each `$(` in it
  const text = value.slice(0, value.lastIndexOf(')') + 1)
  return [...text.matchAll(/\$\$|\$\(([^)]*)\)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}
