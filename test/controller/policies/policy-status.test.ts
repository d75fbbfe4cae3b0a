import { expect } from 'chai'
import type { Condition } from '../../../common/api/types.ts'
import type { PolicyDecision } from '../../../common/plan/policy-decision.ts'
import type { ExperimentPolicy, ExperimentPolicyStatus } from '../../../common/policy/policy.ts'
import { PolicyStatus } from '../../../controller/policies/policy-status.ts'
import { aPolicy } from '../../builders.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

/** Two policies apply, and the experiment violates `violated`. */
const decided = (...violated: readonly string[]): PolicyDecision => ({
  is: 'decided',
  policies: ['one', 'two'],
  findings: violated.map((policy) => ({
    policy,
    actions: ['Deny'],
    about: 'content',
    error: { field: 'spec.replicas', message: 'no', cause: 'FieldValueInvalid' },
  })),
})

/** The condition of a valid policy, as it was stored before the test. */
const VALID: Condition = {
  type: 'Valid',
  status: 'True',
  reason: 'Valid',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-20T00:00:00Z',
}

function world({ keys = ['shop/a', 'shop/b'], isStarted = true } = {}) {
  const time = new VirtualTime()
  const diary: string[] = []
  const written: ExperimentPolicyStatus[] = []
  const log = diaryLog()
  const present = {
    policies: [aPolicy({ name: 'one' }), aPolicy({ name: 'two' })] as readonly ExperimentPolicy[],
    keys: keys as readonly string[],
    fails: false,
    hasSchemas: true,
    valid: 'True' as 'True' | 'False',
  }
  const status = new PolicyStatus({
    policies: { list: () => present.policies },
    keys: () => present.keys,
    write: async ({ metadata }, next) => {
      const { observedGeneration, experiments, violations, conditions = [] } = next
      if (present.fails) throw new Error('no')
      written.push(next)
      diary.push(`${metadata.name}@${observedGeneration}: ${violations} of ${experiments}`)
      for (const { status, lastTransitionTime } of conditions)
        if (status === 'False') diary.push(`not valid since ${lastTransitionTime}`)
    },
    validity: {
      get hasSchemas() {
        return present.hasSchemas
      },
      conditionOf: () => ({ type: 'Valid', status: present.valid, reason: 'Valid', message: '' }),
    },
    timers: time,
    clock: () => new Date('2026-11-21T12:00:00Z'),
    log,
  })
  if (isStarted) status.start()
  return { time, diary, written, log, present, status }
}

