import { escapeInvisible, escapeTexts } from '../json/escape.ts'

/** A part of a text. One that may be shortened is the list of its forms, the longest first; `''` leaves it out. */
export type Part = string | readonly string[]

/**
 * `parts` as one text of at most `max` characters. What does not fit is left out whole: the last part that has shorter
 * forms is shortened first, so explanations belong behind the facts. If the shortest forms are too long, the longest
 * words become `...`, because a part of a name or value is misleading. Invisible characters, which may be somebody
 * else's, are escaped.
 */
export function fitted(max: number, parts: readonly Part[]): string {
  const visible = parts.map(escapeTexts)
  const shown = visible.map((part) => (typeof part === 'string' ? part : (part[0] ?? '')))
  let length = shown.reduce((sum, text) => sum + text.length, 0)
  for (let at = parts.length - 1; length > max && at >= 0; at -= 1) {
    const forms = visible[at]
    if (typeof forms !== 'object') continue
    const others = length - (shown[at]?.length ?? 0)
    const form = forms.find((each) => others + each.length <= max) ?? shortest(forms)
    shown[at] = form
    length = others + form.length
  }
  const text = shown.join('')
  return length <= max ? text : withoutLongWords(text, max)
}

const shortest = (forms: readonly string[]): string => forms.toSorted((a, b) => a.length - b.length)[0] ?? ''

/** An explanation, which is left out if it does not fit. */
export const optionalClause = (text: string): Part => [text, '']

/** A message as parts: its first clause is the point, and each one behind a `; ` is an explanation. */
export const clauses = (message: string): readonly Part[] =>
  split(message).map((clause, index) => (index === 0 ? clause : optionalClause(clause)))

/** As many whole clauses of `message` as fit, and `; ...` if these are not all. Escapes invisible characters. */
export function wholeClauses(max: number, text: string): string {
  const message = escapeInvisible(text)
  if (message.length <= max) return message
  const [first = '', ...others] = split(message)
  const more = `; ${OMITTED}`
  let shown = fitted(max - more.length, [first])
  for (const clause of others) {
    if (shown.length + clause.length + more.length > max) break
    shown += clause
  }
  return shown + more
}

/** A quoted value, what begins a clause, or a quote without an end, behind which no other quote has one. */
const CLAUSE = /"(?:[^"\\]|\\.)*("?)|; /gs

/**
 * The clauses of `message`, each but the first with the `; ` before it. Takes a time proportional to its length: it may
 * be somebody else's, and a megabyte long.
 */
function split(message: string): readonly string[] {
  if (!message.includes('; ')) return [message]
  const starts: number[] = []
  for (const { 0: found, 1: end, index } of message.matchAll(CLAUSE)) {
    if (found === '; ') starts.push(index)
    else if (end === '') {
      for (let at = message.indexOf('; ', index); at >= 0; at = message.indexOf('; ', at + 1)) starts.push(at)
      break
    }
  }
  return [0, ...starts].map((start, at) => message.slice(start, starts[at]))
}

const OMITTED = '...'
/** The least length of a word that is left out: a shorter one saves too little. */
const LONG_WORD = 24

function withoutLongWords(text: string, max: number): string {
  const words = text.split(' ')
  let length = text.length
  for (const { word, at } of words.map((word, at) => ({ word, at })).sort((a, b) => b.word.length - a.word.length)) {
    if (length <= max || word.length <= LONG_WORD) break
    const omitted = withoutWord(word)
    words[at] = omitted
    length -= word.length - omitted.length
  }
  if (length <= max) return words.join(' ')
  while (words.length > 0 && length > max - OMITTED.length - 1) length -= (words.pop()?.length ?? 0) + 1
  return [...words, OMITTED].join(' ')
}

/** `...` with the brackets and quotes around `word`, and the punctuation behind it. */
function withoutWord(word: string): string {
  const [open = ''] = /^["(]*/.exec(word) ?? []
  let isAt = word.length
  while (isAt > open.length && ',;:.'.includes(word[isAt - 1] ?? ' ')) isAt -= 1
  const end = word.slice(isAt)
  const closing = open === '("' ? '")' : open === '(' ? ')' : open
  return `${open}${OMITTED}${word.endsWith(closing + end) ? closing : ''}${end}`
}
