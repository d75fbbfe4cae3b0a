import { knownValue } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment, FieldError } from '../../common/api/types.ts'
import { type Assessment, assess, derivedFork } from '../../common/assess/assess.ts'
import type { Mistake } from '../../common/assess/merged-errors.ts'
import type { SpecFacts } from '../../common/facts/facts.ts'
import { objectOr } from '../../common/json/json.ts'
import { changesBetween } from '../../common/override/changes.ts'
import { NO_SHAPE, type Shape } from '../../common/override/shape.ts'
import { situationOf } from '../../common/situation/situation-of.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { type Ratcheted, ratchet } from './ratchet.ts'

/** The mistakes of an update, compared with those of the stored experiment. */
export interface ComparedAssessment extends Ratcheted {
  /** the assessment of the stored experiment, computed on the first call; undefined for a new experiment */
  readonly before: () => Assessment | undefined
}

/** What becomes of mistakes about which the API server decides, as the variable `POD_RULES` says. */
export const POD_RULES = ['refuse', 'warn'] as const
export type PodRules = (typeof POD_RULES)[number]

interface Compared {
  readonly previous: ExperimentDeployment | undefined
  readonly podRules: PodRules
}

/**
 * The mistakes of `now` and changes of immutable fields. As `known` those that the stored experiment has too, and those
 * that are left to the API server, unless they are to be refused.
 */
export function compareAssessments(
  now: Assessment,
  facts: SpecFacts,
  { previous, podRules }: Compared,
): ComparedAssessment {
  const before = storedAssessment(facts, previous)
  const { errors, known } = ratchet({ spec: facts.experiment.spec, errors: mistakesOf(now) }, () => {
    const found = before()
    return previous && found && { spec: previous.spec, errors: mistakesOf(found) }
  })
  const isRefused = ({ isLeftToApiServer }: Mistake): boolean => podRules === 'refuse' || !isLeftToApiServer
  return {
    errors: [...errors.filter(isRefused), ...immutableErrors(now, facts, before)],
    known: [...known, ...errors.filter((error) => !isRefused(error))],
    before,
  }
}

/** The mistakes that the author has to correct. */
export const mistakesOf = (assessment: Assessment): readonly Mistake[] =>
  assessment.is === 'wanted' ? assessment.mistakes() : assessment.errors

/** Returns the assessment of the stored experiment from the same facts. It is computed on the first call. */
export function storedAssessment(facts: SpecFacts, previous: ExperimentDeployment | undefined) {
  let stored: Assessment | undefined
  return (): Assessment | undefined => {
    if (previous) stored ??= assess(situationOf({ ...facts, experiment: previous }), () => [])
    return stored
  }
}

function immutableErrors(now: Assessment, facts: SpecFacts, before: () => Assessment | undefined) {
  const [kind, fork] = [knownValue(facts.kind), derivedFork(now)]
  const stored = kind && fork && before()
  const former = stored && derivedFork(stored)
  const shape = knownValue(facts.schema)?.shape ?? NO_SHAPE
  return kind && fork && former ? immutableChanges(kind, { before: former, after: fork, shape }) : []
}

interface Forks {
  readonly before: KubeObject
  readonly after: KubeObject
  readonly shape: Shape
}

/**
 * The fields of `spec` that differ between two derived forks, although the API server refuses to update them. What it
 * stores alike is no difference.
 */
export function immutableChanges(
  { kind, mutableFields }: WorkloadKind,
  { before, after, shape }: Forks,
): readonly FieldError[] {
  if (mutableFields === undefined) return []
  const [from, to] = [objectOr(before.spec), objectOr(after.spec)]
  const members = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  const isOther = (member: string) =>
    changesBetween({ [member]: from[member] }, { [member]: to[member] }, shape).length > 0
  return members
    .filter((member) => !mutableFields.includes(member) && isOther(member))
    .map((member) => ({
      field: `spec.overrideSpec.${member}`,
      message: `immutable for ${kind}s; delete the experiment and create it again`,
      cause: 'FieldValueForbidden' as const,
    }))
}
