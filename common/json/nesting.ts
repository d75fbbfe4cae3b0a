import { endOfString } from './bytes.ts'

/**
 * Whether the JSON in `bytes` (UTF-8) has lists and objects within each other to more than `depth` levels. Says nothing
 * useful about bytes that are not JSON. Not recursive: a parser may be.
 */
export function isDeeperThan(depth: number, bytes: Uint8Array): boolean {
  let level = 0
  for (let at = 0; at < bytes.length; at++)
    switch (bytes[at]) {
      case 0x22: // "
        at = endOfString(bytes, at + 1)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++level > depth) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        level--
        break
    }
  return false
}
