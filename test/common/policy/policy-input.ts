/** What policies are judged by, for tests. */

import { boundedOverride } from '../../../common/api/decode.ts'
import { EXPERIMENT_POLICY } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { derive } from '../../../common/fork/derive.ts'
import { type OverrideEffect, overrideEffect } from '../../../common/override/changes.ts'
import { judge } from '../../../common/policy/judge.ts'
import type {
  ExperimentPolicy,
  ExperimentPolicySpec,
  NamespaceView,
  PolicyInput,
} from '../../../common/policy/policy.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { ANY_SCHEMA, aBase, aDeployment, anExperiment, POD } from '../../builders.ts'

/** A policy for all namespaces that limits only what `spec` says. */
export const aPolicy = (spec: ExperimentPolicySpec = {}, name = 'limits'): ExperimentPolicy => ({
  apiVersion: EXPERIMENT_POLICY.apiVersion,
  kind: EXPERIMENT_POLICY.kind,
  metadata: { name },
  spec,
})

export const aNamespaceView = (name: string, labels: NamespaceView['labels'] = {}): NamespaceView => ({
  name,
  labels: { 'kubernetes.io/metadata.name': name, ...labels },
})

/** The fork of `source` for `experiment`, with and without its override. */
export function aPairOfForks(experiment: ExperimentDeployment, source: KubeObject): OverrideEffect {
  const forkOf = (of: ExperimentDeployment) => {
    const derived = derive({ kind: deployment, experiment: of, base: aBase(source), schema: ANY_SCHEMA, replicas: 1 })
    if (derived.is !== 'fork') throw new Error(`no fork: ${JSON.stringify(derived)}`)
    return derived.fork
  }
  const plain = forkOf({ ...experiment, spec: { ...experiment.spec, overrideSpec: boundedOverride({}) } })
  return overrideEffect({ plain, changed: forkOf(experiment), shape: POD })
}

export const NOW = new Date('2026-11-21T12:00:00Z')

interface PolicyInputOf extends Partial<PolicyInput> {
  readonly source?: KubeObject
}

/** `faster-cart` in `shop`, without other experiments and without endpoints. */
export function aPolicyInput({
  source = aDeployment(),
  experiment = anExperiment(),
  ...of
}: PolicyInputOf = {}): PolicyInput {
  const shop = aNamespaceView('shop')
  return {
    experiment,
    namespace: shop,
    sourceNamespace: shop,
    isSourceMissing: false,
    forks: aPairOfForks(experiment, source),
    others: [],
    endpoints: [],
    now: NOW,
    ...of,
  }
}

/** The findings of one policy, called `limits`, as `field: message`. */
export const findings = (policy: ExperimentPolicySpec, input: PolicyInput): readonly string[] =>
  judge([aPolicy(policy)], input).map(({ error }) => `${error.field}: ${error.message}`)
