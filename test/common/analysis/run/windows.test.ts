import { expect } from 'chai'
import fc from 'fast-check'
import { isLongest, nextLookMs, nextWindow } from '../../../../common/analysis/run/windows.ts'
import '../../../property.ts'

const due = (nowS: number, lagSeconds = 15) =>
  nextWindow({ startMs: 1_000_000, intervalSeconds: 30, lagSeconds, nowMs: 1_000_000 + 1_000 * nowS })
const span = (fromS: number, toS: number) => ({ start: 1_000_000 + 1_000 * fromS, end: 1_000_000 + 1_000 * toS })

describe('the next window', () => {
  it('is due when it has ended and is as old as the provider needs', () => {
    expect(due(44)).to.deep.equal({ is: 'later', atMs: 1_045_000 })
    expect(due(45)).to.deep.equal({ is: 'due', window: span(0, 30), skipped: 0 })
    expect(due(30, 0)).to.deep.equal({ is: 'due', window: span(0, 30), skipped: 0 })
  })

  it('has all intervals that have ended, as after three without a controller', () =>
    expect(due(100)).to.deep.equal({ is: 'due', window: span(0, 60), skipped: 0 }))

  it('has at most ten: older ones are skipped, as after thirty without a controller', () => {
    expect(due(315)).to.deep.equal({ is: 'due', window: span(0, 300), skipped: 0 })
    expect(due(915)).to.deep.equal({ is: 'due', window: span(600, 900), skipped: 20 })
  })

  it('can grow to ten intervals', () => {
    expect(isLongest(span(0, 299), 30)).to.equal(false)
    expect(isLongest(span(0, 300), 30)).to.equal(true)
  })

  it('is looked for an interval after what was asked before', () => {
    const nextAfter = (askedMs: number | undefined, nowMs: number) =>
      nextLookMs({ startMs: 0, askedMs, intervalSeconds: 30, lagSeconds: 15, nowMs })
    expect(nextAfter(undefined, 0)).to.equal(45_000)
    expect(nextAfter(0, 0)).to.equal(45_000)
    expect(nextAfter(60_000, 75_000)).to.equal(105_000)
    // a window that has not ended is none
    expect(nextAfter(60_000, 50_000)).to.equal(95_000)
    // the answer took longer than an interval
    expect(nextAfter(60_000, 110_000)).to.equal(111_000)
  })

  it('is looked for when one more interval has ended, where nothing was asked for', () => {
    const nextAfter = (nowMs: number) =>
      nextLookMs({ startMs: 0, askedMs: undefined, intervalSeconds: 30, lagSeconds: 15, nowMs })
    expect([44_999, 45_000, 74_999, 75_000, 90_000].map(nextAfter)).to.deep.equal([
      45_000, 75_000, 75_000, 105_000, 105_000,
    ])
  })

  it('is found at the next look, and not before', () =>
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.integer({ min: 1, max: 90 }),
        fc.nat(60),
        (nowMs, intervalSeconds, lagSeconds) => {
          const times = { startMs: 0, intervalSeconds, lagSeconds }
          const atMs = nextLookMs({ ...times, askedMs: undefined, nowMs })
          expect(atMs).to.be.above(nowMs)
          const ends = [nowMs, atMs - 1, atMs].map((each) => {
            const next = nextWindow({ ...times, nowMs: each })
            return next.is === 'due' ? next.window.end : 0
          })
          expect(ends[1]).to.equal(ends[0])
          expect(ends[2]).to.be.above(ends[0] ?? 0)
        },
      ),
    ))
})
