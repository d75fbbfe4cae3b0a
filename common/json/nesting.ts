import { structureOf } from './too-structured.ts'

/** Whether the JSON in `bytes` (UTF-8) has lists and objects within each other to more than `depth` levels. */
export const isDeeperThan = (depth: number, bytes: Uint8Array): boolean =>
  structureOf(bytes, Number.POSITIVE_INFINITY).levels > depth
