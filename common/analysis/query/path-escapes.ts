/** `//`, a backslash, a segment `.`, or one that begins with `..`: some servers read `..;a` as `..`. */
const ELSEWHERE = /\/\/|\\|\/\.(?:\.|\/|$)/

/**
 * What some servers leave out, or read as another character: control characters, bytes that UTF-8 allows for no
 * character, such as C0 AE for a dot, and `%u002e`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNREADABLE = /[\u0000-\u001f\u007f\u00c0\u00c1]|\u00e0[\u0080-\u009f]|\u00f0[\u0080-\u008f]|%u[\da-f]{4}/i

/** Whether a server that decodes `path`, however often, could read another place in it. */
export function escapesPath(path: string): boolean {
  for (let before = '', text = path; text !== before; text = decoded(text)) {
    if (UNREADABLE.test(text) || ELSEWHERE.test(text) || ELSEWHERE.test(asPlain(text))) return true
    before = text
  }
  return false
}

/** Byte by byte, because `decodeURIComponent` refuses a text in which some bytes are no UTF-8. */
const decoded = (text: string): string =>
  text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** The bytes as UTF-8, with the plain form of characters such as the wide dot U+FF0E. */
const asPlain = (text: string): string =>
  new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0))).normalize('NFKC')
