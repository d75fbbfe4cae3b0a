import { judge } from '../../../common/api/judge.ts'
import { EXPERIMENT_POLICY } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type {
  ExperimentPolicy,
  ExperimentPolicySpec,
  Forks,
  Judged,
  NamespaceView,
} from '../../../common/api/policy.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { derive } from '../../../common/workload/desired.ts'
import { pairOf } from '../../../common/workload/pair.ts'
import { ANY_SCHEMA, aBase, aDeployment, anExperiment, POD } from '../../builders.ts'

/** A policy for all namespaces that limits nothing. */
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

/** What becomes of `experiment` on `source`, with and without its override. */
export function aPairOfForks(experiment: ExperimentDeployment, source: KubeObject): Forks {
  const forkOf = (of: ExperimentDeployment) => {
    const derived = derive({ kind: deployment, experiment: of, base: aBase(source), schema: ANY_SCHEMA })
    if (derived.is !== 'fork') throw new Error(`no fork: ${JSON.stringify(derived)}`)
    return derived.fork
  }
  const plain = forkOf({ ...experiment, spec: { ...experiment.spec, overrideSpec: {} } })
  return pairOf({ plain, changed: forkOf(experiment), shape: POD })
}

export const NOW = new Date('2026-11-21T12:00:00Z')

interface JudgedOf extends Partial<Judged> {
  readonly source?: KubeObject
}

/** `faster-cart` in `shop`, with nothing beside it. */
export function aJudged({ source = aDeployment(), experiment = anExperiment(), ...of }: JudgedOf = {}): Judged {
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

/** What one policy, called `limits`, has against an experiment. */
export const told = (policy: ExperimentPolicySpec, judged: Judged): readonly string[] =>
  judge([aPolicy(policy)], judged).map(({ error }) => `${error.field}: ${error.message}`)
