import { expect } from 'chai'
import { retryAfterMs } from '../../../../controller/analysis/http/reply.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const HOUR_MS = 3_600_000

const CASES: readonly (readonly [header: string, ms: number | undefined])[] = [
  ['1', 1_000],
  ['120', 120_000],
  ['3600', HOUR_MS],
  ['3601', HOUR_MS],
  ['99999999999999999999', HOUR_MS],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 18:00:00 GMT', HOUR_MS],
  ['Sat, 21 Nov 2026 11:59:59 GMT', undefined],
  ['Sat, 99 Nov 2026 12:00:30 GMT', undefined],
  ['2026-11-21T12:00:30Z', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['soon', undefined],
]

describe('retryAfterMs', () => {
  for (const [header, ms] of CASES)
    it(`reads ${JSON.stringify(header)} as ${ms}`, () => expect(retryAfterMs(header, NOW)).to.equal(ms))

  it('reads none without one header', () =>
    expect([retryAfterMs(undefined, NOW), retryAfterMs(['1', '2'], NOW)]).to.deep.equal([undefined, undefined]))
})
