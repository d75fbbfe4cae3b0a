import { ANALYSIS_RUN, EXPERIMENT_ID, GATE, GROUP, IS_EXPERIMENT } from '../common/api/names.ts'
import { at, isEmpty, isObject, listOr, objectOr } from '../common/json/json.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { type AuditEvent, auditEvents } from './audit.ts'
import { isOfSource, SourceWrites } from './source-writes.ts'

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
/** Only the webhook and the controller have ServiceAccounts in this namespace. */
const OUR_ACCOUNTS = 'system:serviceaccount:experiment-controller-system:'
/** The name of the sandbox's administrator, as whom the demo runs. */
const DEMO_USER = 'admin'

interface OwnWrites {
  /** writing requests of the two accounts, without leases: `patch deployments/shop/cart` */
  readonly all: readonly string[]
  /** those that "What always holds" in docs/architecture.md does not allow */
  readonly forbidden: readonly string[]
  /** requests of any verb that were answered with 403, but not because their namespace or kind is being deleted */
  readonly denied: readonly string[]
}

/** What the webhook and the controller wrote so far, or since `since`, according to the audit log of the API server. */
export const ownWrites = (auditLog: string, since = new Date(0)): Promise<OwnWrites> =>
  ownWritesIn(auditEvents(auditLog, OUR_ACCOUNTS), since)

/** As `ownWrites`, of events that were read already. */
export async function ownWritesIn(
  events: AsyncIterable<AuditEvent> | Iterable<AuditEvent>,
  since: Date,
): Promise<OwnWrites> {
  const [all, forbidden, denied]: [string[], string[], string[]] = [[], [], []]
  const sources = new SourceWrites()
  for await (const event of events) {
    const { user, verb, objectRef, requestReceivedTimestamp, responseStatus } = event
    if (!user.username.startsWith(OUR_ACCOUNTS)) continue
    sources.note(event)
    if (Date.parse(requestReceivedTimestamp) <= since.getTime()) continue
    if (responseStatus?.code === 403 && !isTerminating(event))
      denied.push(`${nameOf(event)}: ${responseStatus.message}`)
    if (!WRITES.has(verb) || objectRef?.resource === 'leases') continue
    all.push(nameOf(event))
    const problem = sources.problemOf(event)
    if (problem !== undefined) forbidden.push(`${problem}; ${describe(event)}`)
    else if (!isOfSource(event) && !isAllowed(event)) forbidden.push(describe(event))
  }
  return { all, forbidden, denied }
}

/**
 * Whether the namespace of the request is being deleted, or its kind: the API server refuses to everybody to create
 * objects there.
 */
const isTerminating = ({ responseStatus }: AuditEvent): boolean =>
  ['because it is being terminated', 'while custom resource definition is terminating'].some((words) =>
    responseStatus?.message?.includes(words),
  )

/** The name of an analysis run: fork, hash. */
const RUN_NAME = /-experiment-[0-9a-f]{10}-[0-9a-f]{10}$/

/** The name of an object that is created: the path does not have it. */
const nameIn = ({ objectRef, requestObject }: AuditEvent): string =>
  objectRef?.name ?? requestObject?.metadata?.name ?? ''

/** The kinds of forks and of pinned bases. */
const OF_FORKS = new Set([...Object.values(WORKLOAD_KINDS).map(({ plural }) => plural), 'controllerrevisions'])

/**
 * Whether the product may make this write: the status of its own kinds, analysis runs, the finalizer of an experiment
 * whose fork is in another namespace, forks (by their label, or by name and selector), pinned bases, records of
 * promotions, the gates of their pods, our key in the selector of a Service, and Events.
 */
function isAllowed(event: AuditEvent): boolean {
  const { verb, objectRef, requestObject, responseObject, responseStatus } = event
  const { apiGroup, resource = '', subresource, name = '' } = objectRef ?? {}
  if (resource === ANALYSIS_RUN.plural && verb === 'create') return RUN_NAME.test(nameIn(event))
  if (resource === ANALYSIS_RUN.plural && verb === 'delete') return RUN_NAME.test(name) && hasUid(requestObject)
  if (apiGroup === GROUP) return subresource === 'status' || isAboutFinalizers(requestObject)
  if (resource === 'pods') return subresource === 'status' && isAboutGate(event)
  if (resource === 'services') return verb === 'patch' && subresource === undefined && isAboutPin(requestObject)
  if (resource === 'events' || resource === 'subjectaccessreviews') return true // a SubjectAccessReview stores nothing
  if (!OF_FORKS.has(resource) || subresource !== undefined) return false
  const [, id] = /-experiment-([0-9a-f]{10})(?:-promotion)?$/.exec(name) ?? []
  const isNamed = id !== undefined
  // the body of a delete contains only the uid
  if (verb === 'delete') return isNamed && hasUid(requestObject)
  // a conflict, which wrote nothing, or a caller that was stopped before the answer, which the log then does not have
  if (isNamed && ((responseStatus?.code ?? 0) >= 400 || responseObject === undefined)) return true
  // a patch of the replicas has no labels, but the response has; if they were removed, the selector is still there
  const selected = at(responseObject, 'spec', 'selector', 'matchLabels', EXPERIMENT_ID)
  return (
    (isNamed && selected === id) ||
    [requestObject, responseObject].some((object) => at(object, 'metadata', 'labels', IS_EXPERIMENT) === 'true')
  )
}

