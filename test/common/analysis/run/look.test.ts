import { expect } from 'chai'
import {
  decisionBounds,
  isFinal,
  startOf,
  statusAfterLook,
  withTransitionTime,
} from '../../../../common/analysis/run/look.ts'
import {
  ARMS,
  aPod,
  aPoll,
  aRun,
  at,
  CREATED_MS,
  DECIDED,
  decision,
  ERRORS,
  events,
  FAILED,
  HEALTH,
  lookedAt,
  lookedThrough,
  metricOf,
  statusOf,
  TIMES,
  window,
} from './runs.ts'

const GOOD = events([0, 40], [0, 160])
const BAD = events([20, 40], [0, 160])

describe('a look at an analysis run', () => {
  it('begins when both arms have a pod that counts, after the run was made, moved by its subject', () => {
    const arms = { ...ARMS, treatment: [aPod('new', { readySinceMs: CREATED_MS + 5_000 })] }
    expect(startOf(aRun(), { arms: ARMS }, TIMES)).to.equal(CREATED_MS)
    expect(startOf(aRun(), { arms }, TIMES)).to.equal(CREATED_MS + 5_000)
    expect(startOf(aRun(), { arms }, { ...TIMES, warmUpSeconds: 60 })).to.equal(CREATED_MS + 65_000)
    expect(startOf(aRun({ spec: { subject: '0000000007' } }), { arms }, TIMES)).to.equal(CREATED_MS + 12_000)
    const begun = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    expect(statusOf(begun).startedAt).to.equal(at(0))
    expect(startOf(begun, { arms }, TIMES)).to.equal(CREATED_MS)
  })

  it('waits for pods without a clock', () => {
    const none = lookedAt(aRun(), aPoll(10, [], { arms: { treatment: [], control: [] } }))
    expect(statusOf(none)).to.deep.include({ verdict: 'Wait', reason: 'NoPods', looks: 1, nextLookAt: at(20) })
    expect(statusOf(none)).to.not.have.property('startedAt')
  })

  it('says when the next one is worth while', () => {
    const run = aRun({ metrics: [ERRORS, { ...DECIDED }] })
    const first = lookedAt(run, aPoll(12, [window(GOOD, 0, 10)]))
    // the other metric was not asked, as its provider needs time: at the end of the next interval it is due again
    expect(statusOf(first).nextLookAt).to.equal(at(20))
    const slow = lookedAt(aRun(), aPoll(32, [window(GOOD, 0, 10)]))
    expect(statusOf(slow).nextLookAt).to.equal(at(33))
    const both = lookedAt(run, aPoll(12, [window(GOOD, 0, 10), window(decision('Wait'), 0, 10, { metric: 'decided' })]))
    expect(statusOf(both).nextLookAt).to.equal(at(20))
    const thin = lookedAt(aRun(), aPoll(12, [window(events([0, 1], [0, 1]), 0, 10)]))
    expect(statusOf(thin).nextLookAt).to.equal(at(20))
  })

  it('tells what a plugin said about its decision', () => {
    const run = aRun({ metrics: [DECIDED] })
    const answered = (answer: ReturnType<typeof decision>) =>
      statusOf(lookedAt(run, aPoll(12, [window(answer, 0, 10, { metric: 'decided' })])))
    const failed = answered(decision('Fail', 'the queue is full'))
    expect([failed.verdict, failed.message]).to.deep.equal(['Fail', 'decided Fail: the queue is full'])
    expect(answered(decision('Wait')).message).to.equal('decided Wait')
  })

  it('has one when the time is over and the last window can be asked for', () => {
    const times = { ...TIMES, intervalSeconds: 60, maxSeconds: 90 }
    const looks = (atS: number) => {
      const of = { poll: aPoll(atS), times, lagSeconds: () => 5 }
      return statusAfterLook(aRun(), of).nextLookAt
    }
    expect([looks(1), looks(65), looks(89)]).to.deep.equal([at(65), at(95), at(95)])
    expect(statusAfterLook(aRun(), { poll: aPoll(89), times, lagSeconds: () => 0 }).nextLookAt).to.equal(at(90))
    expect([looks(90), looks(95)]).to.deep.equal([at(95), undefined])
  })

  it('begins at once where the time of its creation is not known', () => {
    const { creationTimestamp: _none, ...metadata } = aRun().metadata
    expect(startOf({ ...aRun(), metadata }, { arms: ARMS }, TIMES)).to.equal(CREATED_MS - 90_000)
  })

  it('keeps its start at a look that is older', () => {
    const begun = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    const older = lookedAt(begun, aPoll(-5))
    expect(statusOf(older).startedAt).to.equal(at(0))
    expect(metricOf(older)).to.deep.equal(metricOf(begun))
  })

  it('changes nothing after a final verdict', () => {
    const failed = lookedThrough(aRun(), [BAD, BAD, BAD, BAD])
    expect(lookedAt(failed, aPoll(60, [window(GOOD, 40, 60)]))).to.deep.equal(failed)
  })

  it('tells requests only where requests are counted', () => {
    const run = aRun({ metrics: [ERRORS, DECIDED, HEALTH] })
    expect(statusOf(lookedAt(run, aPoll(100))).requests).to.equal(0)
    expect(statusOf(lookedAt(run, aPoll(100, [window(GOOD, 0, 10)]))).requests).to.equal(40)
  })

  it('does not miss requests of a metric that counts none', () => {
    const times = { ...TIMES, maxSeconds: 20 }
    const over = lookedAt(aRun({ metrics: [HEALTH] }), aPoll(20), times)
    expect(statusOf(over)).to.include({ verdict: 'Inconclusive', reason: 'NotShown', action: 'RollBack' })
    const few = lookedAt(aRun(), aPoll(20, [window(events([0, 49], [0, 160]), 0, 20)]), times)
    expect(statusOf(few)).to.include({ verdict: 'Inconclusive', reason: 'TooFewSamples' })
  })

  it('keeps the time of a verdict and reason that stay', () => {
    expect(withTransitionTime(undefined, { verdict: 'Wait', reason: 'NoPods' }, CREATED_MS).since).to.equal(at(0))
    const stored = { verdict: 'Wait', reason: 'NoPods', since: at(-50) } as const
    expect(withTransitionTime(stored, { verdict: 'Wait', reason: 'NoPods' }, CREATED_MS).since).to.equal(at(-50))
    expect(withTransitionTime(stored, { verdict: 'Wait', reason: 'NoTraffic' }, CREATED_MS).since).to.equal(at(0))
  })

  it('shares α by the metrics that count and have a bound', () => {
    const metrics = [ERRORS, { ...ERRORS, name: 'told', dryRun: true }, DECIDED, HEALTH]
    expect(decisionBounds(aRun({ metrics }).spec).metrics).to.equal(2)
    // α would be shared by none, and every metric that is only told would fail
    expect(decisionBounds(aRun({ metrics: [{ ...ERRORS, dryRun: true }, DECIDED] }).spec).metrics).to.equal(1)
  })

  it('finds harm, with an end and what follows', () => {
    const failed = lookedThrough(aRun(), [BAD, BAD, BAD, BAD])
    expect(statusOf(failed)).to.deep.include({ verdict: 'Fail', reason: 'HarmFound', action: 'RollBack' })
    expect(statusOf(failed).finishedAt).to.be.a('string')
    expect(statusOf(failed)).to.not.have.property('nextLookAt')
    expect(isFinal(failed.status, TIMES)).to.equal(true)
  })

  it('counts no metric that is only told', () => {
    const told = { ...ERRORS, name: 'told', dryRun: true }
    const run = lookedThrough(aRun({ metrics: [told, DECIDED] }), [BAD, BAD, BAD, BAD], 'told')
    expect(metricOf(run, 'told').verdict).to.equal('Fail')
    expect(statusOf(run)).to.deep.include({ verdict: 'Wait', reason: 'Measuring' })
    const passed = lookedAt(run, aPoll(60, [window(decision('Pass'), 0, 60, { metric: 'decided' })]))
    expect(statusOf(passed).verdict).to.equal('Pass')
    const failing = lookedAt(passed, aPoll(70, [window(FAILED, 40, 70, { metric: 'told' })]))
    expect(statusOf(failing).verdict).to.equal('Pass')
  })

  it('never ends by a metric that is only told', () => {
    const told = { ...ERRORS, name: 'told', dryRun: true }
    const run = aRun({ metrics: [told, DECIDED] })
    for (const answer of [
      FAILED,
      { is: 'silent', arms: ['treatment'] },
      { is: 'silent', arms: ['control'] },
    ] as const) {
      const first = lookedAt(run, aPoll(10, [window(answer, 0, 10, { metric: 'told' })]))
      const late = lookedAt(first, aPoll(1_000, [window(answer, 900, 1_000, { metric: 'told', skipped: 90 })]))
      expect(metricOf(late, 'told').since).to.be.oneOf([at(0), at(10)])
      expect(statusOf(late)).to.deep.include({ verdict: 'Wait', reason: 'Measuring' })
    }
    const only = lookedThrough(aRun({ metrics: [told] }), [GOOD, GOOD, GOOD], 'told')
    expect(statusOf(only).verdict).to.equal('Wait')
  })

  it('goes on after a Pass where that is asked for, and finds only harm then', () => {
    const times = { ...TIMES, continueAfterPass: true }
    const answer = (word: 'Wait' | 'Pass' | 'Fail', from: number) => [
      window(decision(word), from, from + 10, { metric: 'decided' }),
    ]
    const passed = lookedAt(aRun({ metrics: [DECIDED] }), aPoll(10, answer('Pass', 0)), times)
    expect(statusOf(passed)).to.deep.include({ verdict: 'Pass', action: 'Promote', nextLookAt: at(20) })
    expect(statusOf(passed)).to.not.have.property('finishedAt')
    expect([isFinal(passed.status, times), isFinal(passed.status, TIMES)]).to.deep.equal([false, true])
    const waiting = lookedAt(passed, aPoll(20, answer('Wait', 10)), times)
    expect(statusOf(waiting)).to.deep.include({ verdict: 'Pass', reason: 'Passed', since: at(10) })
    const failed = lookedAt(waiting, aPoll(30, answer('Fail', 20)), times)
    expect(statusOf(failed)).to.deep.include({ verdict: 'Fail', action: 'RollBack', finishedAt: at(30) })
  })
})
