import { knownValue } from '../common/api/known.ts'
import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import { at } from '../common/json/json.ts'
import { defaultTTLSeconds } from '../common/policy/policy.ts'
import type { Timers } from '../common/program/clock.ts'
import { startDeadline } from '../common/program/deadline.ts'
import { type PolicySource, readPolicyFacts } from './reads/policies.ts'
import { unlessOver } from './reads/reader.ts'
import type { AdmissionRequest, Answer } from './review/admission-review.ts'
import { defaultsPatch } from './review/defaults-patch.ts'

export interface Defaulting {
  readonly policies: PolicySource
  readonly timers: Timers
}

/** Our configuration makes the API server wait for 2 s and then continue without an answer. */
const MUTATION_MS = 1_500

/** Fills in defaults. Never denies and never waits longer than `limitMs`: only `/validate` reports mistakes. */
export const mutator =
  (defaulting: Defaulting) =>
  async (request: AdmissionRequest, limitMs = MUTATION_MS): Promise<Answer> => {
    if (request.resource !== EXPERIMENT_DEPLOYMENT.plural) return { allowed: true }
    try {
      const ttlSeconds = await wantedTTL(defaulting, request, limitMs)
      return { allowed: true, patch: defaultsPatch(request, ttlSeconds) }
    } catch (error) {
      // Nested too deeply, or an invalid namespace: /validate and the CRD run later and report it.
      if (error instanceof RangeError) return { allowed: true }
      throw error
    }
  }

/** The `ttlSeconds` that policies give to a resource without one. Undefined also if they cannot be read in time. */
async function wantedTTL({ policies, timers }: Defaulting, request: AdmissionRequest, limitMs: number) {
  const { namespace } = request
  if (request.operation === 'UPDATE' || (at(request.object, 'spec', 'ttlSeconds') ?? undefined) !== undefined)
    return undefined
  const source = at(request.object, 'spec', 'sourceRef', 'namespace')
  const namespaces = { own: namespace, source: typeof source === 'string' && source !== '' ? source : namespace }
  const deadline = startDeadline(timers, limitMs)
  try {
    const read = await unlessOver(readPolicyFacts(namespaces, policies), deadline.signal)
    const facts = read && knownValue(read)
    return facts && defaultTTLSeconds(facts.policies, facts.namespace, facts.sourceNamespace)
  } finally {
    deadline.end()
  }
}