/** Whether the status of a pod of a fork is written with nothing but our condition. */
function isAboutGate({ objectRef, requestObject }: AuditEvent): boolean {
  const { conditions, ...others } = objectOr(requestObject?.status)
  const isOurs = listOr(conditions).every((condition) => at(condition, 'type') === GATE)
  return /-experiment-[0-9a-f]{10}-/.test(objectRef?.name ?? '') && isEmpty(others) && isOurs
}

/**
 * Whether a patch of a Service contains only our key, who owns it, which was read, and of a preview that shut pods are
 * listed. Without `isPreview` any Service may be one.
 */
export function isAboutPin(patch: unknown, { isPreview = true } = {}): boolean {
  const { metadata, spec, ...others } = objectOr(patch)
  const { selector, publishNotReadyAddresses: published = null, ...fields } = objectOr(spec)
  const [keys, pairs] = [Object.keys(objectOr(metadata)), Object.keys(objectOr(selector))]
  return (
    [others, fields].every((each) => isEmpty(each)) &&
    (isPreview ? [true, null].includes(published as boolean | null) : !Object.hasOwn(objectOr(spec), PUBLISHED)) &&
    keys.every((key) => ['uid', 'resourceVersion', 'managedFields'].includes(key)) &&
    pairs.every((key) => key === EXPERIMENT_ID)
  )
}

const PUBLISHED = 'publishNotReadyAddresses'

/** Whether a patch contains only finalizers, a uid and a resourceVersion. */
const isAboutFinalizers = (patch: unknown): boolean =>
  isObject(patch) &&
  Object.keys(patch).every((key) => key === 'metadata') &&
  Object.keys(objectOr(patch.metadata)).every((key) => ['uid', 'resourceVersion', 'finalizers'].includes(key))

const hasUid = (options: unknown): boolean => typeof at(options, 'preconditions', 'uid') === 'string'

const nameOf = ({ verb, objectRef }: AuditEvent): string =>
  `${verb} ${objectRef?.resource}/${objectRef?.namespace}/${objectRef?.name}`

/** With what the log knows of the answer, for a failed test. */
const describe = (event: AuditEvent): string => {
  const { responseStatus, responseObject, stage } = event
  const labels = JSON.stringify(responseObject?.metadata?.labels ?? {})
  return `${nameOf(event)}: ${stage} ${responseStatus?.code}, labels ${labels}`
}

interface Watched {
  readonly namespace: string
  readonly deployment: string
  readonly service: string
}

/**
 * Who changed the generation of the source and the version of the Service: lines for the user, and users other than the
 * demo.
 */
export async function foreignWrites(auditLog: string, { namespace, deployment, service }: Watched) {
  const writes: AuditEvent[] = []
  for await (const event of auditEvents(auditLog, `"${namespace}"`)) {
    const { verb, objectRef, responseStatus } = event
    if (WRITES.has(verb) && objectRef?.namespace === namespace && (responseStatus?.code ?? 500) < 300)
      writes.push(event)
  }
  const generation = moves(
    writes.filter(({ objectRef }) => objectRef?.resource === 'deployments' && objectRef.name === deployment),
    ({ metadata }) => metadata.generation,
  )
  const version = moves(
    writes.filter(({ objectRef }) => objectRef?.resource === 'services' && objectRef.name === service),
    ({ metadata }) => metadata.resourceVersion,
  )
  const lines = [
    ...generation.map(({ who, value, verb }) => `deployment/${deployment} generation ${value}: ${verb} by ${who}`),
    ...version.map(({ who, value, verb }) => `service/${service} resourceVersion ${value}: ${verb} by ${who}`),
  ]
  const strangers = [...generation, ...version].map(({ who }) => who).filter((who) => who !== DEMO_USER)
  return { lines, strangers }
}

/** The writes that changed a value. */
function moves(events: readonly AuditEvent[], read: (object: NonNullable<AuditEvent['responseObject']>) => unknown) {
  const versionOf = ({ responseObject }: AuditEvent) => BigInt(responseObject?.metadata.resourceVersion ?? 0)
  // the log is in the order of the responses, which can be different from the order of the writes
  const inOrder = events.toSorted((a, b) => (versionOf(a) < versionOf(b) ? -1 : 1))
  let last: unknown
  return inOrder.flatMap(({ user, verb, responseObject }) => {
    const value = responseObject && read(responseObject)
    if (value === undefined || value === last) return []
    last = value
    return [{ who: user.username, verb, value }]
  })
}
