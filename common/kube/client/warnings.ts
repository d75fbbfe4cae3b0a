/** The code with which the API server warns clients. Source: `net/http.Warning` of Kubernetes, RFC 7234, 5.5. */
const MISCELLANEOUS_PERSISTENT = '299'
/** The API server cuts the texts of one answer at 10 KiB together. What is beyond these limits it has not written. */
const MAX_WARNINGS = 100
const MAX_LENGTH = 4_096

/** `299 - "text"`, perhaps a date, then the end or a comma. In the text, a character after `\` counts as it is. */
const WARNING = /[ \t]*(\d{3}) ([^\s",]+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?[ \t]*(?:,|$)/y

/**
 * The texts in the `Warning` headers of an answer, each once, in their order. Of a header that is malformed, what
 * follows the mistake is left out. So are other codes, texts with control characters, and texts that are too long.
 * @param header as undici gives it: each byte is a character
 */
export function warningsIn(header: string | readonly string[] | undefined): readonly string[] {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  return [...new Set(lines.flatMap(textsOf))].slice(0, MAX_WARNINGS)
}

function textsOf(line: string): readonly string[] {
  const pattern = new RegExp(WARNING)
  const texts: string[] = []
  while (pattern.lastIndex < line.length) {
    const [, code, , quoted = ''] = pattern.exec(line) ?? []
    if (code === undefined) break
    const text = decoded(quoted.replaceAll(/\\(.)/g, '$1'))
    if (code === MISCELLANEOUS_PERSISTENT && text && text.length <= MAX_LENGTH) texts.push(text)
  }
  return texts
}

/** The text whose UTF-8 bytes are these characters; undefined if they are no UTF-8, or have control characters. */
function decoded(bytes: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
    return /\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
