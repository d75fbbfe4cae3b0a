import type { Condition } from '../../../common/api/types.ts'
import type { PolicyDecision } from '../../../common/outcome/policy-decision.ts'
import {
  type ExperimentPolicy,
  type ExperimentPolicyStatus,
  type PolicyFinding,
  VALIDATION_ACTIONS,
  type ValidationAction,
} from '../../../common/policy/policy.ts'
import { PolicyStatus } from '../../../controller/policies/policy-status.ts'
import { aPolicy } from '../../builders.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

const finding = (policy: string, actions: readonly ValidationAction[]): PolicyFinding => ({
  policy,
  actions,
  about: 'content',
  error: { field: 'spec.replicas', message: 'no', cause: 'FieldValueInvalid' },
})

/** One policy with `actions` applies, and the experiment violates it. */
export const violated = (...actions: readonly ValidationAction[]): PolicyDecision => ({
  is: 'decided',
  policies: ['one'],
  findings: [finding('one', actions)],
})

/** Two policies apply, and the experiment violates `policies`. */
export const decided = (...policies: readonly string[]): PolicyDecision => ({
  is: 'decided',
  policies: ['one', 'two'],
  findings: policies.map((policy) => finding(policy, ['Deny'])),
})

/** How many experiments violate a policy with each action. */
export const violating = (status: PolicyStatus) =>
  Object.fromEntries(VALIDATION_ACTIONS.map((action) => [action, status.violating(action)]))

/** The condition of a valid policy, as it was stored before the test. */
export const VALID: Condition = {
  type: 'Valid',
  status: 'True',
  reason: 'Valid',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-20T00:00:00Z',
}

/** A status of two policies and two experiments, whose writes are kept. */
export function world({ keys = ['shop/a', 'shop/b'], isStarted = true } = {}) {
  const time = new VirtualTime()
  const diary: string[] = []
  const written: ExperimentPolicyStatus[] = []
  const log = diaryLog()
  const present = {
    policies: [aPolicy({ name: 'one' }), aPolicy({ name: 'two' })] as readonly ExperimentPolicy[],
    keys: keys as readonly string[],
    fails: false,
    hasSchemas: true,
    /** called when a status is stored, before the controller knows it */
    onStored: (_policy: ExperimentPolicy): void => undefined,
    valid: 'True' as 'True' | 'False',
    /** what a write waits for */
    answer: Promise.resolve(),
  }
  /** the names of the policies whose validity was asked */
  const checked: string[] = []
  const status = new PolicyStatus({
    policies: { list: () => present.policies },
    keys: () => present.keys,
    isKnown: (key) => present.keys.includes(key),
    write: async (policy, next) => {
      const { metadata } = policy
      const { observedGeneration, experiments, violations, conditions = [] } = next
      if (present.fails) throw new Error('no')
      written.push(next)
      diary.push(`${metadata.name}@${observedGeneration}: ${violations} of ${experiments}`)
      await present.answer
      for (const { status, lastTransitionTime } of conditions)
        if (status === 'False') diary.push(`not valid since ${lastTransitionTime}`)
      present.onStored({ ...policy, status: next })
    },
    validity: {
      get hasSchemas() {
        return present.hasSchemas
      },
      conditionOf: ({ metadata }) => {
        checked.push(metadata.name)
        return { type: 'Valid', status: present.valid, reason: 'Valid', message: '' }
      },
    },
    timers: time,
    clock: () => new Date('2026-11-21T12:00:00Z'),
    log,
  })
  if (isStarted) status.start()
  return { time, diary, written, checked, log, present, status }
}
