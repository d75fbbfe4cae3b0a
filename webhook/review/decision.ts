import { MAX_WARNING } from '../../common/api/conditions.ts'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import { attributesOf } from '../../common/api/reasons.ts'
import type { FieldError, Warning } from '../../common/api/types.ts'
import { escapeInvisible, escapeToAscii } from '../../common/json/escape.ts'
import { MAX_FOUND } from '../../common/schema/messages.ts'
import { fitted } from '../../common/text/fitted.ts'
import { shortenedList } from '../../common/text/list.ts'
import type { DenialStatus, ReviewAnswer } from './admission-review.ts'

/** The decision on a request: admitted, invalid, forbidden for its author, or not checked in time. */
export type ReviewDecision =
  | ({ readonly is: 'admitted'; readonly warnings: readonly Warning[] } & Audited)
  | ({ readonly is: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] } & OfKind & Audited)
  | { readonly is: 'forbidden'; readonly message: string }
  | { readonly is: 'unchecked'; readonly message: string }

interface OfKind {
  /** absent: an ExperimentDeployment */
  readonly kind?: string
}

/** What a decision writes into the audit log. */
interface Audited {
  /** the findings of policies with the action Audit, without values; absent if there are none */
  readonly audit?: string
}

/** The most mistakes that are listed. The others are only counted. */
const MAX_ERRORS = 20
/** The longest `status.message`, in characters. It repeats the mistakes in one line. */
const MAX_MESSAGE = 2_048

/** `decision` as an answer to the API server. kubectl prints the causes of a 422 line by line. */
export function answerForDecision(decision: ReviewDecision): ReviewAnswer {
  switch (decision.is) {
    case 'admitted':
      return { allowed: true, warnings: linesOf(decision.warnings), ...annotations(decision) }
    case 'invalid':
      return { allowed: false, status: invalid(decision), ...annotations(decision) }
    case 'forbidden':
      return deniedAnswer(403, decision.message)
    case 'unchecked':
      return deniedAnswer(504, decision.message)
  }
}

const annotations = ({ audit }: Audited): Pick<ReviewAnswer, 'auditAnnotations'> =>
  audit === undefined ? {} : { auditAnnotations: { 'policy-findings': escapeInvisible(audit) } }

function invalid({
  kind = EXPERIMENT_DEPLOYMENT.kind,
  name,
  errors,
}: Extract<ReviewDecision, { is: 'invalid' }>): DenialStatus {
  const causes = errors.slice(0, MAX_ERRORS).map(({ field, message, cause }) => ({
    reason: cause,
    field: escapeInvisible(field),
    message: escapeInvisible(message), // also because a line break would split a line of the list of mistakes
  }))
  const more = errors.length - MAX_ERRORS
  const atLeast = errors.length >= MAX_FOUND ? 'at least ' : ''
  if (more > 0) causes.push({ reason: 'FieldValueInvalid', field: 'spec', message: `and ${atLeast}${more} more` })
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`)
  const all = lines.join(', ')
  return {
    code: 422,
    reason: 'Invalid',
    message:
      all.length <= MAX_MESSAGE
        ? all
        : fitted(MAX_MESSAGE, [shortenedList(lines.slice(0, MAX_ERRORS), MAX_ERRORS, errors.length)]),
    details: { group: GROUP, kind, name: escapeInvisible(name), causes },
  }
}

/** The reasons of apimachinery for the HTTP status codes of our denials. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
  504: 'Timeout',
}

/** A refusal that is not about fields of the object. `code` is an HTTP status, as in a `Status` of apimachinery. */
export const deniedAnswer = (code: number, message: string): ReviewAnswer => {
  // The API server turns this into the header Retry-After. Without it kubectl does not try again.
  const details = code === 429 ? { details: { retryAfterSeconds: 1 } } : {}
  const reason = REASONS[code] ?? 'InternalError'
  return { allowed: false, status: { code, reason, message: escapeInvisible(message), ...details } }
}

/**
 * The API server cuts each warning to 256 characters if all together exceed 4,096, and drops what exceeds that then.
 */
const MAX_WARNINGS = 16

/** One line for `kubectl`: `[Reason] message` in printable ASCII, at most 256 characters. */
export function lineOf({ reason, message }: Warning): string {
  // the API server drops a warning with a line break
  return fitted(MAX_WARNING, [escapeToAscii(`[${reason}] ${message}`)])
}

/**
 * The lines of `warnings` without duplicates, at most sixteen. If there are more, the last line is the number of those
 * that are left out: the last ones, but of the plan only when no others are left, because nobody can guess the fork.
 */
export function linesOf(warnings: readonly Warning[]): readonly string[] {
  const lines = new Map(warnings.map((warning) => [lineOf(warning), warning]))
  if (lines.size <= MAX_WARNINGS) return [...lines.keys()]
  const [plan, others] = [true, false].map((isPlan) =>
    [...lines]
      .filter(([, { reason }]) => (attributesOf(reason).isLeftOutLast === true) === isPlan)
      .map(([line]) => line),
  )
  const shown = new Set([...(plan ?? []), ...(others ?? [])].slice(0, MAX_WARNINGS - 1))
  const more = lineOf({ reason: 'Plan', message: `and ${lines.size - shown.size} more` })
  return [...[...lines.keys()].filter((line) => shown.has(line)), more]
}
