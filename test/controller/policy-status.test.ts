import { expect } from 'chai'
import type { ExperimentPolicy } from '../../common/api/policy.ts'
import { PolicyStatus } from '../../controller/policy-status.ts'
import type { Judgement } from '../../controller/reconcile/policy-check.ts'
import { aPolicy } from '../builders.ts'
import { diaryLog, VirtualTime } from '../virtual-time.ts'

/** Two policies, of which `violated` have something against the experiment. */
const judged = (...violated: readonly string[]): Judgement => ({
  is: 'judged',
  policies: ['one', 'two'],
  places: [],
  share: [],
  terms: violated.map((policy) => ({
    policy,
    actions: ['Deny'],
    about: 'terms',
    error: { field: 'spec.replicas', message: 'no', cause: 'FieldValueInvalid' },
  })),
})

function world({ keys = ['shop/a', 'shop/b'] } = {}) {
  const time = new VirtualTime()
  const diary: string[] = []
  const log = diaryLog()
  const present = {
    policies: [aPolicy({ name: 'one' }), aPolicy({ name: 'two' })] as readonly ExperimentPolicy[],
    keys: keys as readonly string[],
    fails: false,
  }
  const status = new PolicyStatus({
    policies: () => present.policies,
    keys: () => present.keys,
    write: async ({ metadata }, { observedGeneration, experiments, violations }) => {
      if (present.fails) throw new Error('no')
      diary.push(`${metadata.name}@${observedGeneration}: ${violations} of ${experiments}`)
    },
    timers: time,
    log,
  })
  return { time, diary, log, present, status }
}

describe('the status of policies', () => {
  it('counts what they cover and what breaks them, two seconds after the first news', async () => {
    const { time, diary, status } = world()
    status.judged('shop/a', judged('one'))
    status.judged('shop/b', judged())
    await time.pass(1_999)
    expect(diary).to.deep.equal([])
    await time.pass(1)
    expect(diary).to.deep.equal(['one@1: 1 of 2', 'two@1: 0 of 2'])
    expect(status.violating).to.equal(1)
  })

  it('counts what breaks the consent of a policy for that one, and what has none of any for all', async () => {
    const { time, diary, status } = world()
    status.judged('shop/a', { is: 'unshared', policies: ['one', 'two'], refusing: ['two'] })
    status.judged('shop/b', { is: 'unshared', policies: ['one'], refusing: [] })
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 2', 'two@1: 1 of 1'])
    expect(status.violating).to.equal(2)
  })

  it('is put right where somebody else wrote it', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.judged(key, judged())
    await time.pass(2_000)
    const [one, two] = present.policies
    if (!one || !two) throw new Error('there are two')
    const told = { observedGeneration: 1, experiments: 2, violations: 0 }
    status.heard({ ...one, status: told })
    await time.pass(2_000)
    const forged = { ...one, status: { ...told, violations: 42 } }
    present.policies = [forged, { ...two, status: told }]
    status.heard(forged)
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 2', 'two@1: 0 of 2', 'one@1: 0 of 2'])
  })

  it('is not written where it is so already, by whomever', async () => {
    const { time, diary, present, status } = world()
    const told = { observedGeneration: 1, experiments: 2, violations: 0 }
    present.policies = present.policies.map((policy) => ({ ...policy, status: told }))
    status.judged('shop/a', judged())
    status.judged('shop/b', judged())
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
  })

  it('is written once, though the cache is late, and again only with news', async () => {
    const { time, diary, status } = world({ keys: ['shop/a'] })
    status.judged('shop/a', judged())
    await time.pass(2_000)
    status.judged('shop/a', judged())
    await time.pass(60_000)
    expect(diary.splice(0)).to.have.length(2)
    expect(time.pending).to.equal(0)
    status.judged('shop/a', judged('two'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['two@1: 1 of 1'])
  })

  it('waits until every experiment was looked at, for a minute: a restart tells no less than before', async () => {
    const { time, diary, status } = world()
    status.judged('shop/a', judged())
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 1', 'two@1: 0 of 1'])
  })

  it('waits for all again when a policy has changed', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.judged(key, judged())
    await time.pass(2_000)
    diary.length = 0
    present.policies = [aPolicy({ name: 'one', generation: 2 })]
    status.changed()
    status.judged('shop/a', judged('one'))
    await time.pass(4_000)
    expect(diary).to.deep.equal([])
    status.judged('shop/b', judged('one'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@2: 2 of 2'])
  })

  it('no longer counts what is gone, expired, or judged after its end', async () => {
    const { time, diary, present, status } = world()
    for (const key of present.keys) status.judged(key, judged('one'))
    await time.pass(2_000)
    diary.length = 0
    status.judged('shop/a', undefined)
    present.keys = ['shop/a']
    status.forget('shop/b')
    status.judged('shop/b', judged('one'))
    await time.pass(2_000)
    expect(diary).to.deep.equal(['one@1: 0 of 0', 'two@1: 0 of 0'])
    present.keys = []
    present.policies = []
    status.forget('shop/a')
    await time.pass(2_000)
    expect(status.held).to.equal(0)
  })

  it('is tried again in a minute where it could not be written', async () => {
    const { time, diary, log, present, status } = world({ keys: ['shop/a'] })
    present.fails = true
    status.judged('shop/a', judged())
    await time.pass(2_000)
    expect(log.lines.map(({ text }) => text)).to.include('error the status of a policy was not written')
    present.fails = false
    await time.pass(60_000)
    expect(diary).to.have.length(2)
  })

  it('is written no more after stop', async () => {
    const { time, diary, status } = world({ keys: ['shop/a'] })
    status.judged('shop/a', judged())
    await status.stop()
    await time.pass(60_000)
    expect(diary).to.deep.equal([])
    expect(time.pending).to.equal(0)
  })
})
