import { expect } from 'chai'
import fc from 'fast-check'
import { RUN_STATUS } from '../../../../common/analysis/kinds/run.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { isFinal } from '../../../../common/analysis/run/look.ts'
import type { ArmPodView, PolledWindow } from '../../../../common/analysis/run/poll.ts'
import { nextWindow } from '../../../../common/analysis/run/windows.ts'
import { malformed } from '../../../../common/api/analysis/decode.ts'
import '../../../property.ts'
import {
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
  LATENCY,
  lookedAt,
  statusOf,
  TIMES,
} from './runs.ts'

const counts = fc.tuple(fc.nat(50), fc.nat(500)).map(([some, all]) => [Math.min(some, all), all] as const)
const anyAnswer: fc.Arbitrary<WindowAnswer> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(counts, counts).map(([own, others]) => events(own, others)) },
  fc.constant(events([1, Number.NaN], [0, 9])),
  fc.constant<WindowAnswer>(FAILED),
  fc.subarray(['treatment', 'control'] as const).map((arms): WindowAnswer => ({ is: 'silent', arms })),
  fc.constantFrom(decision('Wait'), decision('Pass'), decision('Fail')),
  fc
    .tuple(fc.array(fc.double({ min: 0, max: 9, noNaN: true })), fc.array(fc.double({ min: 0, max: 9, noNaN: true })))
    .map(
      ([own, others]): WindowAnswer => ({
        is: 'data',
        data: { is: 'samples', treatment: [{ values: own }], control: [{ values: others }] },
      }),
    ),
)
const anyPod: fc.Arbitrary<Partial<ArmPodView>> = fc.record(
  { createdMs: fc.nat(2_000), readySinceMs: fc.nat(2_000), restarts: fc.nat(5) },
  { requiredKeys: ['createdMs', 'restarts'] },
)
const anyArm = fc.array(anyPod, { maxLength: 3 }).map((pods) =>
  pods.map(({ createdMs = 0, readySinceMs, restarts = 0 }, index): ArmPodView => {
    const { readySinceMs: _ready, ...pod } = aPod(`pod-${index}`, {
      createdMs: CREATED_MS + 1_000 * createdMs,
      restarts,
    })
    return readySinceMs === undefined ? pod : { ...pod, readySinceMs: CREATED_MS + 1_000 * readySinceMs }
  }),
)
const anyArms = fc.oneof(
  fc.record({ treatment: anyArm, control: anyArm }),
  fc.constant({ treatment: [aPod('fork')], control: [aPod('cart')] }),
)
/** A window that begins anywhere, or the one that is due. */
const anyWindow = fc.record({
  metric: fc.constantFrom('errors', 'decided', 'latency', 'health'),
  answer: anyAnswer,
  from: fc.option(fc.nat(300), { nil: undefined }),
  length: fc.integer({ min: -20, max: 120 }),
  skipped: fc.integer({ min: -2, max: 3 }),
})
const anyPoll = fc.record({
  seconds: fc.integer({ min: -30, max: 150 }),
  windows: fc.array(anyWindow, { maxLength: 4 }),
  arms: anyArms,
})
const anyMetrics = fc.subarray(
  [ERRORS, DECIDED, LATENCY, HEALTH, { ...ERRORS, name: 'told', dryRun: true }, { ...DECIDED, dryRun: true }],
  { minLength: 1 },
)
const anyTimes = fc.record({
  maxSeconds: fc.constantFrom(50, 5_000),
  continueAfterPass: fc.boolean(),
  warmUpSeconds: fc.constantFrom(0, 30),
})

type Run = ReturnType<typeof aRun>
type Poll = typeof anyPoll extends fc.Arbitrary<infer T> ? T : never

