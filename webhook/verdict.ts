import { EXPERIMENT_DEPLOYMENT, GROUP } from '../common/api/names.ts'
import type { FieldError } from '../common/api/types.ts'
import type { Answer } from './review.ts'
import { limited } from './warnings.ts'

/** What is wrong, or what will be done. Never both. */
export type Verdict =
  | { readonly allowed: true; readonly warnings: readonly string[] }
  | { readonly allowed: false; readonly name: string; readonly errors: readonly FieldError[] }

/** Mistakes that are told one by one; more help nobody. */
const MAX_ERRORS = 20
/** Of `status.message`, which repeats them in one line. */
const MAX_MESSAGE = 2_048

/** `verdict` for the API server: 422 with a cause per mistake, which kubectl prints line by line. */
export function answerTo(verdict: Verdict): Answer {
  if (verdict.allowed) return { allowed: true, warnings: limited(verdict.warnings) }
  const causes = verdict.errors
    .slice(0, MAX_ERRORS)
    .map(({ field, message, cause }) => ({ reason: cause, field, message: printable(message) }))
  const more = verdict.errors.length - MAX_ERRORS
  if (more > 0) causes.push({ reason: 'FieldValueInvalid', field: 'spec', message: `and ${more} more` })
  const message = causes.map((cause) => `${cause.field}: ${cause.message}`).join(', ')
  return {
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 3)}...`,
      details: { group: GROUP, kind: EXPERIMENT_DEPLOYMENT.kind, name: verdict.name, causes },
    },
  }
}

/** A line break of the user's own would tear the list of mistakes apart. */
const printable = (message: string): string => message.replaceAll(/\p{Cc}/gu, '?')
