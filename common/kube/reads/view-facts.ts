import { type AnalysisRun, decodeRun } from '../../analysis/kinds/run.ts'
import { decodeExperiment } from '../../api/decode.ts'
import { unsoundInStatus } from '../../api/decode-status.ts'
import { sourceNamespaceOf } from '../../api/defaults.ts'
import { ABSENT, type Known, known, knownOrAbsent, knownValue, unknown } from '../../api/known.ts'
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, POD } from '../../api/names.ts'
import type { KubeObject, ResourceType } from '../../api/object.ts'
import type { ExperimentDeployment } from '../../api/types.ts'
import { at, isObject, listOr, member } from '../../json/json.ts'
import type { Unread, ViewFacts } from '../../view/experiment-view.ts'
import { hasReadyContainers, isReadyPod } from '../../view/pods.ts'
import { experimentId } from '../../workload/identity.ts'
import type { Source } from '../../workload/kind.ts'
import { workloadKind } from '../../workload/registry.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { resourcePath } from '../client/resources.ts'
import { asObject, asWholeObject, orUndefined } from './object.ts'
import { fetchSource } from './source.ts'

type Client = Pick<KubeClient, 'request'>

/** Where an experiment is, as a person names it. */
interface Place {
  readonly namespace: string
  /** of the experiment, also after `expd/`, or of its fork */
  readonly name: string
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  /** the time for each request; default: 5 s */
  readonly deadlineMs?: number | undefined
}

interface FactsOptions extends ReadOptions {
  /** the time of the view */
  readonly now: Date
  /** what `decodedExperiment` left out */
  readonly unread?: readonly Unread[]
}

const DEADLINE_MS = 5_000

/** `view` and `edit` may read these in every version of Kubernetes, unlike those of `events.k8s.io`. */
const CORE_EVENT: ResourceType = { apiVersion: 'v1', kind: 'Event', plural: 'events' }

const MAX_PODS = 100
/** The API server lists them by name, so a smaller limit may leave out the newest. */
const MAX_EVENTS = 500

/**
 * Reads what a view is made of, in at most ten requests: the experiment, or that of a fork with the given name, and
 * then the rest at once. What the caller may not read, or what does not answer in time, is `unknown`.
 * @throws KubeError if the experiment cannot be read, `invalid` if it is not as the API says
 */
export async function fetchViewFacts(client: Client, place: Place, options: FactsOptions): Promise<ViewFacts> {
  const { experiment, unread } = decodedExperiment(await findExperiment(client, place, options))
  return fetchFactsOf(client, experiment, { ...options, unread })
}

/** What people may write before the name of an experiment. */
const PREFIX = /^(?:expd|experimentdeployments?(?:\.[a-z0-9.-]+)?)\//i

/**
 * The experiment that `name` means: its own name, also after `expd/`, or that of its fork. Only where there is no such
 * experiment, those of the namespace are listed. @throws KubeError `notFound` if there is none
 */
export async function findExperiment(
  client: Client,
  { namespace, name: given }: Place,
  { signal, deadlineMs }: ReadOptions = {},
): Promise<KubeObject> {
  const { request } = bounded(client, { signal, deadlineMs })
  const name = given.replace(PREFIX, '')
  const path = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name })
  try {
    return asWholeObject(await request({ verb: 'get', path, expects: EXPERIMENT_DEPLOYMENT.kind }))
  } catch (error) {
    if (!(error instanceof KubeError) || error.kind !== 'notFound' || name !== given) throw error
    const list = await request({ verb: 'list', path: resourcePath(EXPERIMENT_DEPLOYMENT, { namespace }) })
    const found = objectsIn(list).find((each) => at(each, 'status', 'experimentResourceRef', 'name') === name)
    if (!found) throw error
    return { ...asWholeObject(found), apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion, kind: EXPERIMENT_DEPLOYMENT.kind }
  }
}

/** An experiment with the members that this version knows, and what of its status is not as the API says. */
interface Decoded {
  readonly experiment: ExperimentDeployment
  readonly unread: readonly Unread[]
}

/** The experiment in an object of the API server. @throws KubeError `invalid` if its `spec` is not as the API says */
export function decodedExperiment(object: KubeObject): Decoded {
  const { namespace = '', name } = object.metadata
  const decoded = decodeExperiment(object, namespace)
  if (decoded.is === 'experiment')
    return {
      experiment: decoded.experiment,
      unread: unsoundInStatus(object.status).map(({ field, message }) => ({ what: field, because: message })),
    }
  const [first] = decoded.errors
  throw new KubeError({ kind: 'invalid', message: `expd/${name}: ${first?.field} ${first?.message}` })
}

