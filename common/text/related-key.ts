/**
 * The key among `known` whose last word is `found`, as `secretName` is for `name`: the only one, or the only one that
 * is required.
 */
export function withLastWord(found: string, known: readonly string[], required: readonly string[]): string | undefined {
  if (found.length < 4 || /[A-Z]/.test(found)) return undefined // several words have a meaning of their own
  const ending = `${found.charAt(0).toUpperCase()}${found.slice(1)}`
  const ended = known.filter((key) => key.endsWith(ending))
  return only(ended.filter((key) => required.includes(key))) ?? only(ended)
}

/** How much of the longer key the shorter one must be. */
const MOST = 0.55

/**
 * The only key among `known` that has all letters of `found` in their order, or whose letters `found` has: the short
 * form `secretRef` of `secretKeyRef`, or `updateStrategy` for `strategy`. The longer one is less than twice as long.
 */
export const withSameLetters = (found: string, known: readonly string[]): string | undefined =>
  found.length < 5 || found.length > MAX_LENGTH
    ? undefined
    : only(
        known.filter((key) => {
          const [short, long] = key.length < found.length ? [key, found] : [found, key]
          return short.length >= long.length * MOST && isWithin(short.toLowerCase(), long.toLowerCase())
        }),
      )

/** No field has a longer name. */
const MAX_LENGTH = 100

function isWithin(short: string, long: string): boolean {
  let at = 0
  for (const letter of long) if (letter === short[at]) at += 1
  return at === short.length
}

const only = (keys: readonly string[]): string | undefined => (keys.length === 1 ? keys[0] : undefined)
