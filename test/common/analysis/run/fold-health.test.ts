import { expect } from 'chai'
import { RUN_STATUS } from '../../../../common/analysis/kinds/run.ts'
import { MAX_PODS } from '../../../../common/analysis/run/arms.ts'
import { malformed } from '../../../../common/api/analysis/decode.ts'
import { aPod, aPoll, aRun, at, CREATED_MS, HEALTH, lookedAt, metricOf, statusOf } from './runs.ts'

const NONE = { counted: 0, empty: 0, unusable: 0, skipped: 0 }

describe('a Health metric', () => {
  const run = aRun({ metrics: [HEALTH] })
  const arms = (restarts: number) => ({ treatment: [aPod('fork', { restarts })], control: [aPod('cart')] })

  it('counts restarts between two looks, each once', () => {
    const first = lookedAt(run, aPoll(10, [], { arms: arms(3) }))
    expect(metricOf(first, 'health')).to.deep.include({ windowEnd: at(10), reason: 'Measuring' })
    const second = lookedAt(first, aPoll(20, [], { arms: arms(4) }))
    expect(metricOf(second, 'health').harm?.logE).to.be.above(0)
    const same = lookedAt(first, aPoll(20, [], { arms: arms(3) }))
    expect(metricOf(same, 'health').harm?.logE).to.equal(0)
  })

  it('N40: fails because of a crash loop of one pod, if the other one is well, too', () => {
    const at = (seconds: number, restarts: number) => {
      const crashing = aPod('fork-1', { restarts, readySinceMs: CREATED_MS + 1_000 * (seconds - 5) })
      return aPoll(seconds, [], { arms: { treatment: [crashing, aPod('fork-2')], control: [aPod('cart')] } })
    }
    let now = lookedAt(run, at(30, 0))
    for (let restarts = 1; restarts < 5; restarts += 1) now = lookedAt(now, at(30 + 30 * restarts, restarts))
    expect(statusOf(now).verdict).to.equal('Wait')
    const failed = lookedAt(now, at(180, 5))
    expect(metricOf(failed, 'health')).to.deep.include({ verdict: 'Fail', reason: 'CrashLoops' })
    expect(statusOf(failed)).to.deep.include({ verdict: 'Fail', reason: 'CrashLoops', action: 'RollBack' })
    expect(statusOf(failed).message).to.match(/^health: a pod of the fork restarts again and again/)
  })

  it('N40: takes hours of restarts that come together as so many events', () => {
    const both = (restarts: number) => ({ arms: { treatment: [aPod('fork', { restarts })], control: [aPod('cart')] } })
    let now = lookedAt(run, aPoll(10, [], both(0)))
    for (let hour = 1; hour <= 3; hour += 1) now = lookedAt(now, aPoll(3_600 * hour, [], both(4 * hour)))
    expect(metricOf(now, 'health').verdict).to.equal('Wait')
  })

  it('counts what has passed since the last look, also at a look for another metric', () => {
    const first = lookedAt(run, aPoll(10, [], { arms: arms(0) }))
    const second = lookedAt(first, aPoll(14, [], { arms: arms(1) }))
    expect(metricOf(second, 'health')).to.deep.include({ windowEnd: at(14), samples: { treatment: 14, control: 14 } })
  })

  it('counts nothing at the same look again, nor at an older one', () => {
    const first = lookedAt(run, aPoll(10, [], { arms: arms(0) }))
    for (const seconds of [10, 4])
      expect(metricOf(lookedAt(first, aPoll(seconds, [], { arms: arms(9) })), 'health')).to.deep.equal(
        metricOf(first, 'health'),
      )
  })

  it('counts all that has passed after thirty intervals without a controller', () => {
    const first = lookedAt(run, aPoll(10, [], { arms: arms(0) }))
    const late = lookedAt(first, aPoll(320, [], { arms: arms(0) }))
    expect(metricOf(late, 'health')).to.deep.include({ verdict: 'Pass', windowEnd: at(320) })
    expect(statusOf(late).windows).to.deep.equal({ ...NONE, counted: 2 })
  })

  it('remembers as many pods as an arm can have', () => {
    const arm = (name: string, restarts: number) =>
      Array.from({ length: MAX_PODS }, (_, index) => aPod(`${name}-${index}`, { restarts }))
    const all = (restarts: number) => ({ arms: { treatment: arm('fork', restarts), control: arm('cart', 3) } })
    let full = lookedAt(run, aPoll(10, [], all(0)))
    for (let look = 1; look < 16; look += 1) full = lookedAt(full, aPoll(700 * look, [], all(look)))
    expect(metricOf(full, 'health')).to.deep.include({ verdict: 'Fail', reason: 'HarmFound' })
    expect(malformed(full.status, RUN_STATUS, 'status')).to.deep.equal([])
  })

  it('is not content with a fork that never gets ready', () => {
    const { readySinceMs: _never, ...waiting } = aPod('fork')
    const both = { treatment: [waiting], control: [aPod('cart')] }
    const begun = lookedAt(run, aPoll(10, [], { arms: arms(0) }))
    const late = lookedAt(begun, aPoll(3_600, [], { arms: both }))
    expect(statusOf(late)).to.include({ verdict: 'Wait', reason: 'NoPods' })
  })

  it('cannot use what no pod can have counted', () => {
    const broken = lookedAt(run, aPoll(10, [], { arms: arms(0) }))
    const late = lookedAt(broken, aPoll(1e9, [], { arms: arms(0) }))
    expect(metricOf(late, 'health')).to.include({ reason: 'ProviderFailed', windowEnd: at(10) })
    expect(statusOf(late).message).to.contain('health: no data: data that the metric cannot use')
  })

  it('passes after five minutes without a restart', () => {
    let now = run
    for (let seconds = 10; seconds < 300; seconds += 10) {
      now = lookedAt(now, aPoll(seconds, [], { arms: arms(0) }))
      expect(metricOf(now, 'health').verdict, `${seconds}`).to.equal('Wait')
    }
    expect(metricOf(lookedAt(now, aPoll(300, [], { arms: arms(0) })), 'health').verdict).to.equal('Pass')
  })
})
