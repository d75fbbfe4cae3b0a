const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = [0x5b, 0x7b]
const CLOSE = [0x5d, 0x7d]

/**
 * Whether the JSON in `bytes` (UTF-8) has lists and objects within each other to more than `depth` levels. Says nothing
 * useful about bytes that are not JSON. Not recursive: a parser may be.
 */
export function isDeeperThan(depth: number, bytes: Uint8Array): boolean {
  let level = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isInText && byte === BACKSLASH) at++
    else if (byte === QUOTE) isInText = !isInText
    else if (isInText || byte === undefined) continue
    else if (OPEN.includes(byte)) level++
    else if (CLOSE.includes(byte)) level--
    if (level > depth) return true
  }
  return false
}
