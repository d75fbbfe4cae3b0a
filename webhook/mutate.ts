import { at } from '../common/api/object.ts'
import { defaultTTLSeconds } from '../common/api/policy.ts'
import type { Timers } from '../common/clock.ts'
import { DeadlineExceeded, startDeadline, unlessAborted } from '../common/deadline.ts'
import { defaultsPatch } from './default.ts'
import { lookAtRules, type PolicySource } from './look.ts'
import type { AdmissionRequest, Answer } from './review.ts'

/** What a mutation asks. */
export interface Defaulting {
  readonly policies: PolicySource
  readonly timers: Timers
}

/** The API server waits for 2 s, by our configuration, and goes on without us. */
const MUTATION_MS = 1_500

/** Fills in defaults. Never denies, and never waits for long: what is wrong is told by `/validate`, in one voice. */
export const mutator =
  (defaulting: Defaulting) =>
  async (request: AdmissionRequest, limitMs = MUTATION_MS): Promise<Answer> => {
    try {
      const ttlSeconds = await wantedTTL(defaulting, request, limitMs)
      return { allowed: true, patch: defaultsPatch(request, ttlSeconds) }
    } catch (error) {
      // too deep to be looked at, or a namespace that can be none: /validate and the CRD, which come later, say so
      if (error instanceof RangeError) return { allowed: true }
      throw error
    }
  }

/** What policies want a resource without `ttlSeconds` to have; undefined also where they cannot be read in time. */
async function wantedTTL({ policies, timers }: Defaulting, request: AdmissionRequest, limitMs: number) {
  const { namespace } = request
  if (request.operation === 'UPDATE' || (at(request.object, 'spec', 'ttlSeconds') ?? undefined) !== undefined)
    return undefined
  const source = at(request.object, 'spec', 'sourceRef', 'namespace')
  const place = { namespace: typeof source === 'string' && source !== '' ? source : namespace }
  const deadline = startDeadline(timers, limitMs)
  try {
    const rules = await unlessAborted(lookAtRules({ request, place }, policies), deadline.signal)
    return rules && defaultTTLSeconds(rules.policies, rules.namespace, rules.sourceNamespace)
  } catch (error) {
    if (error instanceof DeadlineExceeded) return undefined
    throw error
  } finally {
    deadline.end()
  }
}
