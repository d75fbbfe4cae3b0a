import { knownProvider, knownTemplate } from '../common/analysis/kinds/known.ts'
import { type AnalysisRun, decodeRun } from '../common/analysis/kinds/run.ts'
import { decodeExperiment } from '../common/api/decode.ts'
import {
  ANALYSIS_PROVIDER,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_ID,
  EXPERIMENT_POLICY,
} from '../common/api/names.ts'
import { type KubeObject, orUnread } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { watchedPart } from '../common/fork/watched.ts'
import { RESOURCES } from '../common/kube/client/resources.ts'
import { withFewPages } from '../common/kube/watch/pages.ts'
import { Reflector, type ReflectorOptions } from '../common/kube/watch/reflector.ts'
import type { View } from '../common/kube/watch/view.ts'
import { decodePolicy } from '../common/policy/decode.ts'
import { serviceView, sliceView } from '../common/surroundings/traffic.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import type { NamedProvider } from './analysis/analysis-runtime.ts'
import type { Config } from './config.ts'
import { podView } from './indexes/fork-pods.ts'
import type { ControllerMetrics } from './metrics.ts'

interface CachesOptions
  extends Pick<ReflectorOptions<unknown>, 'client' | 'timers' | 'random' | 'log'>,
    Pick<Config, 'kindProbeMs' | 'onlyNamespace' | 'installed'> {
  readonly metrics: Pick<ControllerMetrics, 'reflectorFailed' | 'handlerFailed'>
}

/** Ends the name of a cache of forks. */
const FORKS = ' (forks)'

/** The caches of everything that the controller watches. */
export type Caches = ReturnType<typeof createCaches>

/** Creates the caches. They watch nothing until each reflector is started. */
export function createCaches({ installed, ...options }: CachesOptions) {
  const { timers, random, log, kindProbeMs, metrics, onlyNamespace } = options
  const client = withFewPages(options.client)
  const where = onlyNamespace === undefined ? {} : { namespace: onlyNamespace }
  const sharedBy = ({ resource }: View, suffix = '') => ({
    ...{ client, timers, random, log, probeAbsentMs: kindProbeMs },
    onFailure: (cause: string) => metrics.reflectorFailed({ resource: `${resource.plural}${suffix}`, cause }),
    onHandlerError: metrics.handlerFailed,
  })
  const reflector = <T>(view: View, project: (object: KubeObject) => T | undefined) =>
    new Reflector<T>({ ...sharedBy(view), view, project })
  const ofPods: View = { ...where, resource: RESOURCES.Pod, managedFields: 'none', labelSelector: EXPERIMENT_ID }
  return {
    experiments: reflector({ ...where, resource: EXPERIMENT_DEPLOYMENT, managedFields: 'managers' }, experimentIn),
    policies: reflector({ resource: EXPERIMENT_POLICY, managedFields: 'none' }, decodePolicy),
    services: reflector(
      { ...where, resource: RESOURCES.Service, managedFields: 'none' },
      orUnread('service', serviceView),
    ),
    /** what analyses name, and their analysis runs; undefined: the component is not installed */
    analysis: installed.analysis
      ? {
          runs: reflector({ ...where, resource: ANALYSIS_RUN, managedFields: 'none' }, runIn),
          templates: reflector({ ...where, resource: ANALYSIS_TEMPLATE, managedFields: 'none' }, knownTemplate),
          clusterTemplates: reflector({ resource: CLUSTER_ANALYSIS_TEMPLATE, managedFields: 'none' }, knownTemplate),
          providers: reflector({ resource: ANALYSIS_PROVIDER, managedFields: 'none' }, providerIn),
        }
      : undefined,
    /** those of gated forks; undefined: pods may not be read */
    pods: installed.gate ? reflector(ofPods, podView) : undefined,
    slices: reflector(
      { ...where, resource: RESOURCES.EndpointSlice, managedFields: 'none' },
      orUnread('endpointslice', sliceView),
    ),
    workloads: Object.values(WORKLOAD_KINDS).map((kind: WorkloadKind) => {
      // Without forks: each of their many changes would be sent twice.
      const others = reflector(
        {
          ...where,
          resource: kind,
          labelSelector: `!${EXPERIMENT_ID}`,
          managedFields: 'none',
          metadataOnly: kind.watchProjection === undefined,
        },
        (object) => watchedPart(kind, object),
      )
      const ofForks: View = { ...where, resource: kind, managedFields: 'others', labelSelector: EXPERIMENT_ID }
      const forks = new Reflector({
        ...sharedBy(ofForks, FORKS),
        view: ofForks,
        project: whole,
        untilServed: (signal) => others.presence.served(signal),
      })
      return {
        kind,
        /** whole objects that have the label of forks */
        forks,
        /** the watched part of every other object of the kind */
        others,
      }
    }),
  }
}

/** All reflectors of `caches` with names for people, to be started and stopped together. */
export const namedReflectors = ({ experiments, policies, services, slices, pods, analysis, workloads }: Caches) => [
  { name: EXPERIMENT_DEPLOYMENT.plural, reflector: experiments },
  { name: EXPERIMENT_POLICY.plural, reflector: policies },
  { name: RESOURCES.Service.plural, reflector: services },
  { name: RESOURCES.EndpointSlice.plural, reflector: slices },
  ...(pods ? [{ name: RESOURCES.Pod.plural, reflector: pods }] : []),
  ...(analysis
    ? [
        { name: ANALYSIS_RUN.plural, reflector: analysis.runs },
        { name: ANALYSIS_TEMPLATE.plural, reflector: analysis.templates },
        { name: CLUSTER_ANALYSIS_TEMPLATE.plural, reflector: analysis.clusterTemplates },
        { name: ANALYSIS_PROVIDER.plural, reflector: analysis.providers },
      ]
    : []),
  ...workloads.flatMap(({ kind, forks, others }) => [
    { name: `${kind.plural}${FORKS}`, reflector: forks },
    { name: kind.plural, reflector: others },
  ]),
]

/** Undefined for an object that the CRD's schema would refuse. It is ignored, because nothing can be done for it. */
function experimentIn(object: KubeObject): ExperimentDeployment | undefined {
  const decoded = decodeExperiment(object, object.metadata.namespace ?? '')
  return decoded.is === 'experiment' ? decoded.experiment : undefined
}

/**
 * The analysis run in an object. A status that we have not written loses the evidence: it begins again. Undefined for
 * one whose `spec` the CRD's schema would refuse.
 */
function runIn(object: KubeObject): AnalysisRun | undefined {
  const { status: _status, ...begun } = object
  for (const each of [object, begun]) {
    const decoded = decodeRun(each)
    if (decoded.is === 'run') return decoded.run
  }
  return undefined
}

const providerIn = (object: KubeObject): NamedProvider => ({
  name: object.metadata.name,
  provider: knownProvider(object),
})

const whole = (object: KubeObject): KubeObject => object
