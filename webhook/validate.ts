import { knownValue } from '../common/api/known.ts'
import { EXPERIMENT_POLICY } from '../common/api/names.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import { notServed, notShared, overrideErrors } from '../common/assess/checks.ts'
import type { Components, PolicyFacts } from '../common/facts/facts.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import { needsOtherApprover } from '../common/policy/approval.ts'
import { isOutside, type ValidationAction } from '../common/policy/policy.ts'
import type { Clock, Timers } from '../common/program/clock.ts'
import { startDeadline } from '../common/program/deadline.ts'
import { Yielder } from '../common/program/yielder.ts'
import { decide, decideAbort, invalid, POLICIES_UNCHECKED } from './decide.ts'
import type { PodRules } from './ratchet/assessment.ts'
import { type Ratcheted, ratchet } from './ratchet/ratchet.ts'
import { formatNeeds } from './reads/access.ts'
import { ExperimentCounter } from './reads/experiment-counter.ts'
import { type RequestFacts, readFacts } from './reads/facts.ts'
import type { PolicySource } from './reads/policies.ts'
import { bounded, type Reader, sharing, within } from './reads/reader.ts'
import { SimilarSources } from './reads/similar-sources.ts'
import { SurroundingsReader } from './reads/surroundings.ts'
import type { AdmissionRequest } from './review/admission-review.ts'
import { requesterErrors } from './review/approval.ts'
import { isAbortOnly } from './review/command.ts'
import type { ReviewDecision } from './review/decision.ts'
import { annotationErrors } from './review/defaults-patch.ts'
import { type DecodedRequest, decodeRequest, nameIn } from './review/request.ts'
import { reviewPolicy, withMissingNamespaces } from './validate-policy.ts'

/** What the validating webhook needs. */
export interface ValidatorDeps {
  readonly kube: Reader
  readonly schemas: { schemaOf(kind: string): SpecSchema | undefined }
  readonly policies: PolicySource
  /** called for each finding of a policy */
  readonly onFinding?: (action: ValidationAction) => void
  readonly timers: Timers
  readonly clock: Clock
  readonly installed: Components
  /** default: refuse */
  readonly podRules?: PodRules
}

/** Our configuration makes the API server wait for 5 s. The difference is for the transport of the answer. */
const REVIEW_MS = 4_500

/** Reports every mistake, or what the controller will do. Writes nothing, so that a dry run gets the same answer. */
export const validator = (deps: ValidatorDeps) => {
  const kube = sharing(bounded(deps.kube))
  const [counter, surroundings] = [new ExperimentCounter(kube, deps.timers), new SurroundingsReader(kube, deps.timers)]
  const similar = new SimilarSources(kube, deps.timers)
  return async (request: AdmissionRequest, limitMs = REVIEW_MS): Promise<ReviewDecision> => {
    if (request.resource === EXPERIMENT_POLICY.plural)
      return withMissingNamespaces(request, reviewPolicy(request, deps.schemas), {
        kube,
        onlyNamespace: deps.policies.onlyNamespace,
      })
    const yielder = new Yielder(deps.timers)
    const read = decodeRequest(request)
    if (read.is === 'invalid') return { is: 'invalid', name: nameIn(request), errors: read.errors }
    const { decoded } = read
    await yielder.yieldIfLong()
    const outside = outsideOf(decoded, deps.policies)
    if (outside.length > 0) return invalid(decoded, outside)
    const schema = deps.schemas.schemaOf(decoded.kind.kind)
    const own = ownErrors(decoded, schema)
    const forged = annotationErrors(request)
    const deadline = startDeadline(deps.timers, limitMs)
    try {
      const scope = { kube: within(kube, { limitMs, signal: deadline.signal }), signal: deadline.signal }
      const { policies: source, installed } = deps
      const found = await readFacts({ ...scope, policies: source, installed }, decoded)
      yielder.resume()
      const entitlement = entitlementOf(decoded, [...forged, ...own.errors], found)
      const isAbort = isAbortOnly(request)
      if (entitlement.is === 'refused')
        return isAbort && found.access !== 'refused' ? decideAbort(decoded, forged) : entitlement.decision
      const [{ policies }, now] = [entitlement, deps.clock()]
      return await decide(
        {
          ...{ decoded, own, isAbort, schema, found, policies, installed, yielder, now },
          podRules: deps.podRules ?? 'refuse',
          forged: [...forged, ...(needsOtherApprover(policies.policies) ? requesterErrors(request) : [])],
        },
        {
          others: () => counter.others(decoded, policies, deadline.signal),
          surroundings: (pair) => surroundings.of(pair, scope),
          neighbours: () => surroundings.neighbours(decoded.source.namespace, scope),
          similar: () => similar.of(decoded, scope),
          onFinding: deps.onFinding ?? (() => undefined),
        },
      )
    } finally {
      deadline.end()
    }
  }
}

/** The mistake of an experiment that is not served. Nothing is read for it, because that is not permitted. */
function outsideOf({ request, source }: DecodedRequest, { onlyNamespace }: PolicySource): readonly FieldError[] {
  if (isOutside(request.namespace, onlyNamespace)) return [notServed('metadata.namespace', onlyNamespace)]
  return isOutside(source.namespace, onlyNamespace) ? [notServed('spec.sourceRef.namespace', onlyNamespace)] : []
}

/**
 * The mistakes of the override alone. A stored one may have them too, because the webhook was down or a rule is
 * newer, and an update that only lowers `ttlSeconds` must still be admitted.
 */
function ownErrors({ experiment, previous }: DecodedRequest, schema: SpecSchema | undefined): Ratcheted {
  const judged = (of: ExperimentDeployment) => ({ spec: of.spec, errors: overrideErrors(of, schema) })
  return ratchet(judged(experiment), () => previous && judged(previous))
}

/** The policies, if the requester may read the source, or else a decision that does not reveal anything about it. */
type Entitlement =
  | { readonly is: 'entitled'; readonly policies: PolicyFacts }
  | { readonly is: 'refused'; readonly decision: ReviewDecision }

function entitlementOf(
  decoded: DecodedRequest,
  own: readonly FieldError[],
  { access, needs, policies }: RequestFacts,
): Entitlement {
  const refused = (decision: ReviewDecision): Entitlement => ({ is: 'refused', decision })
  const facts = knownValue(policies)
  const missingPermission = (): FieldError => ({
    field: 'spec.sourceRef',
    message: formatNeeds(needs),
    cause: 'FieldValueForbidden',
  })
  const missing =
    access === 'refused'
      ? [missingPermission()]
      : facts?.isShared === false
        ? [notShared(decoded.experiment, facts)]
        : []
  if (access === 'granted' && facts && missing.length === 0) return { is: 'entitled', policies: facts }
  if (own.length > 0) return refused(invalid(decoded, [...missing, ...own]))
  if (access === 'refused') return refused({ is: 'forbidden', message: formatNeeds(needs) })
  if (missing.length > 0) return refused(invalid(decoded, missing))
  if (access !== 'notChecked') return refused(POLICIES_UNCHECKED)
  const message = `your permissions could not be checked in time (${formatNeeds(needs)}), try again`
  return refused({ is: 'unchecked', message })
}
