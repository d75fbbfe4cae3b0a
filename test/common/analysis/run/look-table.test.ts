import { expect } from 'chai'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { isFinal, statusAfterLook } from '../../../../common/analysis/run/look.ts'
import type { ArmPodViews } from '../../../../common/analysis/run/poll.ts'
import type { Times } from '../../../../common/analysis/run/subject.ts'
import { nextWindow } from '../../../../common/analysis/run/windows.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { ARMS, aPod, aPoll, aRun, CREATED_MS, ERRORS, events, FAILED, HEALTH, statusOf, TIMES, window } from './runs.ts'

const LAG_SECONDS = 5

interface Story {
  readonly metrics?: readonly Metric[]
  readonly times?: Partial<Times>
  /** what the provider says of a window from one second to another */
  readonly answer?: (fromS: number, toS: number) => WindowAnswer
  readonly arms?: (atS: number) => ArmPodViews
}

/** Looks whenever the run asks for one, up to its end or 2,000 seconds: what it says last, when, and how it came. */
function told({ metrics = [ERRORS], times: some = {}, answer = () => GOOD, arms = () => ARMS }: Story) {
  const times = { ...TIMES, ...some }
  let run = aRun({ metrics })
  let atS = 0
  const reasons: string[] = []
  while (atS <= 2_000 && !isFinal(run.status, times)) {
    const { metrics: known = [], startedAt } = run.status ?? {}
    const windows = metrics.flatMap(({ name }) => {
      const { windowEnd } = known.find((metric) => metric.name === name) ?? {}
      const startMs = Date.parse(windowEnd ?? startedAt ?? new Date(CREATED_MS).toISOString())
      const next = nextWindow({
        startMs,
        intervalSeconds: 10,
        lagSeconds: LAG_SECONDS,
        nowMs: CREATED_MS + 1_000 * atS,
      })
      if (next.is === 'later' || name === 'health') return []
      const [fromS, toS] = [next.window.start, next.window.end].map((ms) => (ms - CREATED_MS) / 1_000)
      const given = answer(fromS ?? 0, toS ?? 0)
      return [window(given, fromS ?? 0, toS ?? 0, { metric: name, skipped: next.skipped })]
    })
    const poll = aPoll(atS, windows, { arms: arms(atS) })
    const status = statusAfterLook(run, {
      poll,
      times,
      lagSeconds: (provider) => (provider === 'kubernetes' ? 0 : LAG_SECONDS),
    })
    if (status.reason !== reasons.at(-1)) reasons.push(status.reason)
    run = { ...run, status }
    if (status.nextLookAt) atS = (Date.parse(status.nextLookAt) - CREATED_MS) / 1_000
  }
  const { verdict, action } = statusOf(run)
  return { said: `${verdict} ${reasons.join(' → ')}`, action, atS, status: statusOf(run) }
}

const GOOD = events([0, 40], [0, 160])
/** Neither harm nor safety is shown for long. */
const LIKE = events([1, 5], [3, 20])
const SILENT: WindowAnswer = { is: 'silent', arms: ['treatment'] }
const QUIET = events([0, 0], [0, 0])
const BOTH: WindowAnswer = { is: 'silent', arms: ['treatment', 'control'] }

