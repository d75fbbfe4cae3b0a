import { expect } from 'chai'
import type { WindowAnswer } from '../../../common/analysis/query/window-query.ts'
import { ProviderBackoff } from '../../../controller/analysis/provider-backoff.ts'

const INTERVAL_MS = 60_000
const SILENT: WindowAnswer = { is: 'silent', arms: ['control'] }
const failed = (retryAfterMs?: number): WindowAnswer => ({
  is: 'failed',
  message: '503',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const asked = (nowMs: number, provider = 'metrics', run = 'run-1') => ({
  run,
  provider,
  nowMs,
  intervalMs: INTERVAL_MS,
})

/** How many intervals a run waits after each of `count` failures in a row. Each is asked when it may be. */
function waitsAfterFailures(backoff: ProviderBackoff, count: number): readonly number[] {
  let nowMs = 0
  return Array.from({ length: count }, () => {
    backoff.note(asked(nowMs), [failed()])
    const waitMs = backoff.waitMs('run-1', 'metrics', nowMs)
    nowMs += waitMs
    return waitMs / INTERVAL_MS
  })
}

describe('the backoff of providers', () => {
  it('lets a run ask at once what has not failed', () => {
    const backoff = new ProviderBackoff()
    expect(backoff.waitMs('run-1', 'metrics', 5_000)).to.equal(0)
    backoff.note(asked(5_000), [SILENT])
    expect(backoff.waitMs('run-1', 'metrics', 5_000)).to.equal(0)
  })

  it('lets a run ask at once a provider that has answered, although the pods had no data yet', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(5_000), [{ is: 'failed', message: 'no data', lacksStart: true }])
    expect(backoff.waitMs('run-1', 'metrics', 5_000)).to.equal(0)
  })

  it('waits one interval after a failure, then two, four, eight, and at most ten', () =>
    expect(waitsAfterFailures(new ProviderBackoff(), 6)).to.deep.equal([1, 2, 4, 8, 10, 10]))

  it('begins anew after an answer, also after a silent one', () => {
    const backoff = new ProviderBackoff()
    waitsAfterFailures(backoff, 4)
    backoff.note(asked(900_000), [SILENT])
    expect(backoff.waitMs('run-1', 'metrics', 900_000)).to.equal(0)
    expect(waitsAfterFailures(backoff, 1)).to.deep.equal([1])
  })

  it('waits as long as the provider asks, but never less than by itself', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(0), [failed(200_000)])
    expect(backoff.waitMs('run-1', 'metrics', 0)).to.equal(200_000)
    backoff.note(asked(200_000), [failed(1_000)])
    expect(backoff.waitMs('run-1', 'metrics', 200_000)).to.equal(2 * INTERVAL_MS)
  })

  it('takes the failures of several metrics in one poll for one, and the longest time that one of them asks for', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(0), [undefined, 300_000, 90_000].map(failed))
    expect(backoff.waitMs('run-1', 'metrics', 0)).to.equal(300_000)
    backoff.note(asked(300_000), [failed()])
    expect(backoff.waitMs('run-1', 'metrics', 300_000)).to.equal(2 * INTERVAL_MS)
  })

  it('is that of a failure, whatever other metrics were answered in the same poll', () => {
    const limited = failed(120_000)
    for (const answers of [
      [limited, SILENT],
      [SILENT, limited],
    ]) {
      const backoff = new ProviderBackoff()
      backoff.note(asked(0), answers)
      expect(backoff.waitMs('run-1', 'metrics', 0)).to.equal(120_000)
    }
  })

  it('counts for each run and each provider by itself', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(0), [failed()])
    expect(backoff.waitMs('run-1', 'other', 0)).to.equal(0)
    expect(backoff.waitMs('run-2', 'metrics', 0)).to.equal(0)
    backoff.note(asked(0, 'other'), [SILENT])
    expect(backoff.waitMs('run-1', 'metrics', 0)).to.equal(INTERVAL_MS)
  })

  it('keeps nothing of a run whose providers all answer', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(0), [SILENT])
    expect(backoff.size).to.equal(0)
    for (const answer of [failed(), SILENT]) backoff.note(asked(0), [answer])
    expect(backoff.size).to.equal(0)
  })

  it('forgets a run', () => {
    const backoff = new ProviderBackoff()
    backoff.note(asked(0), [failed()])
    expect(backoff.size).to.equal(1)
    backoff.forget('run-1')
    expect(backoff.size).to.equal(0)
    expect(backoff.waitMs('run-1', 'metrics', 0)).to.equal(0)
    expect(waitsAfterFailures(backoff, 1)).to.deep.equal([1])
  })
})
