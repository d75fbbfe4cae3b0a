import type { Forks } from '../api/policy.ts'
import { type Change, changesBetween } from './changes.ts'

/** A fork and what it would be without its override, which are compared once, however many ask for it. */
export function pairOf(of: Pick<Forks, 'plain' | 'changed' | 'shape'>): Forks {
  // not by a WeakMap: a table that outlives both keeps what it holds through one collection more
  let known: readonly Change[] | undefined
  const changes = () => {
    known ??= changesBetween(of.plain.spec, of.changed.spec, of.shape)
    return known
  }
  return { ...of, changes }
}
