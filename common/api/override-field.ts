import { identityOf } from '../workload/shape.ts'
import { cut } from './cut.ts'
import { formatPath } from './field-path.ts'
import { listOr, member } from './object.ts'
import type { ItemStep, Step } from './override-path.ts'

/** Longest field shown, as in `formatPath`. */
const MAX_LENGTH = 256

/**
 * Where in `overrideSpec` the author finds the step that leads along `path` of the fork. Items have the index that they
 * have in the override, which under Strategic is not the fork's; what the override does not mention, such as an item
 * that is left out of a replaced list, has its key instead: `containers[sidecar]`. A null ends the path, since it
 * removes all below it.
 */
export function overrideField(path: readonly Step[], overrideSpec: unknown): string {
  let field = 'spec.overrideSpec'
  let value: unknown = overrideSpec
  for (const step of path) {
    if (value === null) break
    if (step.is === 'member') {
      field = formatPath(field, [step.key])
      value = member(value, step.key)
    } else {
      const items = listOr(value)
      const index = indexIn(items, step)
      field += `[${index ?? step.names[0] ?? step.index}]`
      value = index === undefined ? undefined : items[index]
    }
  }
  return cut(field, MAX_LENGTH)
}

function indexIn(items: readonly unknown[], { keyed, index }: ItemStep): number | undefined {
  const place = keyed ? items.findIndex((item) => identityOf(item, keyed.keys) === keyed.identity) : index
  return place >= 0 && place < items.length ? place : undefined
}