describe('the table of verdicts, look by look', () => {
  it('all Pass', () => {
    const { said, action } = told({ metrics: [ERRORS, HEALTH] })
    expect([said, action]).to.deep.equal(['Pass Measuring → Passed', 'Promote'])
  })

  it('one Fail', () => {
    const { said, action } = told({ metrics: [ERRORS, HEALTH], answer: () => events([9, 40], [0, 160]) })
    expect([said, action]).to.deep.equal(['Fail Measuring → HarmFound', 'RollBack'])
  })

  it('maxSeconds over, neither shown', () => {
    const times = { maxSeconds: 120, onTimeout: 'Keep' } as const
    const { said, action, atS, status } = told({ times, answer: () => LIKE })
    expect([said, action, atS]).to.deep.equal(['Inconclusive Measuring → NotShown', 'Keep', 125])
    // the window that ended with the time is counted too
    expect(status.windows.counted).to.equal(12)
  })

  it('maxSeconds over, too few requests', () =>
    expect(told({ times: { maxSeconds: 60 }, answer: () => events([0, 6], [2, 60]) }).said).to.equal(
      'Inconclusive Measuring → TooFewSamples',
    ))

  it('both arms silent', () => {
    const { said, atS } = told({ times: { maxSeconds: 900 }, answer: () => QUIET })
    expect([said, atS]).to.deep.equal(['NoData Measuring → NoTraffic', 905])
  })

  it('N15: no series of either arm', () => {
    const metrics = [{ ...ERRORS, prometheus: { events: 'errors', total: 'requests_totl' } }]
    const { said, atS, action, status } = told({ metrics, times: { maxSeconds: 900 }, answer: () => BOTH })
    expect([said, atS, action]).to.deep.equal(['NoData Measuring → NoSeries', 905, 'Keep'])
    expect(status.message).to.equal(
      'errors: no series of either version in any window so far for requests_totl; check its name',
    )
    expect(told({ times: { noDataSeconds: 60 }, answer: () => BOTH }).said).to.equal('Wait Measuring → NoSeries')
    expect(told({ answer: (fromS) => (fromS < 100 ? QUIET : BOTH) }).said).to.equal('Wait Measuring → NoTraffic')
  })

  it('no pod that counts in one', () => {
    const none = told({ times: { maxSeconds: 300 }, arms: () => ({ ...ARMS, control: [] }) })
    expect([none.said, none.status.startedAt]).to.deep.equal(['Wait NoPods', undefined])
    const gone = told({
      times: { maxSeconds: 300 },
      answer: (fromS) => (fromS < 30 ? LIKE : BOTH),
      arms: (atS) => (atS < 40 ? ARMS : { ...ARMS, control: [] }),
    })
    expect([gone.said, gone.action]).to.deep.equal(['NoData Measuring → NoPods', 'RollBack'])
  })

  it('one arm silent for noDataSeconds', () => {
    const times = { onNoData: 'Keep' } as const
    const always = told({ times, answer: () => SILENT })
    expect([always.said, always.action]).to.deep.equal(['NoData Measuring → NoTreatmentData', 'Keep'])
    expect(always.atS).to.be.within(300, 325)
    const later = told({ times, answer: (fromS) => (fromS < 100 ? LIKE : SILENT) })
    expect(later.said).to.equal('NoData Measuring → NoTreatmentData')
    expect(later.atS).to.be.within(400, 425)
  })

  it('one arm silent now and then says nothing', () =>
    expect(told({ times: { maxSeconds: 400 }, answer: (_, toS) => (toS % 40 === 0 ? LIKE : SILENT) }).said).to.match(
      /^Inconclusive Measuring → NoTreatmentData → Measuring → NotShown$/,
    ))

  it('provider down', () => {
    const short = told({ times: { maxSeconds: 600 }, answer: (_, toS) => (toS < 200 ? FAILED : LIKE) })
    expect(short.said).to.equal('Inconclusive Measuring → ProviderFailed → Measuring → NotShown')
    const long = told({ answer: () => FAILED })
    expect([long.said, long.action, long.atS]).to.deep.equal(['Error Measuring → ProviderFailed', 'RollBack', 315])
    expect(long.status.windows).to.deep.include({ counted: 0, empty: 0 })
    expect(long.status.windows.skipped).to.be.above(0)
  })

  it('fork never ready: the clock is not started', () => {
    const { readySinceMs: _never, ...pod } = aPod('fork')
    const { said, status } = told({ metrics: [HEALTH], arms: () => ({ ...ARMS, treatment: [pod] }) })
    expect([said, status.startedAt]).to.deep.equal(['Wait NoPods', undefined])
  })

  it('fork restarts', () => {
    const restarts = (atS: number) => {
      const count = Math.floor(atS / 20)
      const readySinceMs = CREATED_MS + (count > 0 ? 20_000 * count : -90_000)
      return { ...ARMS, treatment: [aPod('fork', { restarts: count, readySinceMs })] }
    }
    expect(told({ metrics: [HEALTH], arms: restarts }).said).to.equal('Fail Measuring → CrashLoops')
  })

  it('asks for one look in each interval, whatever it asks', () => {
    const { status, atS } = told({ metrics: [HEALTH, ERRORS], times: { maxSeconds: 200 }, answer: () => LIKE })
    expect(status.looks).to.be.at.most(atS / 10 + 2)
  })
})
