import { expect } from 'chai'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import { StepClock } from '../../../controller/memory/step-clock.ts'

const KEY = 'shop/faster-cart'
const SINCE = '2026-11-21T14:00:00.000Z'
const HOUR_MS = 3_600_000

const aRun = (of: Partial<StrategyRunStatus> = {}): StrategyRunStatus => ({
  run: 'aaaa',
  revision: '1f2e',
  path: 'Forward',
  phase: 'Paused',
  stepIndex: 1,
  stepName: 'pause 1h',
  since: SINCE,
  step: '1/5 Paused',
  ...of,
})

/** A clock on the wall and a monotonic one, which a test sets each for itself. */
function world(wallMs: number) {
  const time = { wallMs, monotonicMs: 5_000 }
  const gone = new Set<string>()
  const clock = new StepClock({
    timers: { now: () => time.monotonicMs },
    clock: () => new Date(Date.parse(SINCE) + time.wallMs),
    isKnown: (key) => !gone.has(key),
  })
  const pass = (ms: number) => {
    time.wallMs += ms
    time.monotonicMs += ms
  }
  return { clock, time, pass, gone }
}

describe('the time since a Service was changed', () => {
  it('N4: counts by itself for what each Service lists', () => {
    const { clock, pass } = world(0)
    expect([clock.unchangedMs(KEY, 'active', '1'), clock.unchangedMs(KEY, 'preview', '1')]).to.deep.equal([0, 0])
    pass(1_000)
    expect([clock.unchangedMs(KEY, 'active', '2'), clock.unchangedMs(KEY, 'preview', '1')]).to.deep.equal([0, 1_000])
  })

  it('counts from when this process first saw that version, by the monotonic clock', () => {
    const { clock, time, pass } = world(0)
    expect(clock.unchangedMs(KEY, 'selector', '7')).to.equal(0)
    pass(HOUR_MS)
    time.wallMs -= HOUR_MS
    expect(clock.unchangedMs(KEY, 'selector', '7')).to.equal(HOUR_MS)
    expect(clock.unchangedMs(KEY, 'selector', '8')).to.equal(0)
    pass(1)
    expect(clock.unchangedMs(KEY, 'selector', '8')).to.equal(1)
    clock.forget(KEY)
    expect(clock.unchangedMs(KEY, 'selector', '8')).to.equal(0)
  })
})

describe('the time since a fork has too few pods', () => {
  it('N6: goes on after a restart, in whole seconds that are over', () => {
    const { clock, pass } = world(20_700)
    expect(clock.shortMs(KEY, SINCE)).to.equal(19_700)
    pass(5_000)
    expect(clock.shortMs(KEY, SINCE)).to.equal(24_700)
  })

  it('N6: is not changed by a jump of the wall clock', () => {
    const { clock, time, pass } = world(1_000)
    expect(clock.shortMs(KEY, SINCE)).to.equal(0)
    time.wallMs += HOUR_MS
    pass(1_000)
    expect(clock.shortMs(KEY, SINCE)).to.equal(1_000)
  })

  it('N6: begins again with another time, and is none without one', () => {
    const { clock, pass } = world(0)
    clock.shortMs(KEY, SINCE)
    pass(50_000)
    expect(clock.shortMs(KEY, undefined)).to.equal(undefined)
    expect(clock.entryCount).to.equal(0)
    pass(10_000)
    expect(clock.shortMs(KEY, new Date(Date.parse(SINCE) + 60_000).toISOString())).to.equal(0)
    clock.forget(KEY)
    expect(clock.entryCount).to.equal(0)
  })
})

