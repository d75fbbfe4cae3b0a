import { boundedOverride } from '../common/api/decode.ts'
import { brokenLimits } from '../common/api/limits.ts'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../common/api/names.ts'
import type { KubeObject, ObjectMeta } from '../common/api/object.ts'
import type { BlueGreenStrategy } from '../common/api/strategy.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec, ExperimentDeploymentStatus } from '../common/api/types.ts'
import type { Components, PolicyFacts } from '../common/facts/facts.ts'
import { type Base, baseHash, baseOf } from '../common/fork/base.ts'
import { derive } from '../common/fork/derive.ts'
import { encodeBase } from '../common/fork/pinned.ts'
import type { JsonObject } from '../common/json/json.ts'
import { type ListKey, NO_SHAPE, type Shape } from '../common/override/shape.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import type { ExperimentPolicy, ExperimentPolicySpec } from '../common/policy/policy.ts'
import { deployment } from '../common/workload/deployment.ts'
import { ownerReference } from '../common/workload/identity.ts'
import { workloadKind } from '../common/workload/registry.ts'

/** No policy applies. */
export const NO_POLICIES: PolicyFacts = {
  policies: [],
  namespace: { name: 'shop', labels: {} },
  sourceNamespace: { name: 'shop', labels: {} },
  isSourceExcluded: false,
  isShared: true,
  refusing: [],
  others: [],
  othersAsOf: 0,
}

interface PolicyOf extends ExperimentPolicySpec {
  readonly name?: string
  readonly generation?: number
}

/** A policy called `limits` for every namespace. */
export const aPolicy = ({ name = 'limits', generation = 1, ...spec }: PolicyOf = {}): ExperimentPolicy => ({
  apiVersion: EXPERIMENT_POLICY.apiVersion,
  kind: EXPERIMENT_POLICY.kind,
  metadata: { name, uid: `uid-of-${name}`, generation },
  spec,
})

/** The uid of the example in the specification. The id of its fork is `cd1aa1c99c`. */
export const UID = '5f0c1e9a-6b0e-4c1d-9a53-2f4f3d1b7a10'
export const FORK = 'cart-experiment-cd1aa1c99c'

interface DeploymentOf {
  readonly name?: string
  readonly image?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly podLabels?: Readonly<Record<string, string>>
  readonly podAnnotations?: Readonly<Record<string, string>>
  readonly metadata?: Partial<ObjectMeta>
  readonly container?: JsonObject
  readonly pod?: JsonObject
  readonly template?: JsonObject
  readonly spec?: JsonObject
}

/** A Deployment `cart` of eleven pods. */
export const aDeployment = ({ name = 'cart', image = 'example/cart:1', ...of }: DeploymentOf = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name,
    namespace: 'shop',
    uid: 'uid-of-cart',
    generation: 1,
    labels: { app: 'cart', ...of.labels },
    ...of.metadata,
  },
  spec: {
    replicas: 11,
    selector: { matchLabels: { app: 'cart' } },
    template: {
      metadata: { labels: { app: 'cart', ...of.podLabels }, annotations: { ...of.podAnnotations } },
      spec: { containers: [{ name: 'cart', image, ...of.container }], ...of.pod },
      ...of.template,
    },
    ...of.spec,
  },
})

/** A StatefulSet `cart` of three pods behind the headless Service `cart`. */
export const aStatefulSet = ({ spec }: { readonly spec?: JsonObject } = {}): KubeObject => ({
  ...aDeployment({ spec: { replicas: 3, serviceName: 'cart', ...spec } }),
  kind: 'StatefulSet',
})

/** A Rollout `cart` without a stable revision. */
export const aRollout = (spec: JsonObject = {}): KubeObject => ({
  ...aDeployment({ spec: { strategy: { canary: {} }, ...spec } }),
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
})

/** The fork of `source` for `faster-cart`, with an override of `labels` and `pod`. */
export function aFork(source = aDeployment(), { labels, ...of }: ForkOf = {}): KubeObject {
  const kind = workloadKind(source.kind)
  const based = kind && baseOf(kind, { source, referents: [], shape: POD })
  if (!kind || based?.is !== 'base') throw new Error(`no base: ${JSON.stringify(based)}`)
  const template = { ...(labels ? { metadata: { labels } } : {}), ...(of.pod ? { spec: of.pod } : {}) }
  const experiment = anExperiment({ overrideSpec: { template } })
  const derived = derive({ kind, experiment, base: based.base, schema: ANY_SCHEMA, replicas: 1 })
  if (derived.is !== 'fork') throw new Error(`no fork: ${JSON.stringify(derived)}`)
  return derived.fork
}

