import { expect } from 'chai'
import type { RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { actionOf, gatedDeployStatus, type VerdictInput, verdictOf } from '../../../../common/analysis/run/verdict.ts'
import type { TimeoutAction } from '../../../../common/api/analysis/analysis.ts'

const NOW_MS = 1_000_000
const metric = (of: Partial<RunMetric> = {}): RunMetric => ({
  ...{ name: 'errors', verdict: 'Wait', reason: 'Measuring', since: new Date(NOW_MS - 60_000).toISOString() },
  ...{ samples: { treatment: 100, control: 400 } },
  ...of,
})
const since = (seconds: number) => new Date(NOW_MS - 1_000 * seconds).toISOString()
const of = (metrics: readonly RunMetric[], more: Partial<VerdictInput> = {}) => {
  const times = { noDataSeconds: 600, maxSeconds: 3_600 }
  const input = {
    hasPods: true,
    startedMs: NOW_MS - 1_800_000,
    nowMs: NOW_MS,
    minSamples: () => 50,
    times,
    lagSeconds: 0,
  }
  const { verdict, reason } = verdictOf({ metrics, ...input, ...more })
  return `${verdict} ${reason}`
}
/** The time is over. */
const OVER = { startedMs: NOW_MS - 3_600_000 }
const PASSED = metric({ verdict: 'Pass', reason: 'Passed' })
/** It never had data. */
const never = (reason: string): RunMetric => {
  const { samples: _none, ...rest } = metric({ reason })
  return rest
}

/** No series of it were found in so many seconds. */
const missing = (seconds: number): RunMetric => ({ ...never('NoSeries'), since: since(seconds) })
const ENDLESS = { startedMs: NOW_MS - 36_000_000, times: { noDataSeconds: 600 } }

const DIFFERING = metric({ reason: 'PodsDiffer', pods: { groups: 20, outer: 2 } })

/** The rows of the table of verdicts. */
const ROWS: Readonly<Record<string, readonly [readonly RunMetric[], Partial<VerdictInput>, string]>> = {
  'all Pass': [[PASSED, PASSED], {}, 'Pass Passed'],
  'one Fail': [[PASSED, metric({ verdict: 'Fail', reason: 'HarmFound' })], {}, 'Fail HarmFound'],
  'N40: one Fail by a crash loop': [[PASSED, metric({ verdict: 'Fail', reason: 'CrashLoops' })], {}, 'Fail CrashLoops'],
  'N44: unequal traffic': [[PASSED, metric({ reason: 'TrafficDiffers' })], {}, 'Wait TrafficDiffers'],
  'N44: maxSeconds over, unequal traffic': [
    [PASSED, metric({ reason: 'TrafficDiffers' })],
    OVER,
    'Inconclusive TrafficDiffers',
  ],
  'one still waits': [[PASSED, metric()], {}, 'Wait Measuring'],
  'maxSeconds over, neither shown': [[PASSED, metric()], OVER, 'Inconclusive NotShown'],
  'maxSeconds over, too few requests': [
    [metric({ samples: { treatment: 49, control: 400 } })],
    OVER,
    'Inconclusive TooFewSamples',
  ],
  'maxSeconds over, but the last windows cannot be asked for yet': [
    [metric()],
    { ...OVER, lagSeconds: 15 },
    'Wait Measuring',
  ],
  'maxSeconds over, nothing counted': [[never('TooFewSamples')], OVER, 'Inconclusive TooFewSamples'],
  'maxSeconds over, few requests of what needs none': [
    [metric({ samples: { treatment: 7, control: 7 } })],
    { ...OVER, minSamples: () => 0 },
    'Inconclusive NotShown',
  ],
  'maxSeconds over, few requests of what has passed': [
    [metric(), metric({ verdict: 'Pass', samples: { treatment: 7, control: 7 } })],
    OVER,
    'Inconclusive NotShown',
  ],
  'pods differ': [[DIFFERING], {}, 'Wait PodsDiffer'],
  'maxSeconds over, pods differ': [[DIFFERING], OVER, 'Inconclusive PodsDiffer'],
  'maxSeconds over, pods differ and the last window was thin': [
    [{ ...DIFFERING, reason: 'TooFewSamples' }],
    OVER,
    'Inconclusive PodsDiffer',
  ],
  'maxSeconds over, no pod can explain it any more': [
    [metric({ pods: { groups: 20, outer: 0 } })],
    OVER,
    'Inconclusive NotShown',
  ],
  'both arms always silent': [[never('NoTraffic')], {}, 'Wait NoTraffic'],
  'both arms silent for long': [[metric({ reason: 'NoTraffic', since: since(7_000) })], {}, 'Wait NoTraffic'],
  'both arms silent for a moment': [[metric({ reason: 'NoTraffic' })], {}, 'Wait Measuring'],
  'both arms always silent, at maxSeconds': [[PASSED, never('NoTraffic')], OVER, 'NoData NoTraffic'],
  'both arms silent for long, at maxSeconds': [
    [metric({ reason: 'NoTraffic', since: since(600) })],
    OVER,
    'NoData NoTraffic',
  ],
  'both arms silent for a moment, at maxSeconds': [[metric({ reason: 'NoTraffic' })], OVER, 'Inconclusive NotShown'],
  'only what has passed is silent, at maxSeconds': [
    [metric(), { ...never('NoTraffic'), verdict: 'Pass' }],
    OVER,
    'Inconclusive NotShown',
  ],
  'N15: no series for a moment': [[never('NoSeries')], {}, 'Wait Measuring'],
  'N15: no series for noDataSeconds': [[missing(600)], {}, 'Wait NoSeries'],
  'N15: no series for hours, with a time that is not over': [
    [missing(7_200)],
    { times: { noDataSeconds: 600, maxSeconds: 36_000 }, startedMs: NOW_MS - 7_200_000 },
    'Wait NoSeries',
  ],
  'N15: no series at maxSeconds': [[PASSED, never('NoSeries')], OVER, 'NoData NoSeries'],
  'N15: no series of one metric at maxSeconds': [[metric(), missing(600)], OVER, 'NoData NoSeries'],
  'N15: no series for an hour, without maxSeconds': [[missing(3_599)], ENDLESS, 'Wait NoSeries'],
  'N15: no series for a whole hour, without maxSeconds': [[metric(), missing(3_600)], ENDLESS, 'NoData NoSeries'],
  'N15: no series for an hour, and noDataSeconds are more': [
    [missing(3_600)],
    { times: { noDataSeconds: 7_200 } },
    'Wait Measuring',
  ],
  'N15: a quiet night, without maxSeconds': [
    [metric({ reason: 'NoTraffic', since: since(36_000) })],
    ENDLESS,
    'Wait NoTraffic',
  ],
  'N15: harm is found although another metric has no series': [
    [metric({ verdict: 'Fail' }), missing(7_200)],
    ENDLESS,
    'Fail HarmFound',
  ],
  'no pod counted in any window': [[never('NoPods')], {}, 'Wait NoPods'],
  'no pod counted in any window, at maxSeconds': [[never('NoPods')], OVER, 'NoData NoPods'],
  'no pod that counts in one': [[metric()], { hasPods: false }, 'Wait NoPods'],
  'no pod that counts in one at maxSeconds': [[metric()], { hasPods: false, ...OVER }, 'NoData NoPods'],
  'the treatment is always silent': [[never('NoTreatmentData')], {}, 'Wait NoTreatmentData'],
  'the treatment is silent for a moment': [[metric({ reason: 'NoTreatmentData' })], {}, 'Wait Measuring'],
  'the treatment is silent for noDataSeconds': [
    [PASSED, metric({ reason: 'NoTreatmentData', since: since(600) })],
    {},
    'NoData NoTreatmentData',
  ],
  'the control is silent for noDataSeconds': [
    [metric({ reason: 'NoControlData', since: since(600) })],
    {},
    'NoData NoControlData',
  ],
  'one arm is always silent, at maxSeconds': [[never('NoControlData')], OVER, 'NoData NoControlData'],
  'one arm is silent for a moment, at maxSeconds': [
    [metric({ reason: 'NoControlData' })],
    OVER,
    'Inconclusive NotShown',
  ],
  'the provider fails': [[metric({ reason: 'ProviderFailed' })], {}, 'Wait ProviderFailed'],
  'the provider fails for noDataSeconds': [
    [PASSED, metric({ reason: 'ProviderFailed', since: since(600) })],
    {},
    'Error ProviderFailed',
  ],
  'the provider never answered, at maxSeconds': [[never('ProviderFailed')], OVER, 'Error ProviderFailed'],
  'the provider fails for a moment, at maxSeconds': [
    [metric({ reason: 'ProviderFailed' })],
    OVER,
    'Inconclusive NotShown',
  ],
  'harm is found although a provider fails': [
    [metric({ verdict: 'Fail' }), metric({ reason: 'ProviderFailed', since: since(600) })],
    OVER,
    'Fail HarmFound',
  ],
  'the clock is not started': [[metric()], { hasPods: false, startedMs: undefined }, 'Wait NoPods'],
  'there is no maxSeconds': [[metric()], { ...OVER, times: { noDataSeconds: 600 } }, 'Wait Measuring'],
}

describe('the verdict of an analysis', () => {
  for (const [title, [metrics, more, verdict]] of Object.entries(ROWS))
    it(`${title}: ${verdict}`, () => expect(of(metrics, more)).to.equal(verdict))

  it('is no Pass without metrics that have data', () => {
    for (const reason of ['NoTraffic', 'NoSeries', 'NoPods', 'ProviderFailed', 'NoTreatmentData', 'TooFewSamples'])
      for (const more of [{}, OVER, { hasPods: false }])
        expect(of([PASSED, metric({ reason })], more)).to.not.match(/^Pass/)
  })

  it('is no Pass without metrics that count', () => {
    expect(of([])).to.equal('Wait Measuring')
    expect(of([], OVER)).to.equal('Inconclusive NotShown')
  })

  it('is followed by what the experiment says', () => {
    const actions = { onTimeout: 'Promote', onNoData: 'Keep' } as const
    const found = ['Pass', 'Fail', 'Inconclusive', 'NoData', 'Error', 'Wait', 'Aborted'] as const
    expect(found.map((verdict) => actionOf({ verdict, reason: 'NotShown' }, actions))).to.deep.equal([
      ...['Promote', 'RollBack', 'Promote', 'Keep', 'Keep'],
      ...[undefined, undefined],
    ])
  })

  it('is no promotion where what was measured cannot be compared, or a single pod could explain the harm', () => {
    const actions = (onTimeout: TimeoutAction, reason: string) =>
      actionOf({ verdict: 'Inconclusive', reason }, { onTimeout, onNoData: 'RollBack' })
    for (const reason of ['TrafficDiffers', 'PodsDiffer']) {
      expect(actions('Promote', reason)).to.equal('Keep')
      expect(actions('RollBack', reason)).to.equal('RollBack')
    }
    expect(actions('Promote', 'TooFewSamples')).to.equal('Promote')
  })

  it('N15: takes no pods because of a wrong name', () => {
    const actions = { onTimeout: 'RollBack', onNoData: 'RollBack' } as const
    expect(actionOf({ verdict: 'NoData', reason: 'NoSeries' }, actions)).to.equal('Keep')
    expect(actionOf({ verdict: 'NoData', reason: 'NoTraffic' }, actions)).to.equal('RollBack')
  })

  it('has a word of Gated Deployments', () => {
    const all = ['Wait', 'Aborted', 'Pass', 'Fail', 'Inconclusive', 'NoData', 'Error'] as const
    const [harm, ...others] = ['harm', 'harm', 'harm', 'harm']
    expect(all.map((verdict) => gatedDeployStatus(verdict))).to.deep.equal([
      ...['notSignificant', 'notSignificant', 'noHarm', harm, ...others],
    ])
    expect(all.map((verdict) => gatedDeployStatus(verdict, true))).to.deep.equal([
      ...[harm, harm, 'noHarm', harm, ...others],
    ])
  })
})
