import { expect } from 'chai'
import type { ExperimentPolicy } from '../../../common/policy/policy.ts'
import { aPolicy } from '../../builders.ts'
import { decided, VALID, violated, violating, world } from './policy-status-world.ts'

/** Only its policies count. */
const NOT_SHARED = { is: 'notShared', reason: 'SourceNotAllowed', message: 'not shared' } as const

describe('the status of policies', () => {
  it('counts covered experiments and violations, two seconds after the first pass', async () => {
    const { time, diary, status } = world()
    status.record('shop/a', decided('one'))
    status.record('shop/b', decided())
    await time.pass(1_999)
    expect(diary).to.deep.equal([])
    await time.pass(1)
    expect(diary).to.deep.equal(['one@1: 1 of 2', 'two@1: 0 of 2'])
    expect(violating(status)).to.deep.equal({ Deny: 1, Warn: 0, Audit: 0 })
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
    status.record('shop/a', { ...NOT_SHARED, policies: ['one', 'two'], refusing: ['two'] })
    status.record('shop/b', { ...NOT_SHARED, policies: ['one'], refusing: [] })
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 2', 'two@1: 1 of 1'])
    expect(violating(status)).to.deep.equal({ Deny: 2, Warn: 0, Audit: 0 })
  })

  it('counts an experiment once for each action of the policies that it violates', () => {
    const { status } = world({ keys: ['shop/a', 'shop/b', 'shop/c', 'shop/d'] })
    status.record('shop/a', violated('Warn', 'Audit'))
    status.record('shop/b', violated('Audit'))
    status.record('shop/c', decided('one', 'two'))
    status.record('shop/d', decided())
    expect(violating(status)).to.deep.equal({ Deny: 1, Warn: 1, Audit: 2 })
    status.record('shop/a', undefined)
    status.forget('shop/c')
    expect(violating(status)).to.deep.equal({ Deny: 0, Warn: 0, Audit: 1 })
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

  it('records nothing of a pass that ends after its experiment, also while it never writes', () => {
    const { present, status } = world({ isStarted: false })
    status.record('shop/a', decided('one'))
    present.keys = ['shop/b']
    status.forget('shop/a')
    status.record('shop/a', decided('one'))
    expect([status.entryCount, status.violating('Deny')]).to.deep.equal([0, 0])
  })

  it('asks nothing about a policy that is deleted while the status of another one is written', async () => {
    const { time, diary, checked, present, status } = world({ keys: [] })
    const answer = Promise.withResolvers<void>()
    present.answer = answer.promise
    status.policiesChanged()
    await time.pass(2_000)
    present.policies = present.policies.slice(0, 1)
    status.policiesChanged()
    answer.resolve()
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 0'])
    expect(checked, 'which remembers them').to.deep.equal(['one', 'one'])
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

  it('O6: is tried once a minute while the write fails, and the 1st, 2nd, 4th and 8th failure in a row is logged', async () => {
    const { time, diary, log, present, status } = world({ keys: ['shop/a'] })
    const logged = () => log.lines.filter(({ facts }) => facts.policy === 'one').map(({ facts }) => facts.failures)
    present.fails = true
    status.record('shop/a', decided())
    await time.pass(10 * 60_000)
    expect(logged()).to.deep.equal([1, 2, 4, 8])
    present.fails = false
    await time.pass(60_000)
    expect(diary).to.have.length(2)
    present.fails = true
    status.record('shop/a', decided('one', 'two'))
    await time.pass(2_000)
    expect(logged()).to.deep.equal([1, 2, 4, 8, 1])
    present.policies = []
    present.keys = []
    status.forget('shop/a')
    await time.pass(60_000)
    expect(status.entryCount).to.equal(0)
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

/** The policy `one`, whose status another client has just set to `violations`, in the cache. */
function forge({ present, status }: ReturnType<typeof world>, stored: ExperimentPolicy, violations = 42): void {
  const forged = { ...stored, status: { ...stored.status, violations } }
  present.policies = present.policies.map((each) => (each.metadata.name === 'one' ? forged : each))
  status.statusChanged(forged)
}

describe('the status of a policy that another client writes too', () => {
  it('is corrected ever later while each write is undone, and other policies are written in time', async () => {
    const of = world({ keys: ['shop/a'] })
    const { time, diary, present, status } = of
    present.onStored = (stored) => {
      status.statusChanged(stored) // our own
      if (stored.metadata.name === 'one') forge(of, stored)
    }
    status.record('shop/a', decided())
    await time.pass(40_000)
    expect(diary.filter((line) => line.startsWith('one'))).to.have.length.within(5, 8)
    diary.length = 0
    status.record('shop/a', decided('two'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['two@1: 1 of 1'])
    await time.pass(30_000)
    expect(diary).to.deep.equal(['two@1: 1 of 1', 'one@1: 0 of 1'])
  })

  it('is corrected while another client writes it every second', async () => {
    const of = world({ keys: ['shop/a'] })
    const { time, diary, present, status } = of
    status.record('shop/a', decided())
    for (let second = 0; second < 120; second += 1) {
      const [one] = present.policies
      if (one) forge(of, one, 42 + second)
      await time.pass(1_000)
    }
    expect(diary.filter((line) => line.startsWith('one'))).to.have.length.within(7, 10)
  })

  it('is written in time again and again if only the controller writes it', async () => {
    const { time, diary, present, status } = world({ keys: ['shop/a'] })
    present.onStored = (stored) => {
      present.policies = present.policies.map((each) => (each.metadata.uid === stored.metadata.uid ? stored : each))
      status.statusChanged(stored) // before the write has ended
    }
    for (let change = 0; change < 20; change += 1) {
      status.record('shop/a', change % 2 === 0 ? decided('one') : decided())
      await time.pass(2_000)
      expect(diary.filter((line) => line.startsWith('one'))).to.have.length(change + 1)
    }
  })
})
