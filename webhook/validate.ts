import { inDocumentOrder } from '../common/api/document-order.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { ValidationAction } from '../common/api/policy.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import type { Clock, Timers } from '../common/clock.ts'
import { startDeadline } from '../common/deadline.ts'
import { endpointsBeside } from '../common/workload/endpoints.ts'
import type { SpecSchema } from '../common/workload/kind.ts'
import type { Scene } from '../common/workload/outlook.ts'
import { sidesOf } from '../common/workload/sides.ts'
import { type Need, tellNeeds } from './access.ts'
import { type Asked, askedBy, nameIn } from './asked.ts'
import { Census } from './census.ts'
import { type Derivation, derivation } from './derivation.ts'
import { overrideFindings } from './findings.ts'
import { look, type PolicySource, type Seen } from './look.ts'
import { type Case, isCounting, isShared, notShared, type Rules, type Ruling, ruling } from './policies.ts'
import { type Ratcheted, ratchet } from './ratchet.ts'
import { bounded, type Reader, within } from './reader.ts'
import { forgedRequester } from './requested-by.ts'
import type { AdmissionRequest } from './review.ts'
import { Scenes } from './scene.ts'
import { warningsOf } from './told.ts'
import { Turn } from './turn.ts'
import type { Verdict } from './verdict.ts'

/** What a validation asks. */
export interface Surroundings {
  readonly kube: Reader
  readonly schemas: { schemaOf(kind: string): SpecSchema | undefined }
  readonly policies: PolicySource
  /** told of each finding of a policy */
  readonly ruled?: (action: ValidationAction) => void
  readonly timers: Timers
  readonly clock: Clock
}

/** As long as the API server waits by our configuration, less a rest: the answer has to travel. */
const REVIEW_MS = 4_500

/** Everything that is wrong, or what the controller will do. Writes nothing, so a dry run is answered alike. */
export const validator = ({ kube, schemas, policies, timers, clock, ruled = () => undefined }: Surroundings) => {
  const lists = bounded(kube)
  const [census, scenes] = [new Census(lists, timers), new Scenes(lists, timers)]
  return async (request: AdmissionRequest, limitMs = REVIEW_MS): Promise<Verdict> => {
    const turn = new Turn(timers)
    const read = askedBy(request)
    if (read.is === 'invalid') return { is: 'invalid', name: nameIn(request), errors: read.errors }
    const { asked } = read
    await turn.giveWay()
    const schema = schemas.schemaOf(asked.kind.kind)
    const own = ownFindings(asked, schema)
    const deadline = startDeadline(timers, limitMs)
    try {
      const { signal } = deadline
      const stay = { kube: within(lists, { limitMs, signal }), signal }
      const seen = await look({ ...stay, policies }, asked)
      turn.resume()
      const entitled = entitlement(asked, own, seen)
      if (entitled.is === 'refused') return entitled.verdict
      return await judged({
        asked,
        schema,
        own,
        seen,
        rules: entitled.rules,
        census: () => census.beside(asked, entitled.rules, signal),
        scene: (fork) => scenes.of({ asked, seen, fork }, stay),
        now: clock(),
        ruled,
        turn,
      })
    } finally {
      deadline.end()
    }
  }
}

/**
 * What can be said of the resource alone. Also what breaks our own rules can be old, where the webhook was away or a
 * rule is new: whoever lowers the `ttlSeconds` of such a resource must not have to rewrite it first.
 */
function ownFindings(asked: Asked, schema: SpecSchema | undefined): Ratcheted {
  const { experiment, previous, request } = asked
  const findings = (of: ExperimentDeployment) => ({ spec: of.spec, errors: overrideFindings(of, schema) })
  const { errors, known } = ratchet(findings(experiment), () => previous && findings(previous))
  return { errors: [...forgedRequester(request), ...errors], known }
}

