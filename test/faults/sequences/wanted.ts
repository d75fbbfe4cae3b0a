/**
 * What the fork of an experiment must be: by a plain merge and the API server's defaults, and by the product's own
 * rule.
 */
import { decodeExperiment } from '../../../common/api/decode.ts'
import { CR_NAME, DERIVED_HASH, EXPERIMENT_ID, IS_EXPERIMENT, PREFIX } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { applied, derive, shortForkHash, wholeForkHash } from '../../../common/fork/derive.ts'
import { at, isEmpty, isEqual, isObject, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { controllerOf, experimentId, isApplied, isBeforeFirstApply } from '../../../common/workload/identity.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { type Api, ApiError } from '../../../sandbox/api.ts'
import type { Court } from '../../fuzz/admission/judge.ts'
import { plainFork } from './plain-merge.ts'
import type { Snapshot } from './source.ts'

const PLAIN = `${PREFIX}plain`

/** The `spec` of a fork without what identifies it, and without its replicas. */
export interface Content {
  readonly labels: object
  readonly annotations: object
  readonly pod: unknown
  readonly others: object
}

export function contentOf(spec: unknown): Content {
  const { template, replicas: _count, selector: _own, ...others } = objectOr(spec)
  const foreign = (of: 'labels' | 'annotations') =>
    Object.fromEntries(
      Object.entries(objectOr(at(template, 'metadata', of))).filter(([key]) => !key.startsWith(PREFIX)),
    )
  const pod = withoutEmptyMembers(at(template, 'spec'))
  return {
    labels: foreign('labels'),
    annotations: foreign('annotations'),
    pod,
    others: withoutLeftDefault(withoutFirstOrdinal(others)),
  }
}

/**
 * Server-side apply stores no empty map where there was none, for example for `securityContext: {}` of a container. In
 * a container that means the same.
 */
function withoutEmptyMembers(pod: unknown): unknown {
  if (!isObject(pod)) return pod
  const filled = (list: unknown) =>
    listOr(list).map((container) =>
      Object.fromEntries(
        Object.entries(objectOr(container)).filter(([, value]) => !isObject(value) || !isEmpty(value)),
      ),
    )
  const { containers, initContainers } = pod
  return {
    ...pod,
    containers: filled(containers),
    ...(initContainers === undefined ? {} : { initContainers: filled(initContainers) }),
  }
}

/**
 * Server-side apply stores no `ordinals: {}` where there were none, and a creation stores the default `start: 0` in it.
 * Both number the pods of a StatefulSet from 0.
 */
function withoutFirstOrdinal({ ordinals, ...others }: Readonly<Record<string, unknown>>) {
  return ordinals === undefined || isEqual(ordinals, { start: 0 }) ? others : { ...others, ordinals }
}

/**
 * Where an override has set `rollingUpdate` of a StatefulSet and does not any more, server-side apply leaves the
 * default that the API server had added to it. It means the same as no `rollingUpdate`.
 */
function withoutLeftDefault({ updateStrategy, ...others }: Readonly<Record<string, unknown>>): object {
  if (!isObject(updateStrategy)) return updateStrategy === undefined ? others : { ...others, updateStrategy }
  const { rollingUpdate, ...strategy } = updateStrategy
  const kept = rollingUpdate === undefined || isEqual(rollingUpdate, { partition: 0 }) ? {} : { rollingUpdate }
  return { ...others, updateStrategy: { ...strategy, ...kept } }
}

/** The `spec` as the API server would store it. */
export interface Wanted {
  readonly content: Content
  /** of the fork that the product derives */
  readonly hash: string
  /** why Argo creates no pods for it, of a Rollout that can be stored nevertheless */
  readonly podRefusal?: string
}

interface Where {
  readonly api: Api
  readonly court: Court
  readonly namespace: string
}

/**
 * What the fork must be, or why the API server does not take that. @throws Error if the product merges in another way
 */
export async function wantedFork(
  { api, court, namespace }: Where,
  experiment: ExperimentDeployment,
  snapshot: Snapshot,
): Promise<Wanted | { readonly refusal: string }> {
  const kind = experiment.spec.sourceRef.kind as SourceKind
  const plain = plainFork(snapshot.source, snapshot.template, experiment.spec)
  try {
    const stored = await storedAs(api, namespace, kind, plain)
    const derived = derivedFork(court, experiment, snapshot)
    const spec = applied(derived).spec as JsonObject
    const wanted = { content: contentOf(stored), hash: shortForkHash(wholeForkHash(derived)) }
    // The product writes some defaults out, and Argo's CRD lacks some fields, so they are compared as they are stored.
    differs('the product derives', contentOf(await storedAs(api, namespace, kind, spec)), wanted.content)
    if (kind !== 'Rollout') return wanted
    const { template = {}, minReadySeconds = 0, progressDeadlineSeconds = 600 } = stored
    // Argo has the rules of a Deployment for them
    const asDeployment = { template, minReadySeconds, progressDeadlineSeconds }
    const podRefusal = await refusal(storedAs(api, namespace, 'Deployment', asDeployment))
    return podRefusal === undefined ? wanted : { ...wanted, podRefusal }
  } catch (error) {
    const message = refusalIn(error)
    if (message === undefined) throw error
    return { refusal: message }
  }
}

/** Why the API server does not take something; undefined if it does. */
const refusal = (answer: Promise<unknown>): Promise<string | undefined> =>
  answer.then(
    () => undefined,
    (error: unknown) => refusalIn(error) ?? Promise.reject(error),
  )

const refusalIn = (error: unknown): string | undefined =>
  error instanceof ApiError && [400, 403, 422].includes(error.status) ? error.message : undefined

/** The `spec` as the API server would store it. @throws ApiError if it would not */
async function storedAs(api: Api, namespace: string, kind: SourceKind, spec: JsonObject): Promise<JsonObject> {
  const { template } = spec
  const matchLabels = { [PLAIN]: 'true' }
  const metadata = objectOr(at(template, 'metadata'))
  const labelled = { ...metadata, labels: { ...objectOr(metadata.labels), ...matchLabels } }
  const body = {
    apiVersion: WORKLOAD_KINDS[kind].apiVersion,
    kind,
    metadata: { name: 'plain' },
    spec: { ...spec, replicas: 0, selector: { matchLabels }, template: { ...objectOr(template), metadata: labelled } },
  }
  const query = `dryRun=All&fieldValidation=${kind === 'Rollout' ? 'Ignore' : 'Strict'}`
  return (await api.create(`${resourcePath(WORKLOAD_KINDS[kind], { namespace })}?${query}`, body)).spec as JsonObject
}

function derivedFork({ schemaOf }: Court, stored: ExperimentDeployment, { source, referents }: Snapshot): KubeObject {
  const kind = WORKLOAD_KINDS[source.kind as SourceKind]
  const decoded = decodeExperiment({ ...stored }, stored.metadata.namespace)
  const schema = schemaOf(kind.kind)
  if (!schema || decoded.is !== 'experiment') throw new Error('no schema, or no experiment')
  const based = baseOf(kind, { source, referents, shape: schema.shape, template: schema.template })
  if (based.is !== 'base') throw new Error(`no base: ${JSON.stringify(based)}`)
  const derived = derive({ kind, experiment: decoded.experiment, base: based.base, schema, replicas: 0 })
  if (derived.is !== 'fork') throw new Error(`no fork: ${JSON.stringify(derived)}`)
  return derived.fork
}

/** @throws Error that names the values of `found` that are not as they must be */
export function differs(what: string, found: Content, wanted: Content): void {
  if (isEqual(found, wanted)) return
  throw new Error(`${what} ${differences(found, wanted, '').join('; ')}`)
}

function differences(found: unknown, wanted: unknown, path: string): readonly string[] {
  if (isEqual(found, wanted)) return []
  const isList = Array.isArray(found) && Array.isArray(wanted)
  if (!isList && !(isObject(found) && isObject(wanted)))
    return [`${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`]
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)])
  const [one, other] = [found, wanted] as readonly Readonly<Record<string, unknown>>[]
  return [...keys].flatMap((key) => differences(one?.[key], other?.[key], `${path}.${key}`))
}

