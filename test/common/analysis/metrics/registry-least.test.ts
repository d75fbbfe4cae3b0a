import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import type { LeastForPass, MetricEngine } from '../../../../common/analysis/metrics/metric-engine.ts'
import { METRIC_ENGINES } from '../../../../common/analysis/metrics/registry.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import type { MetricKind } from '../../../../common/api/analysis/metric.ts'
import { question } from './windows.ts'

/** The best window of each kind whose least is known. */
const BEST: Readonly<Partial<Record<MetricKind, (seconds: number) => WindowData>>> = {
  Value: () => ({ is: 'value', treatment: 0, control: 1 }),
  Threshold: () => ({ is: 'treatmentValue', treatment: 0 }),
  Health: (seconds) => ({
    is: 'events',
    treatment: [{ pod: 'fork', events: 0, exposure: seconds }],
    control: [{ pod: 'cart', events: 0, exposure: seconds }],
  }),
}
const RULE = { max: 1, failureLimit: 0, tolerancePercent: 10, maxRegressionPercent: 25 }

/** The verdict after so many of the best windows, each `seconds` long. */
function verdictAfter(kind: MetricKind, windows: number, of: { rule: typeof RULE; beta: number; seconds: number }) {
  const engine: MetricEngine = METRIC_ENGINES[kind]
  const data = BEST[kind]?.(of.seconds)
  let state: readonly number[] = []
  for (let each = 0; data && each < windows; each += 1) state = engine.fold(state, data, of.rule) ?? []
  return engine.judge(state, of.rule, question({ beta: of.beta })).verdict
}

const leastOf = (kind: MetricKind, rule: object, beta: number): LeastForPass | undefined =>
  (METRIC_ENGINES[kind] as MetricEngine).leastForPass?.(rule, { beta })

describe('the least that a Pass takes', () => {
  for (const kind of ['Value', 'Threshold', 'Health'] as const)
    it(`N14: is exact for the best windows of a ${kind}`, () => {
      fc.assert(
        fc.property(
          fc.record({
            beta: fc.double({ min: 0.0001, max: 0.2, noNaN: true }),
            successCount: fc.integer({ min: 1, max: 20 }),
          }),
          ({ beta, successCount }) => {
            const rule = { ...RULE, successCount }
            const { needs = 0, unit } = leastOf(kind, rule, beta) ?? {}
            const seconds = unit === 'seconds' ? needs : 30
            const windows = unit === 'seconds' ? 1 : needs
            expect(verdictAfter(kind, windows, { rule, beta, seconds })).to.equal('Pass')
            if (unit === 'seconds') expect(verdictAfter(kind, 1, { rule, beta, seconds: seconds - 1 })).to.equal('Wait')
            else expect(verdictAfter(kind, windows - 1, { rule, beta, seconds })).to.equal('Wait')
          },
        ),
      )
    })

  it('N14: is 300 seconds, seven windows and the count of a Threshold, with the usual bound', () => {
    expect(leastOf('Health', {}, 0.05)).to.include({ needs: 300, unit: 'seconds' })
    expect(leastOf('Value', {}, 0.05)).to.include({ needs: 7, unit: 'windows' })
    expect(leastOf('Threshold', { successCount: 5 }, 0.05)).to.include({ needs: 5, unit: 'windows' })
  })

  it('N14: is told by the guide', () => {
    const { needs } = leastOf('Health', {}, 0.05) ?? {}
    expect(readFileSync('docs/analysis.md', 'utf8')).to.contain(`Pass after ${needs} s without a restart`)
  })

  it('N14: is not known of what depends on requests, or on a plugin', () => {
    for (const kind of ['Latency', 'ErrorRate', 'Ratio', 'MannWhitney', 'Decision'] as const)
      expect(leastOf(kind, {}, 0.05), kind).to.equal(undefined)
  })
})
