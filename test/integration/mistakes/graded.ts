import type { GradedMistake } from './graded-mistake.ts'
import { HABITS, SHAPES } from './of-habits.ts'
import { NAMES, OTHER_KINDS, VALUES } from './of-names.ts'

/** Sixty-odd mistakes of ordinary users. None may be answered by a plan that cannot come true. */
export const GRADED: readonly GradedMistake[] = [...HABITS, ...SHAPES, ...VALUES, ...NAMES, ...OTHER_KINDS]
