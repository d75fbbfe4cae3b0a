import { warning } from '../common/api/conditions.ts'
import { isLive } from '../common/api/expiry.ts'
import { known, knownOrAbsent, unknown } from '../common/api/known.ts'
import type { FieldError, Warning } from '../common/api/types.ts'
import { analysisWarnings } from '../common/assess/analysis-errors.ts'
import { type Assessment, assess, derivedFork } from '../common/assess/assess.ts'
import { meantWarnings } from '../common/assess/meant.ts'
import type { Mistake } from '../common/assess/merged-errors.ts'
import { promoteErrors } from '../common/assess/promotion-errors.ts'
import { sizeWarnings } from '../common/assess/size-errors.ts'
import { type DescribeOptions, describe } from '../common/describe/describe.ts'
import { promotionWarnings } from '../common/describe/promotion-warnings.ts'
import type { Components } from '../common/facts/facts.ts'
import { type Facts, forkAndSource, type PolicyFacts, type SpecFacts } from '../common/facts/facts.ts'
import { inDocumentOrder } from '../common/json/document-order.ts'
import { isCounting } from '../common/outcome/policy-decision.ts'
import { changesBetween } from '../common/override/changes.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import { type Evaluation, evaluate, plan } from '../common/plan/plan.ts'
import { COMMAND_FIELD } from '../common/policy/approval.ts'
import { replicasByStatus } from '../common/policy/counted-replicas.ts'
import type { PolicyFinding, ValidationAction } from '../common/policy/policy.ts'
import type { Yielder } from '../common/program/yielder.ts'
import { commandedRun } from '../common/situation/command-context.ts'
import { situationOf, withAddedHashes } from '../common/situation/situation-of.ts'
import type { ForkAndSource } from '../common/surroundings/pod-labels.ts'
import type { Surroundings } from '../common/surroundings/traffic-report.ts'
import { clauses } from '../common/text/fitted.ts'
import { alternatives } from '../common/text/list.ts'
import { type ComparedAssessment, compareAssessments, type PodRules, storedAssessment } from './ratchet/assessment.ts'
import { formerFindings, presentFindings } from './ratchet/compared-findings.ts'
import { policyOutcome } from './ratchet/policy-findings.ts'
import type { Ratcheted } from './ratchet/ratchet.ts'
import type { ExperimentCounter } from './reads/experiment-counter.ts'
import type { RequestFacts } from './reads/facts.ts'
import type { SimilarSources } from './reads/similar-sources.ts'
import { NO_SURROUNDINGS, type SurroundingsReader } from './reads/surroundings.ts'
import type { AdmissionRequest } from './review/admission-review.ts'
import { approvalErrors, setsApproval } from './review/approval.ts'
import { isPromoteCommand, newCommand } from './review/command.ts'
import { authorErrors, commandErrors } from './review/command-errors.ts'
import type { ReviewDecision } from './review/decision.ts'
import { nullWarnings } from './review/dropped-nulls.ts'
import { commandWarnings } from './review/manifest-command.ts'
import { misplacedKeys } from './review/misplaced-keys.ts'
import type { DecodedRequest } from './review/request.ts'
import { runErrors } from './run-errors.ts'

/** The request is refused because the policies could not be read in time. */
export const POLICIES_UNCHECKED: ReviewDecision = {
  is: 'unchecked',
  message: 'the policies of this cluster could not be checked in time, try again',
}

/** A request whose author has permission to read the source, with everything that was read for it. */
interface AuthorizedReview {
  readonly decoded: DecodedRequest
  readonly own: Ratcheted
  /** errors for annotations of ours that a user wrote by hand, or that the mutating webhook was to write */
  readonly forged: readonly FieldError[]
  /** whether the request only aborts the run, which no policy refuses */
  readonly isAbort: boolean
  readonly schema: SpecSchema | undefined
  readonly found: RequestFacts
  readonly policies: PolicyFacts
  readonly yielder: Yielder
  readonly installed: Components
  readonly podRules: PodRules
  readonly now: Date
}

/** The reads that depend on what was read first, and a counter of findings. */
interface LaterReads {
  /** the other experiments that limits count; undefined if they could not be read in time */
  readonly others: () => ReturnType<ExperimentCounter['others']>
  readonly surroundings: (pair: ForkAndSource) => ReturnType<SurroundingsReader['of']>
  /** the neighbours of the fork, which a review may need before it derives the fork */
  readonly neighbours: () => ReturnType<SurroundingsReader['neighbours']>
  /** workloads that the author may mean if the source does not exist */
  readonly similar: () => ReturnType<SimilarSources['of']>
  readonly onFinding: (action: ValidationAction) => void
}

