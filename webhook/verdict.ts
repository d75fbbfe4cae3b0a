import { EXPERIMENT_DEPLOYMENT, GROUP } from '../common/api/names.ts'
import type { FieldError } from '../common/api/types.ts'
import { MAX_FOUND } from '../common/schema/messages.ts'
import type { Answer, DenialStatus } from './review.ts'
import { limited } from './warnings.ts'

/** What will be done, what is wrong, that its author may not do it, or that nobody could tell in time. */
export type Verdict =
  | ({ readonly is: 'admitted'; readonly warnings: readonly string[] } & Audited)
  | ({ readonly is: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] } & Audited)
  | { readonly is: 'forbidden'; readonly message: string }
  | { readonly is: 'unchecked'; readonly message: string }

/** What a verdict leaves in the audit log. */
interface Audited {
  /** what policies that audit have found, without values; absent where there is nothing */
  readonly audit?: string
}

/** Mistakes that are told one by one; more help nobody. */
const MAX_ERRORS = 20
/** Of `status.message`, which repeats them in one line. */
const MAX_MESSAGE = 2_048

/** `verdict` for the API server: 422 with a cause per mistake, which kubectl prints line by line; 403; 504. */
export function answerTo(verdict: Verdict): Answer {
  switch (verdict.is) {
    case 'admitted':
      return { allowed: true, warnings: limited(verdict.warnings), ...annotations(verdict) }
    case 'invalid':
      return { allowed: false, status: invalid(verdict), ...annotations(verdict) }
    case 'forbidden':
      return { allowed: false, status: { code: 403, reason: 'Forbidden', message: verdict.message } }
    case 'unchecked':
      return { allowed: false, status: { code: 504, reason: 'Timeout', message: verdict.message } }
  }
}

const annotations = ({ audit }: Audited): Pick<Answer, 'auditAnnotations'> =>
  audit === undefined ? {} : { auditAnnotations: { 'policy-findings': audit } }

function invalid({ name, errors }: Extract<Verdict, { is: 'invalid' }>): DenialStatus {
  const causes = errors
    .slice(0, MAX_ERRORS)
    .map(({ field, message, cause }) => ({ reason: cause, field, message: printable(message) }))
  const more = errors.length - MAX_ERRORS
  const atLeast = errors.length >= MAX_FOUND ? 'at least ' : ''
  if (more > 0) causes.push({ reason: 'FieldValueInvalid', field: 'spec', message: `and ${atLeast}${more} more` })
  const message = causes.map((cause) => `${cause.field}: ${cause.message}`).join(', ')
  return {
    code: 422,
    reason: 'Invalid',
    message: message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 3)}...`,
    details: { group: GROUP, kind: EXPERIMENT_DEPLOYMENT.kind, name, causes },
  }
}

/** A line break of the user's own would tear the list of mistakes apart. */
const printable = (message: string): string => message.replaceAll(/\p{Cc}/gu, '?')