interface ForkOf {
  readonly labels?: Readonly<Record<string, string | null>>
  readonly pod?: JsonObject
}

interface ExperimentOf extends Partial<Omit<ExperimentDeploymentSpec, 'overrideSpec'>> {
  readonly overrideSpec?: JsonObject
  readonly metadata?: Partial<ObjectMeta>
  readonly status?: ExperimentDeploymentStatus
}

/**
 * `faster-cart`, one pod of `cart`, with an empty override. One beyond the limits is replaced, as by
 * `decodeExperiment`.
 */
export function anExperiment({
  metadata,
  status,
  overrideSpec = {},
  ...spec
}: ExperimentOf = {}): ExperimentDeployment {
  const overrideErrors = brokenLimits(overrideSpec)
  const isBounded = overrideErrors.length === 0
  return {
    apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
    kind: EXPERIMENT_DEPLOYMENT.kind,
    metadata: { name: 'faster-cart', namespace: 'shop', uid: UID, generation: 1, resourceVersion: '10', ...metadata },
    spec: {
      sourceRef: { kind: 'Deployment', name: 'cart' },
      overrideSpec: boundedOverride(isBounded ? overrideSpec : {}),
      ...spec,
    },
    ...(status ? { status } : {}),
    ...(isBounded ? {} : { overrideErrors }),
  }
}

/** The same as its author sends it. It is not decoded, so its override may be beyond the limits. */
export function aWrittenExperiment({ overrideSpec = {}, ...of }: ExperimentOf = {}): KubeObject {
  const { spec, ...experiment } = anExperiment(of)
  return { ...experiment, spec: { ...spec, overrideSpec } }
}

/** An override that sets `image` of the container `cart`. */
export const imageOverride = (image: string): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', image }] } },
})

/** A blue-green with all of its fields. */
export const FULL_BLUE_GREEN: Required<BlueGreenStrategy> = {
  activeService: 'cart',
  previewService: 'cart-preview',
  previewReplicaCount: 1,
  autoPromotionEnabled: true,
  autoPromotionSeconds: 60,
  maxUnavailable: '25%',
  scaleDownDelaySeconds: 0,
  abortScaleDownDelaySeconds: 0,
  progressDeadlineAbort: true,
}

const keyedBy = (...keys: ListKey[]): Shape => ({ ...NO_SHAPE, items: () => POD, keys })
const AMOUNTS: Shape = { ...NO_SHAPE, member: () => ({ ...NO_SHAPE, isQuantity: true }) }
const MEMBERS: Readonly<Record<string, Shape>> = {
  containers: keyedBy({ key: 'name' }),
  initContainers: keyedBy({ key: 'name' }),
  env: keyedBy({ key: 'name' }),
  ports: keyedBy({ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }),
  limits: AMOUNTS,
  requests: AMOUNTS,
}
/** Returns the merge keys of the lists of a pod. It looks only at the name of a member, at any depth. */
export const POD: Shape = {
  ...NO_SHAPE,
  member: (key) => MEMBERS[key] ?? POD,
  items: () => POD,
  defaultOf: (key) => (key === 'resources' ? {} : undefined),
}

/** A schema that accepts everything. */
export const ANY_SCHEMA: SpecSchema = { hash: 'any', shape: POD, check: () => [], checkWhole: () => [] }

/** The base of a Deployment. */
export function aBase(source: KubeObject = aDeployment()): Base {
  const based = baseOf(deployment, { source, referents: [], shape: POD })
  if (based.is !== 'base') throw new Error(`no base: ${JSON.stringify(based)}`)
  return based.base
}

/** What keeps the base of `source` for a pinned experiment: its ControllerRevision, and the status that proves it. */
export function pinnedTo(source: KubeObject = aDeployment(), experiment: ExperimentDeployment = anExperiment()) {
  const base = aBase(source)
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: FORK, namespace: 'shop', uid: 'uid-of-base', ownerReferences: [ownerReference(experiment)] },
    data: encodeBase(base) as JsonObject,
  }
  const status = { source: { uid: 'uid-of-cart', generation: 1, templateHash: baseHash(base), pinned: true } }
  return { revision, status }
}

/** An installation with these components only. */
export const installing = (...components: readonly (keyof Components)[]): Components => ({
  ...{ promotion: false, gate: false, cutOver: false, analysis: false },
  ...Object.fromEntries(components.map((each) => [each, true])),
})
