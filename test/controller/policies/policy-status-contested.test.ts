import { expect } from 'chai'
import type { ExperimentPolicy } from '../../../common/policy/policy.ts'
import { decided, world } from './policy-status-world.ts'

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