/** The later reads of `fetchViewFacts`: for a caller who has the experiment, from a watch. Throws only on an abort. */
export async function fetchFactsOf(
  client: Client,
  experiment: ExperimentDeployment,
  { now, unread = [], ...options }: FactsOptions,
): Promise<ViewFacts> {
  const bound = bounded(client, options)
  const { namespace, uid } = experiment.metadata
  const ref = experiment.status?.experimentResourceRef
  const [source, fork, pods, run, ofExperiment, ofFork] = await Promise.all([
    orUnknown(() => sourceOf(bound, experiment)),
    orUnknown(() => forkOf(bound, experiment)),
    orUnknown(() => podsOf(bound, experiment)),
    orUnknown(() => runOf(bound, experiment)),
    orUnknown(() => eventsAbout(bound, namespace, uid)),
    ref && orUnknown(() => eventsAbout(bound, ref.namespace, ref.uid)),
  ])
  const troubled = troubledPod(knownValue(pods) ?? [])
  const ofPod =
    troubled && (await orUnknown(() => eventsAbout(bound, sourceNamespaceOf(experiment), `${troubled.metadata.uid}`)))
  options.signal?.throwIfAborted()
  const events = joined({ 'the experiment': ofExperiment, 'its fork': ofFork, 'its pod': ofPod })
  return { now, experiment, source, fork, pods, run, events: events.known, unread: [...unread, ...events.unread] }
}

/** `client`, whose requests have the time limit and the signal of the caller. */
const bounded = (client: Client, { signal, deadlineMs = DEADLINE_MS }: ReadOptions): Client => ({
  request: (request) => client.request({ ...request, deadlineMs, ...(signal ? { signal } : {}) }),
})

/** What `read` found, or why it could not. A stored name that cannot be in a path is a `RangeError`. */
async function orUnknown<T>(read: () => Promise<T | Known<T>>): Promise<Known<T>> {
  try {
    const found = await read()
    return isKnown(found) ? found : known(found)
  } catch (error) {
    if (error instanceof KubeError || error instanceof RangeError) return unknown(error.message)
    throw error
  }
}

const isKnown = <T>(value: T | Known<T>): value is Known<T> => isObject(value) && typeof value.is === 'string'

async function sourceOf(client: Client, experiment: ExperimentDeployment): Promise<Known<Source>> {
  const { kind: word, name } = experiment.spec.sourceRef
  const kind = workloadKind(word)
  if (!kind) return unknown(`this version knows no sources of the kind ${word}`)
  return knownOrAbsent(await fetchSource(client, kind, { namespace: sourceNamespaceOf(experiment), name }))
}

/** The object of the status. Another one with its name is not the fork. */
async function forkOf(client: Client, { spec, status }: ExperimentDeployment): Promise<Known<KubeObject>> {
  const [kind, ref] = [workloadKind(spec.sourceRef.kind), status?.experimentResourceRef]
  if (!ref) return ABSENT
  if (!kind) return unknown(`this version knows no forks of the kind ${spec.sourceRef.kind}`)
  const path = resourcePath(kind, { namespace: ref.namespace, name: ref.name })
  const found = await orUndefined(client.request({ verb: 'get', path, expects: kind.kind }))
  return knownOrAbsent(found?.metadata.uid === ref.uid ? found : undefined)
}

async function podsOf(client: Client, experiment: ExperimentDeployment): Promise<Known<readonly KubeObject[]>> {
  const path = resourcePath(POD, { namespace: sourceNamespaceOf(experiment) })
  const labelSelector = `${EXPERIMENT_ID}=${experimentId(experiment.metadata.uid)}`
  return known(objectsIn(await client.request({ verb: 'list', path, query: { labelSelector, limit: MAX_PODS } })))
}

async function runOf(client: Client, { metadata, status }: ExperimentDeployment): Promise<Known<AnalysisRun>> {
  const name = status?.analysis?.run
  if (name === undefined) return ABSENT
  const path = resourcePath(ANALYSIS_RUN, { namespace: metadata.namespace, name })
  const found = await orUndefined(client.request({ verb: 'get', path, expects: ANALYSIS_RUN.kind }))
  if (!found) return ABSENT
  const decoded = decodeRun(asObject(found))
  if (decoded.is === 'run') return known(decoded.run)
  const [first] = decoded.errors
  return unknown(`${first?.field} ${first?.message}`)
}

async function eventsAbout(client: Client, namespace: string, uid: string): Promise<readonly KubeObject[]> {
  const path = resourcePath(CORE_EVENT, { namespace })
  const fieldSelector = `involvedObject.uid=${uid}`
  return objectsIn(await client.request({ verb: 'list', path, query: { fieldSelector, limit: MAX_EVENTS } }))
}

/** The objects in a list. One that is too large to be read has only its name. */
const objectsIn = (list: unknown): readonly KubeObject[] =>
  listOr(member(list, 'items')).filter((item) => isObject(item) && isObject(item.metadata)) as readonly KubeObject[]

/** The first pod by name whose containers are not ready. One that only waits to be opened has no trouble. */
const troubledPod = (pods: readonly KubeObject[]): KubeObject | undefined =>
  pods
    .filter((pod) => !isReadyPod(pod) && !hasReadyContainers(pod))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0]

type Events = Known<readonly KubeObject[]>

/** The Events that could be read; unknown if none could of those that were asked for. */
function joined(parts: Readonly<Record<string, Events | undefined>>): {
  readonly known: Events
  readonly unread: readonly Unread[]
} {
  const all = Object.entries(parts).flatMap(([about, part]) => (part ? [[about, part] as const] : []))
  const unread = all.flatMap(([about, part]) =>
    part.is === 'unknown' ? [{ what: `the Events about ${about}`, because: part.because }] : [],
  )
  const [first] = unread
  if (first && unread.length === all.length) return { known: unknown(first.because), unread: [] }
  return { known: known(all.flatMap(([, part]) => knownValue(part) ?? [])), unread }
}