/** @throws Error that says in what `fork` is not the one that `experiment` must have */
export function mustBe(fork: KubeObject, experiment: ExperimentDeployment, { content, hash }: Wanted): void {
  const { metadata, spec, status } = experiment
  const replicas = spec.replicas ?? 1
  if (at(fork, 'spec', 'replicas') !== replicas)
    throw new Error(`${at(fork, 'spec', 'replicas')}, not ${replicas} replicas`)
  differs('the fork has', contentOf(fork.spec), content)
  if (fork.metadata.annotations?.[DERIVED_HASH] !== hash) throw new Error('the fork has the hash of another derivation')
  const marks = { [CR_NAME]: metadata.name, [EXPERIMENT_ID]: experimentId(metadata.uid), [IS_EXPERIMENT]: 'true' }
  for (const [key, value] of Object.entries(marks))
    for (const labels of [fork.metadata.labels, at(fork, 'spec', 'template', 'metadata', 'labels')])
      if (at(labels, key) !== value) throw new Error(`label ${key} is ${at(labels, key)}, not ${value}`)
  if (controllerOf(fork)?.uid !== metadata.uid) throw new Error('the fork does not belong to the experiment')
  if (!isApplied(fork)) throw new Error('nobody knows which fields the controller applied')
  if (fork.metadata.managedFields?.some(isBeforeFirstApply)) throw new Error('nobody can take fields of the fork away')
  const { uid, generation } = status?.experimentResourceRef ?? {}
  if (uid !== fork.metadata.uid || generation !== fork.metadata.generation)
    throw new Error('the status is about another state of the fork')
}
