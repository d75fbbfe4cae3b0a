import { amount, anyNumber, arrayOf, object, optional, time } from '../../json/structure.ts'

/** What the engine of a metric remembers, since its numbers have a version: doubles, as in `state`. */
export interface RunMemory {
  readonly version: number
  readonly numbers: readonly number[]
  /** present if another version of the controller had begun the run: windows count since then */
  readonly since?: string
}

/** The most numbers: 45 KB. */
const MAX_NUMBERS = 2_000

/** `memory` of a metric in the status of an analysis run. */
export const RUN_MEMORY = object<RunMemory>({
  version: amount,
  numbers: arrayOf(anyNumber, MAX_NUMBERS),
  since: optional(time),
})
