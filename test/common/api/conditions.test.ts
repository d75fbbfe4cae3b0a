import { expect } from 'chai'
import { type ConditionDraft, conditionsFrom, readyOf, warning, warningsAbout } from '../../../common/api/conditions.ts'
import type { Condition } from '../../../common/api/types.ts'
import { optionalClause } from '../../../common/text/fitted.ts'

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

  it('M7: cuts messages behind a whole clause, to at most 1,024 characters', () => {
    const clause = 'x'.repeat(498)
    const [condition] = convert([draft({ message: [clause, clause, clause].join('; ') })])
    expect(condition?.message).to.equal(`${clause}; ${clause}; ...`)
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

  it('M7: leaves out an explanation that does not fit 256 characters together with the reason', () => {
    const fact = 'a'.repeat(256 - '[LeaderElection] '.length - 3)
    expect(warning('LeaderElection', fact, optionalClause(': b')).message).to.equal(`${fact}: b`)
    expect(warning('LeaderElection', fact, optionalClause(': bc')).message).to.equal(fact)
  })

  it('names the first two of several objects, and is missing without any', () => {
    const about = (...names: readonly string[]) =>
      warningsAbout('CountedByPDB', names, (all) => ['counts for ', all]).map(({ message }) => message)
    expect(about()).to.deep.equal([])
    expect(about('a')).to.deep.equal(['counts for a'])
    expect(about('a', 'b', 'c')).to.deep.equal(['counts for a, b and 1 more'])
  })
})

describe('the condition Ready of a stored status', () => {
  const withReady = (reason: string) => ({
    conditions: [earlier({ type: 'Paused' }), { ...earlier(), reason }],
  })

  it('is found among the others', () => {
    expect(readyOf(withReady('Updating'))?.reason).to.equal('Updating')
    expect(readyOf({})).to.equal(undefined)
    expect(readyOf(undefined)).to.equal(undefined)
  })
})
