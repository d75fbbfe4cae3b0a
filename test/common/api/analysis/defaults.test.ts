import { expect } from 'chai'
import { analysisWithDefaults, HEALTH_METRIC, metricWithDefaults } from '../../../../common/api/analysis/defaults.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'

const DEFAULTS = {
  ...{ control: 'Source', intervalSeconds: 30, warmUpSeconds: 60, noDataSeconds: 600, minSamples: 50 },
  ...{ alpha: 0.025, beta: 0.05, onTimeout: 'RollBack', onNoData: 'RollBack', continueAfterPass: false, attempt: 1 },
}

describe('an analysis with its defaults', () => {
  it('asks about health where nothing else is asked', () => {
    for (const empty of [{}, { metrics: [] }, { templates: [], metrics: [] }])
      expect(analysisWithDefaults(empty)).to.deep.equal({ ...DEFAULTS, templates: [], metrics: [HEALTH_METRIC] })
    expect(HEALTH_METRIC).to.deep.equal({ name: 'health', kind: 'Health', provider: 'kubernetes' })
  })

  it('does not add health to a template or another metric', () => {
    expect(analysisWithDefaults({ templates: [{ name: 'http' }] }).metrics).to.deep.equal([])
    const metric: Metric = { name: 'a', kind: 'Decision', provider: 'b', plugin: {} }
    expect(analysisWithDefaults({ metrics: [metric] }).metrics).to.deep.equal([metric])
  })

  it('keeps what is written', () => {
    const written = { control: 'Source', maxSeconds: 3_600, alpha: 0.1, onTimeout: 'Keep', attempt: 2 } as const
    expect(analysisWithDefaults(written)).to.deep.equal({
      ...DEFAULTS,
      ...written,
      templates: [],
      metrics: [HEALTH_METRIC],
    })
  })
})

describe('a metric with its defaults', () => {
  const filled = (of: Partial<Metric>) => {
    const {
      name: _name,
      provider: _provider,
      ...rest
    } = metricWithDefaults({
      ...{ name: 'a', provider: 'b', kind: 'Latency' },
      ...of,
    })
    return rest
  }
  const rates = { tolerancePercent: 20, maxRegressionPercent: 100, dryRun: false }
  const values = { tolerancePercent: 10, maxRegressionPercent: 25, dryRun: false }
  const cases: Readonly<Record<string, object>> = {
    Latency: values,
    Value: { ...values, higherIsBetter: false },
    ErrorRate: { ...rates, acceptablePercent: 1 },
    Ratio: { ...rates, acceptablePercent: 0, higherIsBetter: false },
    Health: { dryRun: false },
    Threshold: { dryRun: false, failureLimit: 2, successCount: 5 },
    MannWhitney: { dryRun: false, minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 },
    Decision: { dryRun: false },
  }
  for (const [kind, expected] of Object.entries(cases))
    it(`has those of the kind ${kind}`, () =>
      expect(filled({ kind: kind as Metric['kind'] })).to.deep.equal({ kind, ...expected }))

  it('keeps what is written', () => {
    const written = { kind: 'Ratio', tolerancePercent: 0, higherIsBetter: true, dryRun: true } as const
    expect(filled(written)).to.include(written)
  })

  it('asks New Relic for the host, and for errors only where events are counted', () => {
    expect(filled({ newRelic: { appName: 'a' } })).to.deep.include({
      newRelic: { appName: 'a', podAttribute: 'host' },
    })
    expect(filled({ kind: 'ErrorRate', newRelic: { appName: 'a' } })).to.deep.include({
      newRelic: { appName: 'a', errors: 'error is true', podAttribute: 'host' },
    })
    expect(
      filled({ kind: 'ErrorRate', newRelic: { appName: 'a', errors: 'b is true', podAttribute: 'c' } }),
    ).to.deep.include({ newRelic: { appName: 'a', errors: 'b is true', podAttribute: 'c' } })
    expect(filled({ kind: 'Value', newRelic: { nrql: 'SELECT 1' } })).to.deep.include({
      newRelic: { nrql: 'SELECT 1' },
    })
  })
})
