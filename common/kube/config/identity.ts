import type { User } from './kubeconfig.ts'
import { fileIn } from './read.ts'

/** Headers of a request. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/**
 * The `Authorization` header that a user's entry says by itself, and none if it has no token, no file with one and no
 * name. As for kubectl, a file counts before a token. A file may end with a line feed, which no header may have.
 * @throws KubeconfigError if the file cannot be read
 */
export function authorizationOf({ place, token, tokenFile, username, password }: User): Headers {
  const bearer = tokenFile === undefined ? token : fileIn(`${place}.tokenFile`, tokenFile)
  if (bearer !== undefined) return { Authorization: `Bearer ${bearer.trim()}` }
  if (username === undefined && password === undefined) return {}
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')
  return { Authorization: `Basic ${basic}` }
}

/** Whether a user's entry says who it is without a credential plugin. Then, as for kubectl, none is run. */
export const isKnown = ({ token, tokenFile, username, password, certFile, certData }: User): boolean =>
  [token, tokenFile, username, password, certFile, certData].some((each) => each !== undefined)

/** The headers that make the API server treat a request as that of another user. */
export function impersonation({ as, asUid, asGroups, asUserExtra }: User): Headers {
  if (as === undefined) return {}
  const extra = Object.entries(asUserExtra).map(([key, values]) => [`Impersonate-Extra-${escaped(key)}`, values])
  return {
    'Impersonate-User': as,
    ...(asUid === undefined ? {} : { 'Impersonate-Uid': asUid }),
    ...(asGroups.length > 0 ? { 'Impersonate-Group': asGroups } : {}),
    ...Object.fromEntries(extra),
  }
}

/** A key as a part of a header's name: bytes that cannot be in one, and `%`, as `%2F`. */
const escaped = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => [byte, String.fromCharCode(byte)] as const)
    .map(([byte, char]) =>
      /[\w!#$&'*+.^`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')
