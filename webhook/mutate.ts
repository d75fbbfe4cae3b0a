import { ABSENT, type Known, knownOrAbsent, knownValue, unknown } from '../common/api/known.ts'
import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import { at, textOr } from '../common/json/json.ts'
import { KubeError } from '../common/kube/client/errors.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
import { defaultTTLSeconds, isOutside } from '../common/policy/policy.ts'
import type { Clock, Timers } from '../common/program/clock.ts'
import { startDeadline } from '../common/program/deadline.ts'
import { referentName } from '../common/workload/referent.ts'
import { workloadKind } from '../common/workload/registry.ts'
import { type PolicySource, readPolicyFacts } from './reads/policies.ts'
import { isKubeObject, type Reader, unlessOver } from './reads/reader.ts'
import type { AdmissionRequest, ReviewAnswer } from './review/admission-review.ts'
import { defaultsPatch } from './review/defaults-patch.ts'

/** What the mutating webhook needs. */
interface Defaulting {
  readonly kube: Reader
  readonly policies: PolicySource
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
        const [ttlSeconds, template] = await Promise.all([
          wantedTTL(defaulting, request, deadline.signal),
          templateOf(defaulting, request, deadline.signal),
        ])
        const reviewed = { now: defaulting.clock(), template, defaultTTLSeconds: ttlSeconds }
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
  try {
    const path = resourcePath(kind, { namespace: sourceNamespaceIn(request), name })
    const source = await unlessOver(kube.request({ verb: 'get', path, signal }), signal)
    return isKubeObject(source) ? knownOrAbsent(referentName(kind, source)) : unknown('not read in time')
  } catch (error) {
    if (error instanceof KubeError) return unknown(error.kind)
    throw error
  }
}
