import { isObject, listOr, member } from '../../json/json.ts'

/** A value of a file, and where it stands in it: `/home/me/.kube/config: users[me].user`. */
export interface Found {
  readonly place: string
  readonly value: unknown
}

/** A kubeconfig cannot be used. The message is one sentence: file, field, finding and remedy. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

/**
 * @throws KubeconfigError about the value: `…/config: users[me].user.token must be a text, found a number`. Names no
 * value, which may be secret
 */
export function refuse({ place, value }: Found, wanted: string): never {
  const found = isObject(value) ? 'a map' : Array.isArray(value) ? 'a list' : NAMES[typeof value]
  throw new KubeconfigError(`${place} must be ${wanted}, found ${found ?? 'something else'}`)
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'another text',
  number: 'a number',
  boolean: 'true or false without quotes',
}

/** The member `key` of a map. @throws KubeconfigError if it is in something else */
export function inside(found: Found, key: string): Found {
  const { place, value } = mapOf(found)
  return { place: place.endsWith(': ') ? `${place}${key}` : `${place}.${key}`, value: member(value, key) }
}

/** `found` if it is a map or absent. @throws KubeconfigError */
export const mapOf = (found: Found): Found =>
  isAbsent(found) || isObject(found.value) ? found : refuse(found, 'a map')

/** An absent value, as Go's decoder sees it: `null` is none. */
export const isAbsent = ({ value }: Found): boolean => value === undefined || value === null

/** The text of a member; undefined if it is absent or empty. @throws KubeconfigError */
export function textIn(found: Found, key: string): string | undefined {
  const text = inside(found, key)
  if (isAbsent(text) || text.value === '') return undefined
  return typeof text.value === 'string' ? text.value : refuse(text, 'a text, in quotes if it looks like a number')
}

/** A text that must be there. @throws KubeconfigError with `what` the field is for */
export const requiredText = (found: Found, key: string, what: string): string =>
  textIn(found, key) ?? refuseAbsent(inside(found, key), what)

function refuseAbsent({ place }: Found, what: string): never {
  throw new KubeconfigError(`${place} is missing: ${what}`)
}

/** @throws KubeconfigError */
export function flagIn(found: Found, key: string): boolean {
  const flag = inside(found, key)
  if (isAbsent(flag)) return false
  return typeof flag.value === 'boolean' ? flag.value : refuse(flag, 'true or false')
}

/** The items of a list. @throws KubeconfigError */
export function itemsIn(found: Found, key: string): readonly Found[] {
  const list = inside(found, key)
  if (!isAbsent(list) && !Array.isArray(list.value)) refuse(list, 'a list')
  return listOr(list.value).map((value, index) => ({ place: `${list.place}[${index}]`, value }))
}

/** The texts of a list. @throws KubeconfigError */
export const textsIn = (found: Found, key: string): readonly string[] =>
  itemsIn(found, key).map((item) => (typeof item.value === 'string' ? item.value : refuse(item, 'a text')))

/** The text whose bytes are given in base64; undefined if it is absent or empty. @throws KubeconfigError */
export function base64In(found: Found, key: string): string | undefined {
  const text = textIn(found, key)?.replaceAll(/[\r\n]/g, '')
  if (text === undefined) return undefined
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new KubeconfigError(`${inside(found, key).place} must be base64: copy it again, with every character`)
  return Buffer.from(text, 'base64').toString()
}
