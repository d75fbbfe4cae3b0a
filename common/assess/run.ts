import { allowedReplicas, withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { RunPath, Strategy } from '../api/strategy.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { hashOf } from '../json/canonical.ts'
import { at } from '../json/json.ts'
import type { PodDemand } from '../policy/policy.ts'
import { compile, type Step } from '../strategy/compile.ts'
import { demands } from '../strategy/forecast.ts'
import { presentRun, type Run } from '../strategy/run.ts'
import { type Sizes, type Target, targetOf } from '../strategy/target.ts'
import { replicasOf } from '../workload/status.ts'
import type { SpecFacts } from './facts.ts'

/** A run at its present step. */
export interface RunState {
  readonly run: Run
  /** all steps on the path of the run */
  readonly steps: readonly Step[]
  /** undefined while the size of the source is not known: then the fork keeps its pods */
  readonly target: Target | undefined
}

/** How many pods the fork shall have now: what its strategy says, or else `spec.replicas` as far as it is allowed. */
export function wantedReplicas(facts: SpecFacts): number {
  const { experiment, fork } = facts
  const state = stateOf(facts, experiment.status?.strategy?.revision ?? '')
  if (!state) return allowedReplicas(experiment)
  return state.target?.pods ?? (fork.is === 'known' ? replicasOf(fork.value) : allowedReplicas(experiment))
}

/**
 * The run of an experiment with a strategy, whose wanted fork is `fork`; undefined without a strategy. While it is not
 * known which fork is wanted, the run keeps its revision.
 */
export function runState(facts: SpecFacts, fork: KubeObject | undefined): RunState | undefined {
  const { spec, status } = facts.experiment
  if (!spec.strategy) return undefined
  return stateOf(facts, fork ? hashOf(at(fork, 'spec', 'template'), DIGITS) : (status?.strategy?.revision ?? ''))
}

function stateOf(facts: SpecFacts, revision: string): RunState | undefined {
  const { experiment, now } = facts
  const { strategy } = experiment.spec
  if (!strategy) return undefined
  const stepsOf = (path: RunPath) => compile(strategy, path)
  const run = presentRun(experiment.status?.strategy, { run: runOf(experiment), revision }, stepsOf, now)
  const steps = stepsOf(run.path)
  const sizes = sizesOf(facts, strategy)
  // The way back needs no source.
  const target = sizes || run.path === 'Abort' ? targetOf(steps, run.stepIndex, sizes ?? NO_SIZES) : undefined
  return { run, steps, target }
}

const NO_SIZES: Sizes = { source: 0, replicas: 0, maxSurge: undefined }
const DIGITS = 10

/** An edit of anything in it begins another run. */
function runOf({ spec }: ExperimentDeployment): string {
  const { overrideSpec, overrideType } = withDefaults(spec)
  return hashOf({ overrideSpec, overrideType, strategy: spec.strategy }, DIGITS)
}

/** Undefined while there is no source. */
export function sizesOf({ experiment, source }: SpecFacts, { canary }: Strategy): Sizes | undefined {
  const object = knownValue(source)?.object
  if (!object || object.metadata.deletionTimestamp) return undefined
  return { source: replicasOf(object), replicas: allowedReplicas(experiment), maxSurge: canary.maxSurge }
}

/**
 * The pods at each step of its strategy; undefined without a strategy, none while the size of the source is not known.
 */
export function demandsOf(facts: SpecFacts): readonly PodDemand[] | undefined {
  const { strategy } = facts.experiment.spec
  if (!strategy) return undefined
  const sizes = sizesOf(facts, strategy)
  return sizes ? demands(compile(strategy, 'Forward'), sizes) : []
}
