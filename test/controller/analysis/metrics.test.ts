import { expect } from 'chai'
import type { RunWindows } from '../../../common/analysis/kinds/run.ts'
import { Metrics } from '../../../common/program/metrics.ts'
import { analysisMetrics, type MeasuredAnalysis, observeLook } from '../../../controller/analysis/metrics.ts'
import { aRun } from './a-run.ts'

type Registered = ReturnType<typeof analysisMetrics>

/** What a scrape returns, without comments. */
async function scraped(measured?: MeasuredAnalysis, count: (of: Registered['observer']) => void = () => undefined) {
  const metrics = new Metrics()
  const { observer, measure } = analysisMetrics(metrics, 'p_')
  measure(measured)
  count(observer)
  return (await metrics.text()).split('\n').filter((line) => line.startsWith('p_'))
}

const withWindows = (windows: Partial<RunWindows>) =>
  aRun({ status: { windows: { counted: 0, empty: 0, unusable: 0, skipped: 0, ...windows } } })

describe('the metrics of analyses', () => {
  it('are how providers answered, and how long that took', async () => {
    const lines = await scraped(undefined, ({ polled }) => {
      polled('Prometheus', 'data', 0.2)
      polled('NewRelic', 'failed', 10)
    })
    expect(lines).to.include.members([
      'p_analysis_polls_total{type="Prometheus",outcome="data"} 1',
      'p_analysis_polls_total{type="NewRelic",outcome="failed"} 1',
      'p_analysis_poll_seconds_bucket{le="0.1",type="Prometheus"} 0',
      'p_analysis_poll_seconds_bucket{le="0.25",type="Prometheus"} 1',
      'p_analysis_poll_seconds_sum{type="NewRelic"} 10',
    ])
  })

  it('are the verdicts of the stored runs, and what waits', async () => {
    const runs = [aRun(), aRun({ status: {} }), aRun({ status: { verdict: 'Pass' } })]
    expect(await scraped({ runs: () => runs, waiting: () => 2, lagMs: () => 2_500 })).to.deep.equal([
      'p_analysis_runs{verdict="Wait"} 2',
      'p_analysis_runs{verdict="Pass"} 1',
      'p_analysis_lag_seconds 2.5',
      'p_analysis_answers_waiting 2',
    ])
  })

  it('are nothing without the component', async () =>
    expect(await scraped()).to.deep.equal(['p_analysis_lag_seconds 0', 'p_analysis_answers_waiting 0']))

  it('are the windows that looks recorded', async () => {
    const lines = await scraped(undefined, (observer) => {
      observeLook(observer, aRun(), withWindows({ counted: 1, skipped: 4 }))
      observeLook(observer, withWindows({ counted: 1, skipped: 4 }), withWindows({ counted: 2, skipped: 4, empty: 1 }))
      observeLook(observer, withWindows({ unusable: 3 }), aRun()) // somebody took its status away
    })
    expect(lines.filter((line) => line.includes('windows_total'))).to.deep.equal([
      'p_analysis_windows_total{outcome="counted"} 2',
      'p_analysis_windows_total{outcome="skipped"} 4',
      'p_analysis_windows_total{outcome="empty"} 1',
    ])
  })
})
