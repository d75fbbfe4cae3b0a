import { expect } from 'chai'
import fc from 'fast-check'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { isFinal, questionOf, startOf, toldSince } from '../../../../common/analysis/run/look.ts'
import { LAW } from '../../../property.ts'
import {
  ARMS,
  aPod,
  aPoll,
  aRun,
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

const at = (seconds: number) => new Date(CREATED_MS + 1_000 * seconds).toISOString()
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
    // the other metric could be asked already
    expect(statusOf(first).nextLookAt).to.equal(at(13))
    const both = lookedAt(run, aPoll(12, [window(GOOD, 0, 10), window(decision('Wait'), 0, 10, { metric: 'decided' })]))
    expect(statusOf(both).nextLookAt).to.equal(at(20))
    const thin = lookedAt(aRun(), aPoll(12, [window(events([0, 1], [0, 1]), 0, 10)]))
    expect(statusOf(thin).nextLookAt).to.equal(at(20))
  })

  it('keeps the time of a verdict and reason that stay', () => {
    expect(toldSince(undefined, { verdict: 'Wait', reason: 'NoPods' }, CREATED_MS).since).to.equal(at(0))
    const stored = { verdict: 'Wait', reason: 'NoPods', since: at(-50) } as const
    expect(toldSince(stored, { verdict: 'Wait', reason: 'NoPods' }, CREATED_MS).since).to.equal(at(-50))
    expect(toldSince(stored, { verdict: 'Wait', reason: 'NoTraffic' }, CREATED_MS).since).to.equal(at(0))
  })

  it('shares α by the metrics that count and have a bound', () => {
    const metrics = [ERRORS, { ...ERRORS, name: 'told', dryRun: true }, DECIDED, HEALTH]
    expect(questionOf(aRun({ metrics }).spec).metrics).to.equal(2)
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

  const anyAnswer: fc.Arbitrary<WindowAnswer> = fc.oneof(
    fc
      .tuple(fc.nat(50), fc.nat(500), fc.nat(50), fc.nat(500))
      .map(([a, b, c, d]) => events([Math.min(a, b), b], [Math.min(c, d), d])),
    fc.constant<WindowAnswer>(FAILED),
    fc.subarray(['treatment', 'control'] as const).map((arms): WindowAnswer => ({ is: 'silent', arms })),
    fc.constant(decision('Pass')),
  )
  const anyPoll = fc.record({
    from: fc.nat(200),
    length: fc.nat(120),
    answer: anyAnswer,
    hasPods: fc.boolean(),
    restarts: fc.nat(5),
  })

  it('gives no NaN, counts every look, and never takes evidence back, whatever was polled', () => {
    fc.assert(
      fc.property(fc.array(anyPoll, { maxLength: 12 }), (polls) => {
        let run = aRun({ metrics: [ERRORS, HEALTH] })
        let nowS = 0
        for (const { from, length, answer, hasPods, restarts } of polls) {
          nowS += length
          const arms = hasPods ? { ...ARMS, treatment: [aPod('fork', { restarts })] } : { treatment: [], control: [] }
          const before = run.status
          run = lookedAt(run, aPoll(nowS, [window(answer, from, from + length)], { arms }))
          const text = JSON.stringify(run.status)
          expect(text).to.not.match(/null|NaN|Infinity/)
          expect(JSON.parse(text)).to.deep.equal(run.status)
          const { looks, windows, nextLookAt, verdict } = statusOf(run)
          expect(looks).to.equal((before?.looks ?? 0) + 1)
          expect(windows.counted).to.be.at.least(before?.windows.counted ?? 0)
          if (verdict === 'Wait') expect(Date.parse(nextLookAt ?? '')).to.be.above(CREATED_MS + 1_000 * nowS)
        }
      }),
      LAW,
    )
  })
})