/** The decision on a request whose author has permission to read the source. */
export async function decide(review: AuthorizedReview, reads: LaterReads): Promise<ReviewDecision> {
  const { decoded, own, policies, yielder, now } = review
  const neighbours = needsNeighbours(decoded) ? await reads.neighbours() : NO_SURROUNDINGS.neighbours
  yielder.resume()
  const early = specFacts(review, { ...NO_SURROUNDINGS, neighbours })
  const mistakes = [...review.forged, ...own.errors]
  // A known mistake stops the controller from writing, but must not hide new mistakes of this request.
  const before = situationOf(early)
  const judged = assess(before, () => own.errors)
  const assessment = own.known.length > 0 ? assess(before, () => own.known) : judged
  const compared = comparedWith(review, early, judged)
  await yielder.yieldIfLong()
  const pair = forkAndSource(early, derivedFork(judged))
  const [others, surroundings, similar] = await Promise.all([
    isCounting(policies) ? reads.others() : [],
    pair ? reads.surroundings(pair) : NO_SURROUNDINGS,
    isMissing(early) ? reads.similar() : [],
  ])
  if (others === undefined && review.isAbort) return decideAbort(decoded, review.forged)
  if (others === undefined) return mistakes.length > 0 ? invalid(decoded, mistakes) : POLICIES_UNCHECKED
  yielder.resume()
  const counted = others.map((experiment) => ({
    experiment,
    replicas: isLive(experiment, now) ? replicasByStatus(experiment) : undefined,
  }))
  const facts = {
    ...withAddedHashes(early, judged.is === 'wanted' ? judged.fork : undefined),
    surroundings,
    podRefusal: NO_EVENTS,
    podTrouble: NO_EVENTS,
    driftBackoffMs: 0,
    contestedMs: 0,
    policies: known({ ...policies, others: counted }),
  }
  const situation = situationOf(facts)
  const evaluation = evaluate(situation, assessment, judged)
  const update = { situation, now: judged, previous: decoded.previous, before: compared.before }
  const found = review.isAbort ? [] : presentFindings(update, evaluation.policy)
  const findings = found.filter((finding) => concernsRequest(finding, decoded.request))
  const outcome = policyOutcome({ spec: decoded.experiment.spec, findings }, () => formerFindings(update))
  for (const action of outcome.actions) reads.onFinding(action)
  await yielder.yieldIfLong()
  const { assessment: wanted } = evaluation
  const commanded = commandedRun(situation, wanted.is === 'wanted' ? wanted.fork : undefined)
  const errors = [
    ...review.forged,
    ...compared.errors,
    ...runErrors(situation, decoded, derivedFork(judged)),
    ...commandErrors(decoded.request, commanded, now),
    ...approvalErrors(decoded.request, commanded?.run.wholeRevision),
    ...(isPromoteCommand(decoded.request) ? promoteErrors(facts) : []),
    ...outcome.errors.map((error) => withSimilar(error, similar)),
  ]
  const audited = outcome.audit === undefined ? {} : { audit: outcome.audit }
  if (errors.length > 0) return { ...invalid(decoded, errors), ...audited }
  const warnings = [
    ...outcome.warnings,
    ...knownMistakes(own, compared, judged),
    ...promotionWarnings(facts),
    ...sizeWarnings(facts),
    ...analysisWarnings(facts),
    ...nullWarnings(decoded.request),
    ...commandWarnings(decoded.request),
    ...misplacedKeys(decoded.request),
    ...meantWarnings(decoded.experiment),
    ...describe(situation, plan(situation, evaluation), {
      ...describedBy(facts, review, evaluation, compared),
      suggestions: meantBy(similar),
    }),
  ]
  return { is: 'admitted', warnings, ...audited }
}

/**
 * The decision on an abort that cannot be judged now, or that lacks consent: to stop a run needs neither consent nor
 * policies. The controller answers a command that does not fit.
 */
export function decideAbort(decoded: DecodedRequest, forged: readonly FieldError[]): ReviewDecision {
  const errors = [...forged, ...authorErrors(decoded.request)]
  return errors.length > 0 ? invalid(decoded, errors) : { is: 'admitted', warnings: [] }
}

/** Whether this request caused the finding. A command or approval that was admitted before is not judged again. */
const concernsRequest = ({ about, error }: PolicyFinding, request: AdmissionRequest): boolean =>
  about !== 'approval' || (error.field === COMMAND_FIELD ? newCommand(request) !== undefined : setsApproval(request))

