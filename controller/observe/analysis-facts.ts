import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import type { AnalysisTemplate } from '../../common/analysis/kinds/template.ts'
import { hasEnded, isInterrupted } from '../../common/analysis/run/records.ts'
import type { TemplateScope } from '../../common/api/analysis/analysis.ts'
import { analysisWithDefaults } from '../../common/api/analysis/defaults.ts'
import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import { type Known, known, knownObject, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { AnalysisFacts, TwinFacts } from '../../common/facts/facts.ts'
import { mayHaveTwin, twinFact } from '../../common/facts/own-objects.ts'
import type { NamespaceView } from '../../common/policy/policy.ts'
import { hasForkFinalizer, isBeingDeleted, twinName } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { keyOfTwin } from '../memory/drift-backoff.ts'
import type { Key } from '../runtime/queue.ts'
import type { Ports } from './ports.ts'

/**
 * What the analysis of an experiment depends on; undefined where the component is not installed. An experiment whose
 * analysis was removed has only its analysis runs, which end. `adapter`: that of the source, if this may be read.
 * @throws KubeError
 */
export async function analysisFacts(
  ports: Ports,
  key: Key,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
): Promise<AnalysisFacts | undefined> {
  const { analysis, policies } = ports
  if (!analysis) return undefined
  const { metadata, spec } = experiment
  const { namespace, uid } = metadata
  const runs = analysis.runs(key, uid)
  const poll = runs.map((run) => analysis.poll(run.metadata.uid)).find((found) => found !== undefined)
  const named = (scope: TemplateScope) =>
    new Map(
      (spec.analysis?.templates ?? [])
        // a cluster template may be meant where the scope is missing
        .filter((use) => scope === 'Cluster' || (use.scope ?? 'Namespace') === scope)
        .map((use) => [use.name, analysis.template(scope === 'Cluster' ? undefined : namespace, use.name)])
        .filter((entry): entry is [string, Known<AnalysisTemplate>] => entry[1] !== undefined),
    )
  const [view, source] = await Promise.all([
    spec.analysis ? policies.namespace(namespace) : undefined,
    isSourceNeeded(experiment, runs) ? sourceNow(ports, experiment, adapter) : undefined,
  ])
  return {
    templates: known(named('Namespace')),
    clusterTemplates: known(named('Cluster')),
    providers: known(analysis.providers()),
    namespace: spec.analysis ? (view ?? unread(namespace)) : undefined,
    runs,
    poll,
    source,
  }
}

/**
 * Whether it matters how far the source has rolled out: before its analysis begins or goes on, and for a twin as long
 * as that is compared.
 */
function isSourceNeeded({ spec, status }: ExperimentDeployment, runs: readonly AnalysisRun[]): boolean {
  if (!spec.analysis) return false
  const times = analysisWithDefaults(spec.analysis)
  const run = runs.find(({ metadata }) => metadata.name === status?.analysis?.run)
  return !run || isInterrupted(run, times) || (times.control === 'Twin' && !hasEnded(run))
}

/** The status of sources is not watched. Of a kind with a stable revision it does not matter. */
async function sourceNow(
  { workloads }: Ports,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
): Promise<Known<KubeObject> | undefined> {
  if (!adapter) return unknown('the source may not be read')
  if (adapter.stablePods) return undefined
  const { name } = experiment.spec.sourceRef
  return knownObject(await workloads.live(adapter, sourceNamespaceOf(experiment), name))
}

/**
 * The twin, where there is or may be one. It may be there although nothing in the experiment says so: the pass that
 * made it may have been killed before it wrote the status. Only a live read proves that it is gone and that the
 * finalizer can be removed. @throws KubeError
 */
export async function twinFacts(
  { workloads, drift, unreported, steps }: Ports,
  key: Key,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
): Promise<TwinFacts | undefined> {
  if (!adapter) return undefined
  const place = [sourceNamespaceOf(experiment), twinName(experiment)] as const
  const cached = workloads.cached(adapter, ...place)
  if (!cached && !mayHaveTwin(experiment)) return undefined
  const isLeaving = isBeingDeleted(experiment) && hasForkFinalizer(experiment)
  const found = isLeaving || workloads.isDoubted(adapter, ...place) ? await workloads.live(adapter, ...place) : cached
  return {
    object: twinFact(experiment, knownObject(found)),
    leavingMs: steps.leavingMs(key, found?.metadata.uid),
    repairInMs: drift.waitMs(keyOfTwin(key)),
    unreported: unreported.get(key)?.twin,
  }
}

/** Of a namespace that may not be read, only its name is known: the API server gives it to each as a label. */
const unread = (name: string): NamespaceView => ({ name, labels: { 'kubernetes.io/metadata.name': name } })
