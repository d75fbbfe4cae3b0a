import { ABSENT, type Known, known, knownOrAbsent, knownValue, unknown } from '../common/api/known.ts'
import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { at, textOr } from '../common/json/json.ts'
import { KubeError } from '../common/kube/client/errors.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import { defaultTTLSeconds, isOutside } from '../common/policy/policy.ts'
import type { Clock, Timers } from '../common/program/clock.ts'
import { startDeadline } from '../common/program/deadline.ts'
import { seenIn } from '../common/situation/seen-now.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { referentName } from '../common/workload/referent.ts'
import { workloadKind } from '../common/workload/registry.ts'
import { type PolicySource, readPolicyFacts } from './reads/policies.ts'
import { isKubeObject, type Reader, unlessOver } from './reads/reader.ts'
import type { AdmissionRequest, ReviewAnswer } from './review/admission-review.ts'
import { isPromoteCommand } from './review/command.ts'
import { defaultsPatch } from './review/defaults-patch.ts'
import { decodeRequest } from './review/request.ts'

/** What the mutating webhook needs. */
interface Defaulting {
  readonly kube: Reader
  readonly policies: PolicySource
  readonly schemas: { schemaOf(kind: string): SpecSchema | undefined }
  readonly timers: Timers
  readonly clock: Clock
}

/** Our configuration makes the API server wait for 2 s and then continue without an answer. */
const MUTATION_MS = 1_500

/** Fills in defaults. Never denies and never waits longer than `limitMs`: only `/validate` reports mistakes. */
export const mutator =
  (defaulting: Defaulting) =>
  async (request: AdmissionRequest, limitMs = MUTATION_MS): Promise<ReviewAnswer> => {
    if (request.resource !== EXPERIMENT_DEPLOYMENT.plural) return { allowed: true }
    const { onlyNamespace } = defaulting.policies
    const namespaces = [request.namespace, sourceNamespaceIn(request)]
    // /validate refuses it, and nothing may be read there
    if (namespaces.some((name) => isOutside(name, onlyNamespace))) return { allowed: true }
    try {
      const deadline = startDeadline(defaulting.timers, limitMs)
      try {
        const [ttlSeconds, template, values] = await Promise.all([
          wantedTTL(defaulting, request, deadline.signal),
          templateOf(defaulting, request, deadline.signal),
          promotedValues(defaulting, request, deadline.signal),
        ])
        const reviewed = { now: defaulting.clock(), template, defaultTTLSeconds: ttlSeconds, values }
        return { allowed: true, patch: defaultsPatch(request, reviewed) }
      } finally {
        deadline.end()
      }
    } catch (error) {
      // Nested too deeply, or an invalid namespace: /validate and the CRD run later and report it.
      if (error instanceof RangeError) return { allowed: true }
      throw error
    }
  }

/** The `ttlSeconds` that policies give to a resource without one. Undefined also if they cannot be read in time. */
async function wantedTTL({ policies }: Defaulting, request: AdmissionRequest, signal: AbortSignal) {
  const { namespace } = request
  if (request.operation === 'UPDATE' || (at(request.object, 'spec', 'ttlSeconds') ?? undefined) !== undefined)
    return undefined
  const namespaces = { own: namespace, source: sourceNamespaceIn(request) }
  const read = await unlessOver(readPolicyFacts(namespaces, policies), signal)
  const facts = read && knownValue(read)
  return facts && defaultTTLSeconds(facts.policies, facts.namespace, facts.sourceNamespace)
}

const sourceNamespaceIn = ({ object, namespace }: AdmissionRequest): string =>
  textOr(at(object, 'spec', 'sourceRef', 'namespace'), '') || namespace

/** The object from which the source takes its template. The source is read only if its kind can refer to one. */
async function templateOf(
  { kube }: Defaulting,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<Known<string>> {
  const nameOf = (key: 'kind' | 'name') => textOr(at(request.object, 'spec', 'sourceRef', key), '')
  const [kind, name] = [workloadKind(nameOf('kind')), nameOf('name')]
  if (!kind?.refersTo || !name) return ABSENT
  const source = await sourceOf(kube, kind, { namespace: sourceNamespaceIn(request), name, signal })
  return source.is === 'known' ? knownOrAbsent(referentName(kind, source.value)) : source
}

/**
 * The hash of what the source has in the fields that the command `promote` changes: what its author sees in the answer.
 * Undefined for every other request, and where the source cannot be read.
 */
async function promotedValues({ kube, schemas }: Defaulting, request: AdmissionRequest, signal: AbortSignal) {
  const read = isPromoteCommand(request) ? decodeRequest(request) : undefined
  if (read?.is !== 'decoded') return undefined
  const { experiment, kind, source } = read.decoded
  const found = knownValue(await sourceOf(kube, kind, { ...source, signal }))
  return seenIn({ experiment, schema: knownOrAbsent(schemas.schemaOf(kind.kind)) }, found)?.values
}

interface SourcePlace {
  readonly namespace: string
  readonly name: string
  readonly signal: AbortSignal
}

/** The source as the API server has it now. */
async function sourceOf(
  kube: Reader,
  kind: WorkloadKind,
  { namespace, name, signal }: SourcePlace,
): Promise<Known<KubeObject>> {
  try {
    const path = resourcePath(kind, { namespace, name })
    const source = await unlessOver(kube.request({ verb: 'get', path, signal }), signal)
    return isKubeObject(source) ? known(source) : unknown('not read in time')
  } catch (error) {
    if (error instanceof KubeError) return unknown(error.kind)
    throw error
  }
}
