import { ABSENT, type Known, known, knownOrAbsent, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Components, SpecFacts } from '../../common/facts/facts.ts'
import {
  type ForkFacts,
  forkFacts,
  mayHaveRevision,
  NO_FORK,
  NO_REVISION,
  type RevisionFacts,
  revisionFacts,
} from '../../common/facts/own-objects.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { fetchSource } from '../../common/kube/reads/source.ts'
import { forkName, promotionRecordName } from '../../common/workload/identity.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'
import { newVerb } from '../review/command.ts'
import type { DecodedRequest } from '../review/request.ts'
import { accessOf, type Need, type Permissions, permissionsOf } from './access.ts'
import { readAnalysis } from './analysis.ts'
import { type PolicySource, readPolicyFacts, UNREAD_POLICIES } from './policies.ts'
import { isKubeObject, type Reader, unlessOver } from './reader.ts'

/** What a review reads first: everything that does not depend on the result of another read. */
export interface RequestFacts
  extends Pick<SpecFacts, 'kind' | 'source' | 'policies' | 'analysis' | keyof RevisionFacts | keyof ForkFacts>,
    Permissions {
  /** read only for a command that needs it; absent also where its record could not be read */
  readonly promotion?: SpecFacts['promotion']
}

interface FactsReader {
  readonly kube: Reader
  readonly policies: PolicySource
  readonly installed: Components
  readonly signal: AbortSignal
}

/** Reads all facts concurrently, until `signal` aborts. What cannot be read in time is unknown. */
export async function readFacts(
  { kube, policies, installed, signal }: FactsReader,
  decoded: DecodedRequest,
): Promise<RequestFacts> {
  const { request, experiment } = decoded
  const namespaces = { own: experiment.metadata.namespace, source: decoded.source.namespace }
  const [permissions, read, revisions, fork, policyFacts, analysis, record] = await Promise.all([
    permissionsOf(kube, decoded),
    readSource(kube, decoded.kind, decoded.source),
    readRevision(kube, decoded),
    readFork(kube, decoded),
    unlessOver(readPolicyFacts(namespaces, policies), signal),
    installed.analysis ? readAnalysis({ kube, policies, signal }, experiment) : undefined,
    readRecord(kube, decoded),
  ])
  const source = read.source.is === 'known' ? known(read.source.value.object) : read.source
  const promotion = record && { source, record }
  const found = { ...read, ...revisions, ...fork, policies: policyFacts ?? UNREAD_POLICIES, analysis, promotion }
  const more = permissions.access === 'granted' ? referentNeeds(decoded, read.source) : []
  if (more.length === 0) return { ...found, ...permissions }
  return { ...found, access: await accessOf(kube, request.userInfo, more), needs: more }
}

/**
 * If the template is in another object, as with a `workloadRef`, the requester must have permission to get that object.
 */
function referentNeeds({ kind, source: { namespace } }: DecodedRequest, source: Known<Source>): readonly Need[] {
  const target = source.is === 'known' ? kind.refersTo?.(source.value.object) : undefined
  return target ? [{ verb: 'get', resource: target.resource, namespace, name: target.name }] : []
}

/** The current workload and the objects that it refers to. Does not throw if the API server fails. */
export async function readSource(
  kube: Reader,
  kind: WorkloadKind,
  { namespace, name }: DecodedRequest['source'],
): Promise<{ readonly kind: Known<WorkloadKind>; readonly source: Known<Source> }> {
  try {
    const found = await fetchSource(kube, kind, { namespace, name })
    return { kind: known(kind), source: knownOrAbsent(found) }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    if (error.kind === 'kindAbsent') return { kind: ABSENT, source: ABSENT }
    return { kind: known(kind), source: unknown(becauseOf(error)) }
  }
}

/** The revision that keeps the base of an experiment that is or was pinned. A new experiment has none. */
async function readRevision(kube: Reader, { request, experiment, source }: DecodedRequest): Promise<RevisionFacts> {
  if (request.operation === 'CREATE' || !mayHaveRevision(experiment)) return NO_REVISION
  const place = { namespace: source.namespace, name: forkName(source.name, experiment.metadata.uid) }
  return revisionFacts(experiment, await readObject(kube, resourcePath(RESOURCES.ControllerRevision, place)))
}

/**
 * The fork of a stored experiment, or another object with its name. A new experiment has a new uid, so it has neither.
 */
async function readFork(kube: Reader, { request, kind, experiment, source }: DecodedRequest): Promise<ForkFacts> {
  if (request.operation === 'CREATE') return NO_FORK
  const name = forkName(source.name, experiment.metadata.uid)
  return forkFacts(experiment, await readObject(kube, resourcePath(kind, { namespace: source.namespace, name })))
}

/** The record of what a promotion has changed, for `undo` and for the `abort` of an undo. */
async function readRecord(kube: Reader, { request, experiment, source: { namespace } }: DecodedRequest) {
  const verb = newVerb(request)
  if (verb !== 'undo' && !(verb === 'abort' && experiment.status?.strategy?.path === 'Undo')) return undefined
  const place = { namespace, name: promotionRecordName(experiment) }
  const found = await readObject(kube, resourcePath(RESOURCES.ControllerRevision, place))
  return found.is === 'unknown' ? undefined : found
}

async function readObject(kube: Reader, path: string): Promise<Known<KubeObject>> {
  try {
    const found = await kube.request({ verb: 'get', path })
    return isKubeObject(found) ? known(found) : unknown('the answer is not an object')
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return error.kind === 'notFound' || error.kind === 'kindAbsent' ? ABSENT : unknown(becauseOf(error))
  }
}

/** Why something could not be read, for its author. Only of an object that is too large, the message says more. */
const becauseOf = ({ kind, message }: KubeError): string => (kind === 'unread' ? message : kind)
