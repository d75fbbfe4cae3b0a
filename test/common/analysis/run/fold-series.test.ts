import { expect } from 'chai'
import { decodeRun } from '../../../../common/analysis/kinds/run.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { aPod, aPoll, aRun, CREATED_MS, ERRORS, events, FAILED, lookedAt, metricOf, window } from './runs.ts'

const NONE: WindowAnswer = { is: 'silent', arms: ['treatment', 'control'] }
const QUIET = events([0, 0], [0, 0])
const ONE: WindowAnswer = { is: 'silent', arms: ['control'] }

/** The reasons of a metric after windows that grow until they are counted. */
function reasonsAfter(answers: readonly WindowAnswer[], of: Metric = ERRORS) {
  let run = aRun({ metrics: [of] })
  return answers.map((answer, index) => {
    const { windowEnd } = run.status?.metrics?.[0] ?? {}
    const fromS = windowEnd === undefined ? 0 : (Date.parse(windowEnd) - CREATED_MS) / 1_000
    const atS = 10 * index + 10
    run = lookedAt(run, aPoll(atS, [window(answer, fromS, atS)]))
    return metricOf(run).reason
  })
}

describe('the series of a metric', () => {
  it('N15: are missing where no window had any, and then the name may be wrong', () =>
    expect(reasonsAfter([NONE, NONE, NONE])).to.deep.equal(['NoSeries', 'NoSeries', 'NoSeries']))

  it('N15: are there once a window had any, also of one version, or without a count: then it is only quiet', () => {
    for (const [seen, reason] of [
      [QUIET, 'NoTraffic'],
      [ONE, 'NoControlData'],
      [events([0, 2], [0, 9]), 'TooFewSamples'],
      [events([0, 40], [0, 160]), 'Measuring'],
    ] as const) {
      expect(reasonsAfter([NONE, seen, NONE]), reason).to.deep.equal(['NoSeries', reason, 'NoTraffic'])
      expect(reasonsAfter([seen, FAILED, NONE]), reason).to.deep.equal([reason, 'ProviderFailed', 'NoTraffic'])
    }
    expect(reasonsAfter([FAILED, NONE])).to.deep.equal(['ProviderFailed', 'NoSeries'])
  })

  it('N15: are not missed while no pods count', () => {
    const arms = { treatment: [], control: [aPod('cart-1')] }
    const begun = lookedAt(aRun(), aPoll(10, [window(NONE, 0, 10)]))
    const gone = lookedAt(begun, aPoll(20, [window(NONE, 0, 20)], { arms }))
    expect(metricOf(gone).reason).to.equal('NoPods')
    expect(metricOf(gone)).to.not.have.property('hasSeries')
  })

  it('N15: are asked of one version by a Threshold, so that the fork may be why there are none', () => {
    const limit: Metric = { name: 'errors', kind: 'Threshold', provider: 'prometheus', max: 1 }
    expect(reasonsAfter([{ is: 'silent', arms: ['treatment'] }], limit)).to.deep.equal(['NoTreatmentData'])
  })

  it('N15: were there where an earlier version stored that nothing was counted, so that it waits as before', () => {
    const stored = { ...metricOf(lookedAt(aRun(), aPoll(10, [window(NONE, 0, 10)]))), reason: 'NoTraffic' }
    const { status } = lookedAt(aRun(), aPoll(10, [window(NONE, 0, 10)]))
    const former = aRun({ ...(status ? { status: { ...status, reason: 'NoTraffic', metrics: [stored] } } : {}) })
    const quiet = lookedAt(former, aPoll(20, [window(NONE, 0, 20)]))
    expect(metricOf(quiet)).to.include({ reason: 'NoTraffic', hasSeries: true })
    const failed = lookedAt(quiet, aPoll(30, [window(FAILED, 0, 30)]))
    expect(metricOf(lookedAt(failed, aPoll(40, [window(NONE, 0, 40)]))).reason).to.equal('NoTraffic')
  })

  it('N15: are remembered in the run only until something was counted', () => {
    const quiet = lookedAt(aRun(), aPoll(10, [window(QUIET, 0, 10)]))
    expect(metricOf(quiet)).to.include({ hasSeries: true })
    const { metadata, spec, status } = quiet
    expect(decodeRun({ apiVersion: 'v1', kind: 'x', metadata, spec, status } as never)).to.deep.include({ is: 'run' })
    const counted = lookedAt(quiet, aPoll(20, [window(events([0, 40], [0, 160]), 0, 20)]))
    expect(metricOf(counted)).to.not.have.property('hasSeries')
  })
})
