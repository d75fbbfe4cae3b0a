import type { KubeErrorKind } from '../../common/api/failure.ts'
import { knownValue } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { withOverridePaths } from '../../common/assess/message-paths.ts'
import { formatErrors, stalled } from '../../common/facts/decision.ts'
import type { Facts, RefusedFork } from '../../common/facts/facts.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { Conclusion, Plan, Reservation } from '../../common/outcome/conclusion.ts'
import { withDecision } from '../../common/outcome/part.ts'
import { isUnchanged, withStored } from '../../common/outcome/stored.ts'
import { type Doubt, needsFreshExperiment, outcomeOf, type Write } from '../../common/writes/write.ts'

/** What `apply` needs to carry out a plan. */
export interface ApplyPorts {
  /** returns the object as stored; undefined after a delete. @throws KubeError */
  write(write: Write): Promise<KubeObject | undefined>
  /** whether the API server has the experiment as it was observed; if not, the next pass reads it. @throws KubeError */
  isCurrent(experiment: ExperimentDeployment): Promise<boolean>
  /** synchronous; false if the experiment is gone, or if another one reserved a place since the facts were read */
  reserve(experiment: ExperimentDeployment, reservation: Reservation): boolean
  /**
   * called after a write that undoes the change of another client, unless the API server did not decide about it
   * @param isUndone false if there was nothing to undo; default: there was
   */
  noteRepair(
    experiment: ExperimentDeployment,
    write: Pick<Write, 'role'> & { readonly of?: KubeObject },
    isUndone?: boolean,
  ): void
  /** called after the API server has decided about a doubt and refused the fork */
  noteRefused(refused: RefusedFork): void
}

/** A person must act before the API server accepts such a write. */
const REFUSED: ReadonlySet<KubeErrorKind> = new Set(['forbidden', 'invalid'])

/** The result of a plan. `lookAgain`: the facts are outdated, and only a new pass can decide. */
export type Result = { readonly is: 'concluded'; readonly conclusion: Conclusion } | { readonly is: 'lookAgain' }

/** The API server did not decide about the write. */
const UNANSWERED: ReadonlySet<KubeErrorKind> = new Set(['unreachable', 'throttled', 'timeout'])

/**
 * Makes the reservation and the writes of a plan, in their order, and ends at the first write that is refused.
 * @throws KubeError for a failure that says nothing to the user: an unreachable API server, or a conflict
 */
export async function apply(ports: ApplyPorts, plan: Plan, facts: Facts): Promise<Result> {
  const { experiment } = facts
  const { reservation, writes } = plan
  if (reservation && !ports.reserve(experiment, reservation)) return { is: 'lookAgain' }
  let { conclusion } = plan
  for (const write of writes) {
    if (needsFreshExperiment(write) && !(await ports.isCurrent(experiment))) return { is: 'lookAgain' }
    const noteRepair = (isUndone = true) =>
      'isRepair' in write && write.isRepair && ports.noteRepair(experiment, write, isUndone)
    try {
      const stored = await ports.write(write)
      noteRepair(!isUnchanged(stored, write, facts))
      conclusion = withStored(conclusion, write, { stored, facts, healthOf: plan.healthOf })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      // Such a write may not have been made. Trying again must not make the fork contested.
      if (!UNANSWERED.has(error.kind)) noteRepair()
      const concluded = refused(conclusion, write, { error, facts, ifRefused: plan.ifRefused })
      const doubt = doubtOf(write)
      if (doubt && isAbout(concluded.message, doubt, error))
        ports.noteRefused({ of: doubt.of, decision: stalled(concluded.reason, concluded.message) })
      return { is: 'concluded', conclusion: concluded }
    }
  }
  return { is: 'concluded', conclusion }
}

interface Refused {
  readonly error: KubeError
  readonly facts: Facts
  readonly ifRefused: Plan['ifRefused']
}

/** The conclusion after a refused write. @throws KubeError when only a new pass can decide */
function refused(conclusion: Conclusion, write: Write, { error, facts, ifRefused }: Refused): Conclusion {
  const refusal = outcomeOf(write, error)
  if (refusal === 'lookAgain') throw error
  const text = `${error.kind === 'timeout' ? noAnswer(error) : error.message}${remedyOf(write, facts)}`
  const run = REFUSED.has(error.kind) ? ifRefused?.(text) : undefined
  const answer = write.verb === 'apply' ? withOverridePaths(text, write.object, facts) : text
  const doubt = doubtOf(write)
  const message = doubt && isAbout(answer, doubt, error) ? explained(answer, doubt) : answer
  return {
    ...withDecision(conclusion, { ...refusal, message }),
    ...(run ? { run } : {}),
    ...(write.verb === 'delete' && write.role === 'fork' ? { fork: write.of } : {}), // it still serves
  }
}

const doubtOf = (write: Write): Doubt | undefined => ('doubt' in write ? write.doubt : undefined)

/**
 * Whether a refusal is about a value that our rules doubt: then it names its field. Others, for example by an admission
 * policy or because a field is immutable, may end at any time.
 */
const isAbout = (refusal: string, { mistakes }: Doubt, { kind }: KubeError): boolean =>
  kind === 'invalid' && mistakes.some(({ field }) => refusal.includes(field))

/** A refusal with our own words about each field of the override that it does not name. */
function explained(refusal: string, { mistakes }: Doubt): string {
  const unnamed = mistakes.filter(({ field }) => !refusal.includes(field))
  return unnamed.length === 0 ? refusal : `${refusal}; ${formatErrors(unnamed)}`
}

/** Of a Rollout whose own steps cannot be skipped. */
function remedyOf(write: Write, { kind }: Facts): string {
  const held = write.role === 'source' && 'subresource' in write && knownValue(kind)?.heldBySteps?.(write.of)
  return held ? `; ${held}` : ''
}

const noAnswer = ({ attempted, message }: KubeError): string =>
  `no answer to ${attempted} (${message}); an admission webhook of this cluster may be slow`
