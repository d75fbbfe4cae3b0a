import { expect } from 'chai'
import type { RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { METRIC_ENGINES } from '../../../../common/analysis/metrics/registry.ts'
import { joinLists } from '../../../../common/analysis/metrics/state-lists.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { decisionBounds } from '../../../../common/analysis/run/look.ts'
import { leastTime, shortfall } from '../../../../common/analysis/run/pass-needs.ts'
import { metricWithDefaults } from '../../../../common/api/analysis/defaults.ts'
import { METRIC_KINDS, type Metric } from '../../../../common/api/analysis/metric.ts'
import { aPoll, aRun, ERRORS, events, HEALTH, lookedAt, lookedThrough, statusOf, TIMES, window } from './runs.ts'

const QUESTION = decisionBounds(aRun().spec)
const metric = (of: Partial<RunMetric> = {}): RunMetric => ({
  ...{ name: 'errors', verdict: 'Wait', reason: 'Measuring', since: '2026-11-23T12:00:00Z' },
  ...of,
})
const asked = (kind: Metric['kind'], of: Partial<Metric> = {}) =>
  metricWithDefaults({ name: 'a', kind, provider: 'p', ...of })

describe('the least time of a metric', () => {
  it('N14: is in seconds, also where windows are counted', () => {
    const times = { beta: 0.05, intervalSeconds: 20 }
    expect(leastTime(asked('Health'), times)).to.deep.equal({
      ...{ name: 'a', seconds: 300, isOfSeconds: true, takes: 'takes 300s without a restart' },
    })
    expect(leastTime(asked('Value'), times)).to.deep.equal({
      ...{ name: 'a', seconds: 140, isOfSeconds: false, takes: 'takes 7 windows, of 20s each' },
    })
    expect(leastTime(asked('Latency'), times)).to.equal(undefined)
  })
})

describe('what an analysis lacked in the end', () => {
  it('N14: is told for each kind of metric that had nothing', () => {
    const told = METRIC_KINDS.map((kind) => `${kind}: ${shortfall(asked(kind), metric(), QUESTION)}`)
    const safe = (part: string) => `evidence 1 of 20 for a safe ${part}`
    expect(told).to.deep.equal([
      `Latency: it had 0 of 50 requests, ${safe('body')}, ${safe('tail')}`,
      `ErrorRate: it had 0 of 50 requests, ${safe('rate')}`,
      `Ratio: it had 0 of 50 requests, ${safe('rate')}`,
      `Value: it had 0 of 7 windows, ${safe('value')}`,
      'Health: it had 0 of 300s without a restart',
      'Threshold: it had 0 of 5 windows inside of its bounds',
      'MannWhitney: it had 0 of 50 requests of each version',
      'Decision: harm was not ruled out',
    ])
  })

  it('N14: is what it had and needed', () => {
    const limit = asked('Threshold', { max: 1, successCount: 3 })
    const hadOf = (values: readonly number[]) => {
      const fold = (state: readonly number[], treatment: number) =>
        METRIC_ENGINES.Threshold.fold(state, { is: 'treatmentValue', treatment }, limit) ?? []
      return shortfall(limit, metric({ state: values.reduce<readonly number[]>(fold, []) }), QUESTION)
    }
    expect(hadOf([0, 0])).to.equal('it had 2 of 3 windows inside of its bounds')
    expect(hadOf([0, 0, 0, 9])).to.equal('harm was not ruled out')
  })

  it('N14: is in the final message of the analysis, and in no other', () => {
    const times = { ...TIMES, maxSeconds: 60 }
    const waiting = lookedAt(aRun({ metrics: [HEALTH] }), aPoll(50), times)
    expect(statusOf(waiting).message).to.not.contain('not shown')
    const ended = lookedAt(waiting, aPoll(60), times)
    expect(statusOf(ended)).to.include({ verdict: 'Inconclusive', reason: 'NotShown' })
    expect(statusOf(ended).message).to.match(/^health: not shown, it had 60 of 300s without a restart(;|$)/)
  })

  it('N14: names only what counts and has not passed', () => {
    const times = { ...TIMES, maxSeconds: 60 }
    const few: WindowAnswer = events([0, 6], [2, 60])
    const metrics = [ERRORS, HEALTH, { ...ERRORS, name: 'dry', dryRun: true }]
    const run = lookedThrough(aRun({ metrics }), Array(5).fill(few))
    const { message } = statusOf(lookedAt(run, aPoll(60, [window(few, 50, 60)]), times))
    expect(message).to.match(
      /^errors: not shown, it had 36 of 50 requests, evidence \S+ of 20 for a safe rate; health: not shown/,
    )
    expect(message).to.not.contain('dry (dry run): not shown')
  })

  it('N14: does not count the numbers that a Health metric remembers of pods', () => {
    const state = joinLists([1, 2, 3, 4], [])
    expect(shortfall(asked('Health'), metric({ state }), QUESTION)).to.equal('it had 0 of 300s without a restart')
  })
})
