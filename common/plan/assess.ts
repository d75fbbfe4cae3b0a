import { boundedOverride } from '../api/decode.ts'
import { withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import { DERIVED_HASH } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment, FieldError, Warning } from '../api/types.ts'
import { hashOf } from '../json/canonical.ts'
import { objectOr } from '../json/json.ts'
import { type OverrideEffect, overrideEffect } from '../override/changes.ts'
import { NO_SHAPE } from '../override/shape.ts'
import type { SpecSchema } from '../override/spec-schema.ts'
import { type Derived, derive } from '../workload/derive.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import type { Pinned } from '../workload/pinned.ts'
import { resolveBase } from './base.ts'
import { type Blocked, firstBlocked, kindNotAvailable, mistaken, overrideErrors, schemaNotRead } from './checks.ts'
import type { SpecFacts } from './facts.ts'
import { mergedErrors } from './merged-errors.ts'
import { once } from './once.ts'

/** The fork that an experiment describes, whether or not policies allow it. */
export interface DesiredFork {
  readonly kind: WorkloadKind
  /** with the hash of its derived spec in an annotation */
  readonly fork: KubeObject
  readonly base: Pinned
  /** the fork compared with one without the override; computed when it is first needed */
  readonly effect: () => OverrideEffect
  /** what the schema says is wrong with the merged spec, at the place in the override; computed once, when it is asked for */
  readonly mistakes: () => readonly FieldError[]
  /** warnings about the base and the merge */
  readonly warnings: readonly Warning[]
}

/** The wanted fork, or why there is none. */
export type Assessment =
  | ({ readonly is: 'wanted' } & DesiredFork)
  | ({
      readonly is: 'blocked'
      /** the override's effect, which policies can judge although no fork is written */
      readonly effect: (() => OverrideEffect) | undefined
    } & Blocked)

/**
 * Computes the fork that `facts` describe: checks, base, merge and the schema of the result, in this order. Pure.
 * `mistakes` are those of the override alone. Admission passes them in, because it computes them before it reads anything.
 */
export function assess(
  facts: SpecFacts,
  mistakes = () => overrideErrors(facts.experiment, knownValue(facts.schema)),
): Assessment {
  const found = firstBlocked(facts, mistakes)
  const kind = knownValue(facts.kind)
  if (found || !kind) return blocked(found ?? kindNotAvailable(facts))
  const resolved = resolveBase(facts, kind)
  if (resolved.is === 'blocked') return blocked(resolved.blocked)
  const { base, source } = resolved
  const schema = knownValue(facts.schema)
  const forkOf = (experiment: ExperimentDeployment): Derived =>
    derive({ kind, experiment, base, schema, replicas: withDefaults(experiment.spec).replicas })
  const derived = forkOf(facts.experiment)
  if (derived.is === 'refused')
    // without errors only where the schema is missing
    return blocked(derived.errors.length > 0 ? mistaken(derived.reason, derived.errors) : schemaNotRead(facts))
  const effect = effectOf(facts.experiment, derived.fork, { forkOf, schema })
  if (!schema) return { ...blocked(schemaNotRead(facts)), effect }
  const { overrideSpec, overrideType } = withDefaults(facts.experiment.spec)
  const merged = { fork: derived.fork, plain: () => effect().plain, overrideSpec, overrideType }
  const warnings = [
    ...base.warnings.map((message) => ({ reason: 'Source', message }) as const),
    ...derived.replaced.map((message) => ({ reason: 'ListReplaced', message }) as const),
  ]
  return {
    is: 'wanted',
    kind,
    fork: withHash(derived.fork),
    base: { base, source },
    effect,
    mistakes: once(() => mergedErrors(schema, merged)),
    warnings,
  }
}

/** The fork that was derived, also where it is not written because the schema is missing. */
export const derivedFork = (assessment: Assessment): KubeObject | undefined =>
  assessment.is === 'wanted' ? assessment.fork : assessment.effect?.().changed

const blocked = (of: Blocked) => ({ is: 'blocked', effect: undefined, ...of }) as const

interface Deriving {
  readonly forkOf: (experiment: ExperimentDeployment) => Derived
  readonly schema: SpecSchema | undefined
}

/** Compares with the fork without the override, for policies and messages. Most passes need neither, so it is lazy. */
function effectOf(experiment: ExperimentDeployment, changed: KubeObject, { forkOf, schema }: Deriving) {
  return once((): OverrideEffect => {
    const plain = forkOf({ ...experiment, spec: { ...experiment.spec, overrideSpec: boundedOverride({}) } })
    return overrideEffect({
      plain: plain.is === 'fork' ? plain.fork : changed,
      changed,
      shape: schema?.shape ?? NO_SHAPE,
    })
  })
}

/** Adds the hash. It does not cover the number of replicas, because scaling is no new derivation. */
function withHash(fork: KubeObject): KubeObject {
  const annotations = once(() => {
    const { replicas: _replicas, ...spec } = objectOr(fork.spec)
    return { ...fork.metadata.annotations, [DERIVED_HASH]: hashOf({ ...fork, spec }, 16) }
  })
  // Only a fork that exists is compared by its hash, so the review of a new experiment does not need it.
  const metadata = {
    ...fork.metadata,
    get annotations() {
      return annotations()
    },
  }
  return { ...fork, metadata }
}