describe('the clock of a step', () => {
  it('says how long a step lasts', () => {
    const { clock, pass } = world(0)
    expect(clock.elapsedMs(KEY, aRun())).to.equal(0)
    pass(HOUR_MS)
    expect(clock.elapsedMs(KEY, aRun())).to.equal(HOUR_MS)
  })

  it('trusts the wall clock for what a process did not see', () => {
    const { clock, pass } = world(HOUR_MS)
    expect(clock.elapsedMs(KEY, aRun())).to.equal(HOUR_MS)
    pass(1_000)
    expect(clock.elapsedMs(KEY, aRun())).to.equal(HOUR_MS + 1_000)
  })

  it('ends no pause early when the wall clock jumps forward or back', () => {
    const { clock, time, pass } = world(0)
    clock.elapsedMs(KEY, aRun())
    pass(1_000)
    for (const jumpMs of [HOUR_MS, -3 * HOUR_MS]) {
      time.wallMs += jumpMs
      expect(clock.elapsedMs(KEY, aRun())).to.equal(1_000)
    }
  })

  it('is at 0 for a step that begins in the future, or at no time', () => {
    expect(world(-HOUR_MS).clock.elapsedMs(KEY, aRun())).to.equal(0)
    expect(world(HOUR_MS).clock.elapsedMs(KEY, aRun({ since: 'yesterday' }))).to.equal(0)
  })

  const others: readonly Partial<StrategyRunStatus>[] = [
    { stepIndex: 2 },
    { run: 'bbbb' },
    { revision: '9999' },
    { path: 'Abort' },
    { since: '2026-11-21T15:00:00.000Z' },
  ]
  for (const of of others)
    it(`begins anew with ${JSON.stringify(of)}`, () => {
      const { clock, time } = world(0)
      clock.elapsedMs(KEY, aRun())
      time.monotonicMs += HOUR_MS
      expect(clock.elapsedMs(KEY, aRun(of))).to.equal(0)
    })

  it('does not begin anew when only the phase or the command changes', () => {
    const { clock, pass } = world(0)
    clock.elapsedMs(KEY, aRun())
    pass(1_000)
    expect(clock.elapsedMs(KEY, aRun({ phase: 'Progressing', held: true, weight: { desired: 5 } }))).to.equal(1_000)
  })

  it('is apart for each experiment', () => {
    const { clock, pass } = world(0)
    clock.elapsedMs(KEY, aRun())
    pass(1_000)
    clock.elapsedMs('shop/other', aRun({ since: new Date(Date.parse(SINCE) + 1_000).toISOString() }))
    pass(1_000)
    const found = [KEY, 'shop/other'].map((key) =>
      clock.elapsedMs(key, key === KEY ? aRun() : aRun({ since: new Date(Date.parse(SINCE) + 1_000).toISOString() })),
    )
    expect(found).to.deep.equal([2_000, 1_000])
  })

  it('N36: tells how long an object has been leaving, until it is not named any more', () => {
    const { clock, pass, gone } = world(0)
    expect(clock.leavingMs(KEY, 'fork')).to.equal(undefined)
    clock.noteLeaving(KEY, [{ uid: 'fork' }])
    pass(1_000)
    clock.noteLeaving(KEY, [{ uid: 'fork' }, { uid: 'twin' }])
    pass(1_000)
    expect(['fork', 'twin', undefined].map((uid) => clock.leavingMs(KEY, uid))).to.deep.equal([2_000, 1_000, undefined])
    clock.noteLeaving(KEY, [])
    expect([clock.leavingMs(KEY, 'fork'), clock.entryCount]).to.deep.equal([undefined, 0])
    gone.add(KEY)
    clock.noteLeaving(KEY, [{ uid: 'fork' }])
    expect(clock.entryCount).to.equal(0)
  })

  it('remembers nothing of an experiment that was deleted during its pass', () => {
    const { clock, pass, gone } = world(HOUR_MS)
    clock.elapsedMs(KEY, aRun())
    clock.unchangedMs(KEY, 'selector', '7')
    expect(clock.entryCount).to.equal(2)
    gone.add(KEY)
    clock.forget(KEY)
    pass(1_000)
    expect([clock.elapsedMs(KEY, aRun()), clock.unchangedMs(KEY, 'selector', '7')]).to.deep.equal([HOUR_MS + 1_000, 0])
    expect(clock.entryCount).to.equal(0)
  })

  it('forgets an experiment without a run, and one that is gone', () => {
    for (const forget of [
      (clock: StepClock) => expect(clock.elapsedMs(KEY, undefined)).to.equal(undefined),
      (clock: StepClock) => clock.forget(KEY),
    ]) {
      const { clock, time } = world(0)
      clock.elapsedMs(KEY, aRun())
      time.monotonicMs += HOUR_MS
      forget(clock)
      expect(clock.elapsedMs(KEY, aRun())).to.equal(0)
    }
  })
})
