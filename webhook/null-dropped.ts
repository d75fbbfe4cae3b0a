import { formatPath, type Path } from '../common/api/field-path.ts'
import { LIMITS } from '../common/api/limits.ts'
import { at, isObject, listOr } from '../common/api/object.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** What Kubernetes allows all annotations of an object together. */
const MAX_LENGTH = 256 * 1024

/** More than are printed; each costs a path of keys that may be long. */
const MAX_LOST = 20

/**
 * The paths, below `spec.overrideSpec`, of every null that its author wrote and `object` lacks: client-side
 * `kubectl apply` drops nulls from custom resources, and keeps the text that it was given in an annotation. Empty where
 * there is no such text or it cannot be read: anybody may write that annotation. Looks at most 64 levels deep and at
 * 5,000 values, and tells at most 20.
 */
export function droppedNulls(object: Readonly<Record<string, unknown>>): readonly string[] {
  const text = at(object, 'metadata', 'annotations', LAST_APPLIED)
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !text.includes('null')) return []
  const written = at(parsed(text), 'spec', 'overrideSpec')
  return isObject(written) ? lostIn({ written, stored: at(object, 'spec', 'overrideSpec') }) : []
}

/** The words of the warning `NullDropped` for a path of `droppedNulls`. */
export const nullDropped = (path: string): string =>
  `kubectl apply dropped ${path}: null; use kubectl apply --server-side`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not kubectl's writing, so it tells nothing of nulls
  }
}

interface Pair {
  readonly written: unknown
  readonly stored: unknown
}

function lostIn(pair: Pair): readonly string[] {
  const lost: string[] = []
  let left: number = LIMITS.nodes
  const visit = ({ written, stored }: Pair, path: Path): void => {
    for (const [step, inner] of children(written)) {
      left -= 1
      if (left < 0 || lost.length === MAX_LOST) return
      const [here, before] = [[...path, step], child(stored, step)]
      if (inner === null && before === undefined) lost.push(formatPath('', here).replace(/^\./, ''))
      else if (here.length < LIMITS.depth) visit({ written: inner, stored: before }, here)
    }
  }
  visit(pair, [])
  return lost
}

const children = (value: unknown): Iterable<readonly [string | number, unknown]> =>
  Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : []

const child = (value: unknown, step: string | number): unknown =>
  typeof step === 'number' ? listOr(value)[step] : at(value, step)
