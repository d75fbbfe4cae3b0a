import { boundedOverride, decodeExperiment } from '../../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { FieldError, OverrideType } from '../../../common/api/types.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { derive } from '../../../common/fork/derive.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import type { KubeClient } from '../../../common/kube/client/client.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import type { SpecSchema } from '../../../common/override/spec-schema.ts'
import { mergePatch, toMergePatch } from '../../../common/override/strategic.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import type { ReviewDecision } from '../../../webhook/review/decision.ts'
import type { validator } from '../../../webhook/validate.ts'

/** An override of a source of this kind. */
export interface Asked {
  readonly kind: SourceKind
  readonly overrideType: OverrideType
  readonly overrideSpec: JsonObject
  /** whether a mistake was put in; otherwise it is meant to be valid */
  readonly isMistaken: boolean
}

/** What the webhook and the API server say about one override. */
export interface Judged extends Asked {
  /** the mistakes that the webhook found; empty where it admits */
  readonly mistakes: readonly FieldError[]
  /** why the API server does not take the derived fork; undefined if it does */
  readonly refusal: string | undefined
}

/** Where overrides are judged: a namespace with a source called `cart` of each kind. */
export interface Court {
  readonly kube: KubeClient
  readonly validate: ReturnType<typeof validator>
  readonly namespace: string
  readonly sources: Readonly<Record<SourceKind, KubeObject>>
  readonly schemaOf: (kind: string) => SpecSchema | undefined
}

const USER = { username: 'system:admin', groups: ['system:masters'], extra: {} }

/** Asks the webhook's validator about the experiment, and the API server about the fork, by a dry run. */
export async function judge(court: Court, asked: Asked): Promise<Judged> {
  const experiment = experimentOf(court, asked)
  const [decision, refusal] = await Promise.all([
    court.validate({
      uid: 'fuzz',
      resource: 'experimentdeployments',
      userInfo: USER,
      namespace: court.namespace,
      dryRun: true,
      object: experiment,
      operation: 'CREATE',
    }),
    refusalOf(court, asked, experiment),
  ])
  return { ...asked, mistakes: mistakesIn(decision), refusal }
}

const experimentOf = ({ namespace }: Court, { kind, overrideType, overrideSpec }: Asked) => ({
  apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  metadata: { name: 'faster-cart', namespace, uid: '5f0c1e9a-6b0e-4c1d-9a53-2f4f3d1b7a10', generation: 1 },
  spec: { sourceRef: { kind, name: 'cart', namespace }, replicas: 1, overrideType, overrideSpec },
})

function mistakesIn(decision: ReviewDecision): readonly FieldError[] {
  if (decision.is === 'admitted') {
    const unread = decision.warnings.find(({ reason }) => ['SourceUnread', 'SchemaNotAvailable'].includes(reason))
    if (unread) throw new Error(`not checked: ${unread.message}`)
    return []
  }
  if (decision.is === 'invalid') return decision.errors
  throw new Error(`not checked: ${decision.message}`)
}

/** A value that no fork can be derived from is refused too. */
async function refusalOf(court: Court, asked: Asked, experiment: JsonObject): Promise<string | undefined> {
  const fork = forkOf(court, asked, experiment)
  if (fork === undefined) return 'no fork can be derived'
  const kind = WORKLOAD_KINDS[asked.kind]
  const { name } = fork.metadata
  const path = resourcePath(kind, { namespace: court.namespace, name })
  const own = await refused(court, path, fork)
  if (own !== undefined || asked.kind !== 'Rollout') return own
  // The API server takes nearly everything in a Rollout. Argo's controller then creates a ReplicaSet of its template.
  const { replicas, selector, template, minReadySeconds } = objectOr(fork.spec)
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' }
  const spec = { replicas, selector, template, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) }
  return refused(court, resourcePath(set, { namespace: court.namespace, name }), {
    apiVersion: set.apiVersion,
    kind: set.kind,
    metadata: { name, namespace: court.namespace },
    spec,
  })
}

const REFUSED: ReadonlySet<string> = new Set(['invalid', 'forbidden', 'conflict'])

/** The API server answers 500 to some values of a wrong type. */
const isOfTypes = ({ kind, message }: KubeError): boolean =>
  kind === 'server' && /unable to convert|cannot unmarshal|typed patch object/.test(message)

async function refused({ kube }: Court, path: string, object: KubeObject): Promise<string | undefined> {
  const query = { dryRun: 'All', fieldManager: 'experiment-controller', force: true, fieldValidation: 'Strict' }
  try {
    await kube.request({ verb: 'apply', path, query, body: object })
    return undefined
  } catch (error) {
    if (error instanceof KubeError && (REFUSED.has(error.kind) || isOfTypes(error))) return error.message
    throw error
  }
}

/** The fork that the controller would derive if it checked nothing. */
function forkOf({ sources, schemaOf, namespace }: Court, asked: Asked, experiment: JsonObject): KubeObject | undefined {
  const kind = WORKLOAD_KINDS[asked.kind]
  const schema = schemaOf(asked.kind)
  const decoded = decodeExperiment(experiment, namespace)
  if (!schema || decoded.is !== 'experiment') throw new Error(`no schema of ${asked.kind}, or no experiment`)
  const based = baseOf(kind, {
    source: sources[asked.kind],
    referents: [],
    shape: schema.shape,
    template: schema.template,
  })
  if (based.is !== 'base') throw new Error(JSON.stringify(based))
  const merged = derive({ kind, experiment: decoded.experiment, base: based.base, schema, replicas: 1 })
  if (merged.is === 'fork') return merged.fork
  // what cannot be merged, merged nevertheless: the API server must refuse it as well
  try {
    const { overrideSpec } = asked
    const patch =
      asked.overrideType === 'Merge' ? overrideSpec : toMergePatch(based.base.spec, overrideSpec, schema.shape)
    const base = { ...based.base, spec: mergePatch(based.base.spec, patch) }
    const spec = { ...decoded.experiment.spec, overrideSpec: boundedOverride({}), overrideType: 'Merge' as const }
    const derived = derive({ kind, experiment: { ...decoded.experiment, spec }, base, schema, replicas: 1 })
    return derived.is === 'fork' ? derived.fork : undefined
  } catch (error) {
    if (error instanceof TypeError) return undefined // `toMergePatch` expects items that are objects
    throw error
  }
}