/** By which rules to judge a requester who has the right to the source; else a verdict that tells nothing of it. */
type Entitlement =
  | { readonly is: 'entitled'; readonly rules: Rules }
  | { readonly is: 'refused'; readonly verdict: Verdict }

function entitlement(asked: Asked, own: Ratcheted, { access, needs, rules }: Seen): Entitlement {
  const refused = (verdict: Verdict): Entitlement => ({ is: 'refused', verdict })
  const lacks = access === 'refused' ? [lack(needs)] : rules && !isShared(rules) ? [notShared(rules)] : []
  if (access === 'granted' && rules && lacks.length === 0) return { is: 'entitled', rules }
  if (own.errors.length > 0) return refused(invalid(asked, [...lacks, ...own.errors]))
  if (access === 'refused') return refused({ is: 'forbidden', message: tellNeeds(needs) })
  if (lacks.length > 0) return refused(invalid(asked, lacks))
  return refused(unchecked(access === 'unknown' ? `the right to it (${tellNeeds(needs)})` : POLICIES))
}

const lack = (needs: readonly Need[]): FieldError => ({
  field: 'spec.sourceRef',
  message: tellNeeds(needs),
  cause: 'FieldValueForbidden',
})

const POLICIES = 'the policies of this cluster'
const unchecked = (what: string): Verdict => ({
  is: 'unchecked',
  message: `${what} could not be checked in time, try again`,
})

interface Facts {
  readonly asked: Asked
  readonly schema: SpecSchema | undefined
  readonly own: Ratcheted
  readonly seen: Seen
  readonly rules: Rules
  readonly census: () => ReturnType<Census['beside']>
  readonly scene: (fork: KubeObject) => Promise<Scene>
  readonly ruled: (action: ValidationAction) => void
  readonly now: Date
  readonly turn: Turn
}

/** The verdict on a request whose author may know the source. */
async function judged(facts: Facts): Promise<Verdict> {
  const { asked, schema, own, seen, rules, census, turn } = facts
  // what does not fit the schema is merged with nothing
  const found: Derivation = own.errors.length > 0 ? { is: 'refused', errors: [] } : derivation(asked, seen, schema)
  await turn.giveWay()
  const [others, scene] = await Promise.all([
    isCounting(rules) ? census() : [],
    found.is === 'derived' ? facts.scene(found.forks.changed) : undefined,
  ])
  if (others === undefined) return own.errors.length > 0 ? invalid(asked, own.errors) : unchecked(POLICIES)
  turn.resume()
  const ruled = ruledBy(facts, { found, scene, others })
  for (const action of ruled.actions) facts.ruled(action)
  await turn.giveWay()
  const errors = [...own.errors, ...(found.is === 'refused' ? found.errors : []), ...ruled.errors]
  const audited = ruled.audit === undefined ? {} : { audit: ruled.audit }
  if (errors.length > 0) return { ...invalid(asked, errors), ...audited }
  return { is: 'admitted', warnings: warningsOf({ ...facts, found, scene, ruled }), ...audited }
}

interface Outcome {
  readonly found: Derivation
  readonly scene: Scene | undefined
}

function ruledBy({ asked, seen, rules, now }: Facts, { found, scene, others }: Outcome & Pick<Case, 'others'>): Ruling {
  return ruling({
    asked,
    rules,
    isSourceMissing: seen.source.is === 'absent' && !seen.pinned,
    forks: found.is === 'derived' ? found.forks : undefined,
    formerForks: found.is === 'derived' ? found.formerForks : () => undefined,
    others,
    endpoints: scene?.traffic && endpointsBeside(scene.traffic, sidesOf(scene.pair)),
    now,
  })
}

/** All at once, in the order in which a reader of the manifest meets them. */
const invalid = ({ name, experiment }: Asked, errors: readonly FieldError[]): Extract<Verdict, { is: 'invalid' }> => ({
  is: 'invalid',
  name,
  errors: inDocumentOrder('spec', experiment.spec, errors),
})
