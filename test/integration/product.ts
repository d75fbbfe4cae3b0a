/** The product, installed once in the control plane of the run, and helpers for tests with it. */
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec } from '../../common/api/types.ts'
import { at, isObject, type JsonObject, listOr } from '../../common/json/json.ts'
import { RESOURCES as KUBE, resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { rollout } from '../../common/workload/rollout.ts'
import { statefulSet } from '../../common/workload/stateful-set.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, type InstallOptions, install } from '../../sandbox/installation.ts'
import { aNamespace, controlPlane, usesControlPlane } from './fixture.ts'

let installing: Promise<Installation> | undefined

/** The installation of the run. The first caller decides its settings and its overlay, by default manifests/base. */
export function installation(overlay?: string, settings: InstallOptions['settings'] = {}): Promise<Installation> {
  const options = { kindProbeSeconds: 2, settings, ...(overlay === undefined ? {} : { overlay }) }
  installing ??= controlPlane().then((plane) => install(plane, options))
  return installing
}

/** Long enough for a whole suite on two busy cores. Some waits end before the timeout of mocha, to name the reason. */
export const DEADLINE_MS = 50_000

type ExperimentOf = Partial<Omit<ExperimentDeploymentSpec, 'overrideSpec'>> & {
  readonly overrideSpec?: JsonObject
  readonly source: string
  readonly kind?: string
  readonly of?: string
  /** of the experiment */
  readonly annotations?: Readonly<Record<string, string>>
}

/** A namespace that the product watches. */
export interface Place {
  readonly namespace: string
  readonly api: Api
  /** kubectl in the namespace; both streams in one text */
  readonly kubectl: (
    args: readonly string[],
    input?: string,
  ) => Promise<{ readonly code: number; readonly text: string }>
  /** Creates an experiment on the Deployment `source`, or on one in the namespace `of`. */
  readonly experiment: (name: string, of: ExperimentOf) => Promise<void>
  readonly experimentAt: (name: string) => Promise<ExperimentDeployment>
  /** Waits until the condition `Ready` of `name` has `reason`, for its current generation. */
  readonly reaches: (name: string, reason: string) => Promise<ExperimentDeployment>
  /** Waits until `holds` is true of `name`. */
  readonly shows: (
    name: string,
    what: string,
    holds: (of: ExperimentDeployment) => boolean,
  ) => Promise<ExperimentDeployment>
  readonly deployment: (name: string) => Promise<KubeObject>
  readonly path: (of: keyof typeof RESOURCES, name?: string) => string
}

const RESOURCES = {
  deployments: deployment,
  statefulSets: statefulSet,
  rollouts: rollout,
  claims: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' },
  experiments: EXPERIMENT_DEPLOYMENT,
  services: { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  pods: { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  quotas: { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' },
}

/**
 * To be called in a `describe`: the product runs, and there is a new namespace. Returns a function that returns its
 * place. The first one of a run decides about the overlay and the settings (variables) of the
 * controller.
 */
export function usesProduct(overlay?: string, settings?: InstallOptions['settings']): () => Place {
  const plane = usesControlPlane()
  let place: Place | undefined
  before('the product runs', async function () {
    this.timeout(4 * DEADLINE_MS) // the waits in it end earlier, with an error that names the reason
    await installation(overlay, settings)
    place = placeAt(plane().api, plane().kubectl, await aNamespace())
  })
  return () => {
    if (!place) throw new Error('the product is there when tests run')
    return place
  }
}

/** The place for an existing namespace. */
export async function placeIn(namespace: string): Promise<Place> {
  const { api, kubectl } = await controlPlane()
  return placeAt(api, kubectl, namespace)
}

type Kubectl = Awaited<ReturnType<typeof controlPlane>>['kubectl']

/** The product in an existing namespace of any control plane. */
export function placeAt(api: Api, kubectl: Kubectl, namespace: string): Place {
  const path: Place['path'] = (of, name) =>
    resourcePath(RESOURCES[of], name === undefined ? { namespace } : { namespace, name })
  const experimentAt = (name: string) => api.get<ExperimentDeployment>(path('experiments', name))
  const shows: Place['shows'] = (name, what, holds) =>
    eventually(`experiment ${name} to show ${what}`, DEADLINE_MS, async () => {
      const found = await experimentAt(name)
      if (!holds(found)) throw new Error(JSON.stringify(found.status ?? 'no status'))
      return found
    })
  return {
    namespace,
    api,
    path,
    experimentAt,
    shows,
    kubectl: async (args, input) => {
      const { code, stdout, stderr } = await kubectl(['-n', namespace, ...args], input === undefined ? {} : { input })
      return { code, text: `${stderr}${stdout}` }
    },
    experiment: async (name, all) => {
      const { source, of, kind: sourceKind = 'Deployment', overrideSpec = {}, annotations = {}, ...spec } = all
      const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
      const sourceRef = { kind: sourceKind, name: source, ...(of === undefined ? {} : { namespace: of }) }
      await api.create(path('experiments'), {
        apiVersion,
        kind,
        metadata: { name, annotations },
        spec: { sourceRef, overrideSpec, ...spec },
      })
    },
    reaches: (name, reason) =>
      shows(
        name,
        reason,
        (found) =>
          condition(found, 'Ready')?.reason === reason &&
          found.status?.observedGeneration === found.metadata.generation,
      ),
    deployment: (name) => api.get(path('deployments', name)),
  }
}

/** The condition of `type`, if the status has it. */
export const condition = (of: ExperimentDeployment, type: string) =>
  of.status?.conditions?.find((found) => found.type === type)

/** The name of the fork in the status. */
export function forkOf(experiment: ExperimentDeployment): string {
  const name = experiment.status?.experimentResourceRef?.name
  if (!name) throw new Error(`${experiment.metadata.name} has no fork`)
  return name
}

/** The images of a workload's containers. */
export const imagesOf = (workload: KubeObject): readonly unknown[] =>
  listOr(at(workload, 'spec', 'template', 'spec', 'containers')).map(
    (container) => isObject(container) && container.image,
  )

interface SourceOf {
  readonly replicas?: number
  readonly image?: string
  readonly pod?: JsonObject
  readonly annotations?: Readonly<Record<string, string>>
}

/** A Deployment to fork, and a Service of the same name. */
export async function aSource({ api, path }: Place, name: string, of: SourceOf = {}): Promise<void> {
  const { replicas = 1, image = 'registry.example/cart:1', pod, annotations } = of
  const labels = { app: name }
  await api.create(path('services'), { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } })
  await api.create(path('deployments'), {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [{ name: 'cart', image }], ...pod } },
    },
  })
}

/** Waits until the Service `name` has `count` ready endpoints, which a share is a part of. */
export const hasEndpoints = ({ api, namespace }: Place, name: string, count: number): Promise<void> =>
  eventually(`${count} endpoints of service ${name}`, DEADLINE_MS, async () => {
    const slices = await api.list(resourcePath(KUBE.EndpointSlice, { namespace }))
    const ready = slices
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
      .flatMap((slice) => listOr(slice.endpoints))
      .filter((endpoint) => at(endpoint, 'conditions', 'ready') === true)
    if (ready.length !== count) throw new Error(`${ready.length} are ready`)
  })
