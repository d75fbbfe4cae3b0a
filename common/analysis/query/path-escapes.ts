/** `//`, a backslash, a segment `.`, or one that begins with `..`: some servers read `..;a` as `..`. */
const ELSEWHERE = /\/\/|\\|\/\.(?:\.|\/|$)/

/** Whether a server that decodes `path`, however often, could read another place in it. */
export function escapesPath(path: string): boolean {
  for (let before = '', text = path; text !== before; text = decoded(text)) {
    if (ELSEWHERE.test(text)) return true
    before = text
  }
  return false
}

/** Byte by byte, because `decodeURIComponent` refuses a text in which some bytes are no UTF-8. */
const decoded = (text: string): string =>
  text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