function polled(run: Run, { windows }: Poll, nowS: number): readonly PolledWindow[] {
  const intervalMs = 1_000 * TIMES.intervalSeconds
  return windows.flatMap(({ metric, answer, from, length, skipped }): readonly PolledWindow[] => {
    const { windowEnd } = run.status?.metrics?.find(({ name }) => name === metric) ?? {}
    const startMs = Date.parse(windowEnd ?? run.status?.startedAt ?? new Date(CREATED_MS).toISOString())
    if (from !== undefined) {
      const start = CREATED_MS + 1_000 * from + skipped * intervalMs
      return [{ metric, answer, skipped, window: { start, end: start + 1_000 * length } }]
    }
    const next = nextWindow({ startMs, intervalSeconds: 10, lagSeconds: 0, nowMs: CREATED_MS + 1_000 * nowS })
    return next.is === 'due' ? [{ metric, answer, window: next.window, skipped: next.skipped }] : []
  })
}

/** The states of a run after each of these polls. */
function states(polls: readonly Poll[], metrics: Parameters<typeof aRun>[0], of: Partial<typeof TIMES>) {
  const times = { ...TIMES, ...of }
  let [nowS, latestS] = [0, 0]
  let run = aRun(metrics)
  return polls.map((poll) => {
    const before = run
    nowS += poll.seconds
    latestS = Math.max(latestS, nowS)
    const look = aPoll(nowS, polled(run, poll, nowS), { arms: poll.arms })
    run = lookedAt(run, look, times)
    return { before, look, run, times, nowMs: CREATED_MS + 1_000 * nowS, latestMs: CREATED_MS + 1_000 * latestS }
  })
}

describe('a run after random polls', () => {
  const law = (title: string, check: (state: ReturnType<typeof states>[number]) => void) =>
    it(title, () =>
      fc.assert(
        fc.property(fc.array(anyPoll, { maxLength: 10 }), anyMetrics, anyTimes, (polls, metrics, of) => {
          for (const state of states(polls, { metrics }, of)) check(state)
        }),
      ),
    )

  law('has a status that can be stored and comes back as it was', ({ run: { status } }) => {
    const stored = JSON.parse(JSON.stringify(status))
    expect(malformed(stored, RUN_STATUS, 'status')).to.deep.equal([])
    expect(JSON.stringify(stored)).to.equal(JSON.stringify(status))
  })

  law('has the same status after the same look of what was stored', ({ before, look, run, times }) =>
    expect(lookedAt(JSON.parse(JSON.stringify(before)), look, times)).to.deep.equal(run),
  )

  law('counts each look, and has a final verdict for ever', ({ before, run, times }) => {
    if (isFinal(before.status, times)) expect(run.status).to.deep.equal(before.status)
    else expect(statusOf(run).looks).to.equal((before.status?.looks ?? 0) + 1)
  })

  law('has its next look in the future, or an end', ({ before, run, times, nowMs, latestMs }) => {
    if (isFinal(before.status, times)) return
    const { nextLookAt, finishedAt } = statusOf(run)
    expect([nextLookAt, finishedAt].filter((time) => time !== undefined)).to.have.length(1)
    if (nextLookAt) expect(Date.parse(nextLookAt)).to.be.within(nowMs + 1, latestMs + 10_000)
  })

  law('never counts a time twice', ({ before, run }) => {
    const [former, now] = [before.status, statusOf(run)]
    for (const { name, windowEnd, samples } of now.metrics ?? []) {
      const was = former?.metrics?.find((metric) => metric.name === name)
      if (was?.windowEnd === undefined) continue
      expect(Date.parse(windowEnd ?? '')).to.be.at.least(Date.parse(was.windowEnd))
      if (windowEnd === was.windowEnd) expect(samples).to.deep.equal(was.samples)
    }
  })

  law('passes only by metrics that count', ({ run }) => {
    const counting = run.spec.metrics.filter(({ dryRun }) => !dryRun)
    if (counting.length === 0) expect(statusOf(run).verdict).to.not.be.oneOf(['Pass', 'Fail'])
  })

  law('goes on after a Pass only to a Fail', ({ before, run }) => {
    if (before.status?.verdict === 'Pass') expect(statusOf(run).verdict).to.be.oneOf(['Pass', 'Fail'])
  })
})
