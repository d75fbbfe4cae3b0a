import { decodeExperiment } from '../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, EXPERIMENT_POLICY } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { RESOURCES } from '../common/kube/client/resources.ts'
import { Reflector, type ReflectorOptions } from '../common/kube/watch/reflector.ts'
import type { View } from '../common/kube/watch/view.ts'
import { decodePolicy } from '../common/policy/decode.ts'
import { serviceView, sliceView } from '../common/surroundings/traffic.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { watchedPart } from '../common/workload/watched.ts'
import type { Config } from './config.ts'
import type { ControllerMetrics } from './metrics.ts'
import { podView } from './observe/fork-pods.ts'

interface CachesOptions
  extends Pick<ReflectorOptions<unknown>, 'client' | 'timers' | 'random' | 'log'>,
    Pick<Config, 'kindProbeMs' | 'onlyNamespace' | 'isGateInstalled'> {
  readonly metrics: Pick<ControllerMetrics, 'reflectorFailed' | 'handlerFailed'>
}

/** Ends the name of a cache of forks. */
const FORKS = ' (forks)'

/** The caches of everything that the controller watches. */
export type Caches = ReturnType<typeof createCaches>

/** Creates the caches. They watch nothing until each reflector is started. */
export function createCaches({ isGateInstalled, ...options }: CachesOptions) {
  const { client, timers, random, log, kindProbeMs, metrics, onlyNamespace } = options
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
    services: reflector({ ...where, resource: RESOURCES.Service, managedFields: 'none' }, serviceView),
    /** those of gated forks; undefined: pods may not be read */
    pods: isGateInstalled ? reflector(ofPods, podView) : undefined,
    slices: reflector({ ...where, resource: RESOURCES.EndpointSlice, managedFields: 'none' }, sliceView),
    workloads: Object.values(WORKLOAD_KINDS).map((kind: WorkloadKind) => {
      // Without forks: each of their many changes would be sent twice.
      const others = reflector(
        {
          ...where,
          resource: kind,
          labelSelector: `!${EXPERIMENT_ID}`,
          managedFields: 'none',
          metadataOnly: kind.watchProjection === undefined,
          keep: (object) => watchedPart(kind, object),
        },
        whole,
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
export const namedReflectors = ({ experiments, policies, services, slices, pods, workloads }: Caches) => [
  { name: EXPERIMENT_DEPLOYMENT.plural, reflector: experiments },
  { name: EXPERIMENT_POLICY.plural, reflector: policies },
  { name: RESOURCES.Service.plural, reflector: services },
  { name: RESOURCES.EndpointSlice.plural, reflector: slices },
  ...(pods ? [{ name: RESOURCES.Pod.plural, reflector: pods }] : []),
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

const whole = (object: KubeObject): KubeObject => object
