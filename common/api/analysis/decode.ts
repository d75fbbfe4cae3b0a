import { mismatches } from '../../json/conform.ts'
import { formatPath } from '../../json/field-path.ts'
import type { Structure } from '../../json/structure.ts'
import type { AnalysisStatus } from './analysis.ts'
import { ANALYSIS_STATUS } from './structures.ts'

/** A member that is not as the API says. It is a `FieldError`. */
interface Malformed {
  readonly field: string
  readonly message: string
  readonly cause: 'FieldValueTypeInvalid'
}

/**
 * Every mistake of a value at `root` of a manifest, as far as its structure can say; empty for a sound one. The CRD has
 * refused them before, so they occur only in a cluster whose CRD was changed by hand.
 */
export const malformed = (value: unknown, structure: Structure, root: string): readonly Malformed[] =>
  mismatches(value, structure).map(({ path, expected }) => ({
    field: formatPath(root, path),
    message: `must be ${expected}`,
    cause: 'FieldValueTypeInvalid',
  }))

/** Whether a stored value is `status.analysis`. */
export const isAnalysisStatus = (value: unknown): value is AnalysisStatus =>
  mismatches(value, ANALYSIS_STATUS).length === 0
