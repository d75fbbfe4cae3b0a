import { formatPath } from '../json/field-path.ts'
import { listOr, member } from '../json/json.ts'
import { cut } from '../text/cut.ts'
import type { ItemStep, Step } from './path.ts'
import { identityOf } from './shape.ts'

/** The maximum length of a field, as in `formatPath`. */
const MAX_LENGTH = 256

/**
 * The place in `overrideSpec` that corresponds to `path` of the fork. Items have their index in the override, which
 * under Strategic differs from the one in the fork. An item that the override does not mention, such as one that a
 * replaced list lacks, has its key instead: `containers[sidecar]`. A null ends the path, because it removes everything
 * below it. At most 256 characters.
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
