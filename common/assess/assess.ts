import { advice } from '../advice/advice.ts'
import { warning } from '../api/conditions.ts'
import { boundedOverride } from '../api/decode.ts'
import { withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { podsOf } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { derive, wholeForkHash } from '../fork/derive.ts'
import { gated, revisionOf } from '../fork/gated-spec.ts'
import { at, type JsonObject, objectOr } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import { type OverrideEffect, overrideEffect } from '../override/changes.ts'
import { changedFields } from '../override/differences.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { flawsOf } from '../override/unique-items.ts'
import { containerNames } from '../pod/value-errors.ts'
import { isPinnedToFork, runState } from '../situation/run.ts'
import type { RunState, SpecSituation } from '../situation/situation.ts'
import { hasUngatedPods } from '../situation/ungated.ts'
import { reach } from '../strategy/reach.ts'
import { type PodTarget, podsNow } from '../strategy/target.ts'
import { clauses } from '../text/fitted.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import { type DerivationBase, resolveBase, unforkable } from './base.ts'
import {
  type Blocked,
  blockedByMistakes,
  firstBlocked,
  kindNotAvailable,
  overrideErrors,
  schemaNotRead,
} from './checks.ts'
import { type Mistake, mergedErrors } from './merged-errors.ts'

/** What a fork has whose pods get no requests until they are opened. */
interface ForkGate {
  /** undefined while it is not known: then no gate changes */
  readonly target: PodTarget | undefined
  /** of its template */
  readonly revision: string
  /** set while pods without a gate have to go first: until then the fork should have no pods, and none is opened */
  readonly isEmptied?: true
  /** the deadline that it would have without the gate; absent: the default of its kind */
  readonly progressDeadlineSeconds?: number
}

/** The fork that an experiment describes, whether or not policies allow it. */
export interface DesiredFork {
  readonly kind: WorkloadKind
  /** without its hash, which is computed when it is first needed: the review of a new experiment does not need it */
  readonly fork: KubeObject
  /** the whole one */
  readonly hash: () => string
  /** absent: every ready pod gets requests */
  readonly gate?: ForkGate
  /** the run of this fork; undefined without strategy and promotion */
  readonly run: () => RunState | undefined
  readonly base: DerivationBase
  /** the fork compared with one without the override; computed when it is first needed */
  readonly effect: () => OverrideEffect
  /** the changed fields, for a column of `kubectl get` */
  readonly changes: () => string
  /** what is wrong with the merged spec, at the place in the override; computed once, when it is needed */
  readonly mistakes: () => readonly Mistake[]
  /**
   * warnings about the base and the merge; only admission needs them. Not a getter: V8 makes a map for each of these
   */
  readonly warnings: () => readonly Warning[]
}

/** The wanted fork, or why there is none. */
export type Assessment =
  | ({ readonly is: 'wanted' } & DesiredFork)
  /** with the effect of the override if it is known, because policies can judge it although no fork is written */
  | ({ readonly is: 'blocked'; readonly effect: (() => OverrideEffect) | undefined } & Blocked)

/**
 * Computes the fork that `facts` describe: checks, base, merge and the schema of the result, in this order. Pure.
 * `mistakes` are those of the override alone. Admission passes them in, because it has computed them before any read.
 */
export function assess(
  situation: SpecSituation,
  mistakes = () => overrideErrors(situation.facts.experiment, knownValue(situation.facts.schema)),
): Assessment {
  const { facts, wantedReplicas: replicas } = situation
  const found = firstBlocked(facts, mistakes)
  const kind = knownValue(facts.kind)
  if (found || !kind) return blocked(found ?? kindNotAvailable(facts))
  const resolved = resolveBase(facts, kind)
  if (resolved.is === 'blocked') return blocked(resolved)
  const { base, source } = resolved
  const { experiment } = facts
  const schema = knownValue(facts.schema)
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const derived = derive({ kind, experiment, base, schema, replicas })
  if (derived.is === 'refused')
    // without errors only where the schema is missing
    return blocked(derived.errors.length > 0 ? blockedByMistakes(derived.reason, derived.errors) : schemaNotRead(facts))
  const { fork: changed } = derived
  const flaws = base.mayBeFlawed && schema ? flawsOf(changed.spec as JsonObject, schema.shape) : []
  if (flaws.length > 0) return blocked(unforkable(experiment, flaws))
  // Compares with the fork without the override, for policies and messages. Most passes need neither, so it is lazy.
  const effect = lazy(() => {
    const without = { ...experiment, spec: { ...experiment.spec, overrideSpec: boundedOverride({}) } }
    const found = derive({ kind, experiment: without, base, schema, replicas })
    const plain = found.is === 'fork' ? found.fork : changed
    return overrideEffect({ plain, changed, shape: schema?.shape ?? NO_SHAPE })
  })
  // only the text is kept: the changes may be many times as large as the override
  const changes = () =>
    columns(objectOr(at(changed.spec, 'template')), [kind, base, schema], () => changedFields(effect().changes()))
  if (!schema) return { ...blocked(schemaNotRead(facts)), effect }
  const sourceContainers = () => containerNames(at(base.spec, 'template', 'spec'))
  const merged = { fork: changed, plain: () => effect().plain, overrideSpec, overrideType, sourceContainers }
  const errors = lazy(() => mergedErrors(schema, merged))
  const warnings = lazy(() => [
    ...base.warnings.map((message) => warning('Source', ...clauses(message))),
    ...derived.replaced().map((parts) => warning('ListReplaced', ...parts)),
    ...advice({ ...merged, source: base.spec, shape: schema.shape }),
  ])
  const { fork, ...gate } = withGate(situation, kind, changed)
  const hash = lazy(() => wholeForkHash(fork))
  const compared = { effect, changes, mistakes: errors, warnings }
  return { is: 'wanted', kind, fork, ...gate, hash, base: { base, source }, ...compared }
}

const columns = keeping<string>()

/** The fork with its gate, if it has one. The override does not change what the gate adds, so no policy judges it. */
function withGate(
  situation: SpecSituation,
  kind: WorkloadKind,
  plain: KubeObject,
): Pick<DesiredFork, 'fork' | 'gate' | 'run'> {
  const { facts, strategy } = situation
  if (!strategy?.isGated) return { fork: plain, run: lazy(() => runState(situation, plain)) }
  const { fork, ...deadline } = gated(kind, plain)
  const [revision, pods] = [revisionOf(fork), podsOf(facts)]
  const run = lazy(() => runState(situation, fork))
  const target = run()?.target
  const isEmptied = isToBeEmptied(situation, revision)
  const known = target && (pods ? podsNow(pods, target, { revision }) : target.pods)
  const replicas = isEmptied ? 0 : (known ?? replicasOf(plain))
  return {
    fork: { ...fork, spec: { ...objectOr(fork.spec), replicas } },
    run,
    gate: { target, revision, ...(isEmptied ? { isEmptied } : {}), ...deadline },
  }
}

/**
 * Whether the fork has to lose all of its pods before it gets others, because some of them have no gate. One that gets
 * all requests, or that serves for pods of its source, keeps them until its workload controller has replaced them.
 */
const isToBeEmptied = (situation: SpecSituation, revision: string): boolean =>
  hasUngatedPods(situation.facts, revision) && !isPinnedToFork(situation) && !situation.isWriting

/** How many pods of `wanted` get requests at its step. */
export const servingPods = ({ fork, gate }: DesiredFork): number =>
  reach(gate?.target, { fork: replicasOf(fork), source: 0, isGated: gate !== undefined }).fork

/** The fork that was derived, also where it is not written because the schema is missing. */
export const derivedFork = (assessment: Assessment): KubeObject | undefined =>
  assessment.is === 'wanted' ? assessment.fork : assessment.effect?.().changed

const blocked = ({ decision, errors }: Blocked) => ({ is: 'blocked', effect: undefined, decision, errors }) as const