describe('the status of policies', () => {
  it('counts covered experiments and violations, two seconds after the first pass', async () => {
    const { time, diary, status } = world()
    status.record('shop/a', decided('one'))
    status.record('shop/b', decided())
    await time.pass(1_999)
    expect(diary).to.deep.equal([])
    await time.pass(1)
    expect(diary).to.deep.equal(['one@1: 1 of 2', 'two@1: 0 of 2'])
    expect(status.violating).to.equal(1)
  })

  it('is not written before the start, and two seconds after it', async () => {
    const { time, diary, status } = world({ isStarted: false })
    status.record('shop/a', decided('one'))
    status.record('shop/b', decided())
    await time.pass(600_000)
    expect([diary, time.pending]).to.deep.equal([[], 0])
    status.start()
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 1 of 2', 'two@1: 0 of 2'])
  })

  it('U2: has the actions of the policy as a plain text, for the column of kubectl get', async () => {
    const { time, present, status, written } = world()
    present.policies = [aPolicy({ name: 'one', validationActions: ['Warn', 'Audit'] }), aPolicy({ name: 'two' })]
    for (const key of present.keys) status.record(key, decided())
    await time.pass(2_000)
    expect(written.map(({ actions }) => actions)).to.deep.equal(['Warn,Audit', 'Deny'])
  })

  it('counts missing consent as a violation of the policy that refuses it, and of none if no policy refuses it', async () => {
    const { time, diary, status } = world()
    status.record('shop/a', { is: 'notShared', policies: ['one', 'two'], refusing: ['two'] })
    status.record('shop/b', { is: 'notShared', policies: ['one'], refusing: [] })
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 2', 'two@1: 1 of 1'])
    expect(status.violating).to.equal(2)
  })

  it('is corrected when another client wrote it', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.record(key, decided())
    await time.pass(2_000)
    const [one, two] = present.policies
    if (!one || !two) throw new Error('there are two')
    const stored = { observedGeneration: 1, experiments: 2, violations: 0, conditions: [VALID], actions: 'Deny' }
    status.statusChanged({ ...one, status: stored })
    await time.pass(2_000)
    const forged = { ...one, status: { ...stored, violations: 42 } }
    present.policies = [forged, { ...two, status: stored }]
    status.statusChanged(forged)
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 2', 'two@1: 0 of 2', 'one@1: 0 of 2'])
  })

  it('is not written when it is right already', async () => {
    const { time, diary, present, status } = world()
    const stored = { observedGeneration: 1, experiments: 2, violations: 0, conditions: [VALID], actions: 'Deny' }
    present.policies = present.policies.map((policy) => ({ ...policy, status: stored }))
    status.record('shop/a', decided())
    status.record('shop/b', decided())
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
  })

  it('is written once although the cache is late, and again only when it changes', async () => {
    const { time, diary, status } = world({ keys: ['shop/a'] })
    status.record('shop/a', decided())
    await time.pass(2_000)
    status.record('shop/a', decided())
    await time.pass(60_000)
    expect(diary.splice(0)).to.have.length(2)
    expect(time.pending).to.equal(0)
    status.record('shop/a', decided('two'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['two@1: 1 of 1'])
  })

  it('waits a minute for the passes of all experiments, so that a restart writes no smaller numbers', async () => {
    const { time, diary, status } = world()
    status.record('shop/a', decided())
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 1', 'two@1: 0 of 1'])
  })

  it('waits for all experiments again when a policy has changed', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.record(key, decided())
    await time.pass(2_000)
    diary.length = 0
    present.policies = [aPolicy({ name: 'one', generation: 2 })]
    status.policiesChanged()
    status.record('shop/a', decided('one'))
    await time.pass(4_000)
    expect(diary).to.deep.equal([])
    status.record('shop/b', decided('one'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@2: 2 of 2'])
  })

  it('does not count experiments that are gone or expired, or whose pass ended after their deletion', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.record(key, decided('one'))
    await time.pass(2_000)
    diary.length = 0
    status.record('shop/a', undefined)
    present.keys = ['shop/a']
    status.forget('shop/b')
    status.record('shop/b', decided('one'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 0', 'two@1: 0 of 0'])
    present.keys = []
    present.policies = []
    status.forget('shop/a')
    await time.pass(2_000)
    expect(status.entryCount).to.equal(0)
  })

  it('S10: says that a policy is not valid, when a schema shows it, and since when', async () => {
    const { time, diary, present, status } = world({ keys: [] })
    const stored = { observedGeneration: 1, experiments: 0, violations: 0, conditions: [VALID] }
    present.policies = [{ ...aPolicy({ name: 'one' }), status: stored }]
    present.valid = 'False'
    status.schemasChanged()
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 0', 'not valid since 2026-11-21T12:00:00Z'])
    await time.pass(60_000)
    expect(diary).to.have.length(2)
  })

  it('S10: waits for the schemas, so that a restart does not report a valid policy as unknown', async () => {
    const { time, diary, present, status } = world({ keys: [] })
    present.hasSchemas = false
    status.policiesChanged()
    await time.pass(30_000)
    expect(diary).to.deep.equal([])
    present.hasSchemas = true
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 0', 'two@1: 0 of 0'])
  })

  it('is tried again after a minute when the write fails', async () => {
    const { time, diary, log, present, status } = world({ keys: ['shop/a'] })
    present.fails = true
    status.record('shop/a', decided())
    await time.pass(2_000)
    expect(log.lines.map(({ text }) => text)).to.include('error the status of a policy was not written')
    present.fails = false
    await time.pass(60_000)
    expect(diary).to.have.length(2)
  })

  it('is not written after stop', async () => {
    const { time, diary, status } = world({ keys: ['shop/a'] })
    status.record('shop/a', decided())
    await status.stop()
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
    expect(time.pending).to.equal(0)
  })
})