/**
 * Whether the neighbours must be known as they are now: the pods of a preview depend on them, now or before the update,
 * and whether the source may get smaller.
 */
const needsNeighbours = ({ experiment, previous }: DecodedRequest): boolean =>
  experiment.spec.strategy?.canary?.scaleDownSource === true ||
  [experiment, previous].some((each) => each?.spec.strategy?.blueGreen !== undefined)

/** The source does not exist, and no fork of it does. */
const isMissing = ({ source, fork }: SpecFacts): boolean => source.is === 'absent' && fork.is === 'absent'

const meantBy = (similar: readonly string[]): readonly string[] =>
  similar.length === 0 ? [] : [`did you mean ${alternatives(similar)}?`]

/** A policy may refuse what has no source yet. */
const withSimilar = (error: FieldError, similar: readonly string[]): FieldError =>
  error.field === 'spec.sourceRef' ? { ...error, message: [error.message, ...meantBy(similar)].join('; ') } : error

const NOT_READ = unknown('not read in a review')
const NO_EVENTS = unknown('a review does not read Events')

/** The facts that the plan needs, as far as they are read at this point. */
function specFacts(
  { decoded: { experiment }, schema, found, installed, now }: AuthorizedReview,
  surroundings: Surroundings,
): SpecFacts {
  const { creationTimestamp = now.toISOString() } = experiment.metadata
  const { access: _access, needs: _needs, ...read } = found
  return {
    ...read,
    experiment: { ...experiment, metadata: { ...experiment.metadata, creationTimestamp } },
    schema: knownOrAbsent(schema),
    now,
    surroundings,
    installed,
    gate: installed.gate ? { pods: NOT_READ } : undefined,
    cutOver: installed.cutOver ? { services: NOT_READ } : undefined,
    isExcluded: false, // our webhook configurations send no reviews for excluded namespaces
  }
}

/** New mistakes in the override itself are reported alone: the assessment stops at them and finds no others. */
const comparedWith = (
  { own, decoded, podRules }: AuthorizedReview,
  facts: SpecFacts,
  judged: Assessment,
): ComparedAssessment =>
  own.errors.length > 0
    ? { errors: own.errors, known: [], before: storedAssessment(facts, decoded.previous) }
    : compareAssessments(judged, facts, { previous: decoded.previous, podRules })

/**
 * Warnings for mistakes that the stored experiment has too, or about which the API server decides: one per field,
 * because the merged spec may repeat it.
 */
function knownMistakes(own: Ratcheted, compared: ComparedAssessment, judged: Assessment): readonly Warning[] {
  const fields = new Set(own.known.map(({ field }) => field))
  const warnings = (errors: readonly Mistake[], reason: Warning['reason']): readonly Warning[] =>
    errors.map(({ field, message, isLeftToApiServer }) =>
      warning(reason, ...clauses(`${field}: ${message}${isLeftToApiServer ? API_SERVER_DECIDES : ''}`)),
    )
  return [
    ...warnings(own.known, 'InvalidOverride'),
    ...warnings(
      compared.known.filter(({ field }) => !fields.has(field)),
      judged.is === 'blocked' ? judged.decision.reason : 'InvalidOverride',
    ),
  ]
}

const API_SERVER_DECIDES = '; the controller applies it, and the API server decides'

/** The changes to describe: for an existing fork those between the two derived specs, before the update and now. */
function describedBy(
  { fork }: Facts,
  review: AuthorizedReview,
  of: Evaluation,
  compared: ComparedAssessment,
): DescribeOptions {
  const { request } = review.decoded
  const isDryRunOfCreate = request.operation === 'CREATE' && request.dryRun
  const changes = () => {
    const { assessment } = of
    const before = fork.is === 'absent' ? undefined : compared.before()
    const effect = assessment.effect?.()
    return assessment.is === 'wanted' && before?.is === 'wanted' && effect
      ? changesBetween(before.fork.spec, assessment.fork.spec, effect.shape)
      : (effect?.changes() ?? [])
  }
  return { evaluation: of, changes, isDryRunOfCreate }
}

/** A refusal with all mistakes, in the order of their fields in the manifest. */
export const invalid = ({ name, experiment }: DecodedRequest, errors: readonly FieldError[]) => ({
  is: 'invalid' as const,
  name,
  errors: inDocumentOrder('spec', experiment.spec, errors),
})
