import { expect } from 'chai'
import { type ConditionDraft, conditionsFrom, warning } from '../../../common/api/conditions.ts'
import type { Condition } from '../../../common/api/types.ts'

const NOW = new Date('2026-11-21T12:00:00.789Z')
const EARLIER = '2026-11-21T11:00:00Z'

const draft = (fields: Partial<ConditionDraft> = {}): ConditionDraft => ({
  type: 'Ready',
  status: 'True',
  reason: 'Available',
  message: 'all good',
  ...fields,
})

const earlier = (fields: Partial<Condition> = {}): Condition => ({
  ...draft(),
  observedGeneration: 1,
  lastTransitionTime: EARLIER,
  ...fields,
})

const convert = (drafts: readonly ConditionDraft[], before: readonly Condition[] = []) =>
  conditionsFrom(drafts, before, { observedGeneration: 2, now: NOW })

describe('conditionsFrom', () => {
  it('gives a new condition the present time in whole seconds', () => {
    expect(convert([draft()])).to.deep.equal([
      {
        type: 'Ready',
        status: 'True',
        reason: 'Available',
        message: 'all good',
        observedGeneration: 2,
        lastTransitionTime: '2026-11-21T12:00:00Z',
      },
    ])
  })

  it('keeps the time of a condition whose status is the same, even if its message is not', () => {
    const [condition] = convert([draft({ message: 'still good' })], [earlier()])
    expect(condition).to.include({ message: 'still good', lastTransitionTime: EARLIER, observedGeneration: 2 })
  })

  it('moves the time of a condition whose status has changed', () => {
    const [condition] = convert([draft({ status: 'False' })], [earlier()])
    expect(condition?.lastTransitionTime).to.equal('2026-11-21T12:00:00Z')
  })

  it('compares conditions of the same type only', () => {
    const [condition] = convert([draft({ type: 'Stalled' })], [earlier()])
    expect(condition?.lastTransitionTime).to.equal('2026-11-21T12:00:00Z')
  })

  it('cuts messages to 1,024 characters', () => {
    const [condition] = convert([draft({ message: 'x'.repeat(5_000) })])
    expect(condition?.message).to.have.length(1_024)
  })

  it('drops conditions that are no longer wanted', () => {
    expect(convert([], [earlier()])).to.deep.equal([])
  })
})

describe('warning', () => {
  it('keeps a short message as it is', () =>
    expect(warning('LeaderElection', 'may become leader')).to.deep.equal({
      reason: 'LeaderElection',
      message: 'may become leader',
    }))

  it('cuts a long message so that it fits 120 characters together with its reason', () => {
    const { reason, message } = warning('LeaderElection', `${'a'.repeat(100)}${'b'.repeat(100)}`)
    expect(`[${reason}] ${message}`).to.have.length(120)
    expect(message).to.match(/^a+\.\.\.b+$/)
  })
})
