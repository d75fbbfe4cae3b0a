import { type Known, knownOrAbsent, unknown } from '../../api/known.ts'
import { type KubeObject, UNREAD } from '../../api/object.ts'
import { isObject, listOr, member } from '../../json/json.ts'
import { KubeError } from '../client/errors.ts'

/** A response as an object of the API. @throws KubeError `unreachable` if it has no metadata */
export const asObject = (answer: unknown): KubeObject => {
  if (isObject(answer) && isObject(answer.metadata)) return answer as KubeObject
  throw new KubeError({ kind: 'unreachable', message: 'the response is not an object' })
}

/** As `asObject`. @throws KubeError `unread` if it is too large to be read, with its name */
export const asWholeObject = (answer: unknown): KubeObject => {
  const object = asObject(answer)
  const because = object[UNREAD]
  if (because === undefined) return object
  throw new KubeError({ kind: 'unread', message: `${object.metadata.name} is too large to be read: ${because}` })
}

/** The items of a list. @throws KubeError `unread` if one is too large to be read, with its name */
export function wholeItems(list: unknown): readonly unknown[] {
  const items = listOr(member(list, 'items'))
  for (const item of items) if (isObject(item) && Object.hasOwn(item, UNREAD)) asWholeObject(item)
  return items
}

/** The failures that count as an absent object. Where its kind may be missing, `kindAbsent` is one too. */
type Absence = readonly KubeError['kind'][]

/** The requested object, or undefined if it is absent. @throws KubeError of a kind that is not in `absence` */
export async function orUndefined(
  answer: Promise<unknown>,
  absence: Absence = ['notFound'],
): Promise<KubeObject | undefined> {
  try {
    return asObject(await answer)
  } catch (error) {
    if (error instanceof KubeError && absence.includes(error.kind)) return undefined
    throw error
  }
}

/** What was read; unknown if it is too large to be read. @throws KubeError for other failures */
export async function unlessUnread<T>(read: Promise<T | undefined>): Promise<Known<T>> {
  try {
    return knownOrAbsent(await read)
  } catch (error) {
    if (error instanceof KubeError && error.kind === 'unread') return unknown(error.message)
    throw error
  }
}
