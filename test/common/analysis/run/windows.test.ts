import { expect } from 'chai'
import { isLongest, nextLookMs, nextWindow } from '../../../../common/analysis/run/windows.ts'

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
    expect(nextLookMs(0, 0, 30, 15)).to.equal(45_000)
    expect(nextLookMs(0, 60_000, 30, 15)).to.equal(105_000)
  })
})
