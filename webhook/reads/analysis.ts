import { knownProvider, knownTemplate } from '../../common/analysis/kinds/known.ts'
import { newestTraffic, type RunTraffic } from '../../common/analysis/kinds/run-traffic.ts'
import { type Known, known, unknown } from '../../common/api/known.ts'
import {
  ANALYSIS_PROVIDER,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  SOURCE_ID,
} from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { AnalysisFacts, ByName } from '../../common/facts/facts.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { sourceId } from '../../common/workload/identity.ts'
import type { PolicySource } from './policies.ts'
import { listViews, type Reader, table, unlessOver } from './reader.ts'

interface AnalysisReader {
  readonly kube: Reader
  readonly policies: Pick<PolicySource, 'namespace'>
  /** aborts when the review ends */
  readonly signal: AbortSignal
}

/**
 * What the analysis of an experiment may name. What cannot be read in time is unknown. Undefined without an analysis:
 * then nothing is read.
 */
export async function readAnalysis(
  { kube, policies, signal }: AnalysisReader,
  experiment: ExperimentDeployment,
): Promise<AnalysisFacts | undefined> {
  if (!experiment.spec.analysis) return undefined
  const { namespace } = experiment.metadata
  const [templates, clusterTemplates, providers, labels, traffic] = await Promise.all([
    byName(kube, resourcePath(ANALYSIS_TEMPLATE, { namespace }), knownTemplate),
    byName(kube, resourcePath(CLUSTER_ANALYSIS_TEMPLATE), knownTemplate),
    byName(kube, resourcePath(ANALYSIS_PROVIDER), knownProvider),
    unlessOver(policies.namespace(namespace), signal),
    readTraffic(kube, experiment),
  ])
  return { templates, clusterTemplates, providers, namespace: labels, traffic }
}

/** By the runs about the same source that are still there. Each has up to 30 KB, and its row in a table up to one. */
async function readTraffic(kube: Reader, experiment: ExperimentDeployment): Promise<RunTraffic | undefined> {
  const path = resourcePath(ANALYSIS_RUN, { namespace: experiment.metadata.namespace })
  const labelSelector = `${SOURCE_ID}=${sourceId(experiment)}`
  return newestTraffic(await table(kube, path, { labelSelector }))
}

async function byName<T>(
  kube: Reader,
  path: string,
  read: (object: KubeObject) => Known<T>,
): Promise<Known<ByName<T>>> {
  const found = await listViews(kube, {
    path,
    query: {},
    view: (object) => ({ name: object.metadata.name, value: read(object) }),
  })
  return found ? known(new Map(found.map(({ name, value }) => [name, value]))) : unknown('not read in time')
}
