import { expect } from 'chai'
import { newestTraffic, TRAFFIC_COLUMNS } from '../../../../common/analysis/kinds/run-traffic.ts'
import type { Json } from '../../../../common/json/json.ts'

/** As the API server answers: with the columns of every object before those of the CRD. */
const NAMES = ['Name', 'Looks', ...TRAFFIC_COLUMNS.map(({ name }) => name)]
const tableOf = (...rows: readonly (readonly Json[])[]) => ({
  kind: 'Table',
  columnDefinitions: NAMES.map((name) => ({ name })),
  rows: rows.map((cells) => ({ cells })),
})
const [EARLY, LATE] = ['2026-11-20T10:00:00Z', '2026-11-21T10:00:00Z']

describe('the traffic in a table of analysis runs', () => {
  it('is that of the run that started last', () => {
    const rows = [['a', 3, 12, 0.5, EARLY] as const, ['b', 3, 20, 0.6, LATE] as const, ['c', 3, 9, 0.4, EARLY] as const]
    expect(newestTraffic(tableOf(...rows))).to.deep.equal({ requestsPerSecond: 20, spread: 0.6 })
    expect(newestTraffic(tableOf(...rows.toReversed()))).to.deep.equal({ requestsPerSecond: 20, spread: 0.6 })
  })

  it('has no spread where none is known', () =>
    expect(newestTraffic(tableOf(['a', 3, 12, null, EARLY]))).to.deep.equal({ requestsPerSecond: 12 }))

  it('is not that of a run that does not know it', () =>
    expect(newestTraffic(tableOf(['a', 3, 12, 0.5, EARLY], ['b', 0, null, null, LATE]))).to.deep.equal({
      ...{ requestsPerSecond: 12, spread: 0.5 },
    }))

  it('is none where there is no run, or nothing is understood', () => {
    for (const odd of [
      tableOf(),
      undefined,
      {},
      { rows: [{}] },
      { ...tableOf(['a', 3, 12, 0.5, EARLY]), rows: 'none' },
    ])
      expect(newestTraffic(odd)).to.equal(undefined)
    for (const rate of ['12', 0, -1, true])
      expect(newestTraffic(tableOf(['a', 3, rate, 0.5, EARLY]))).to.equal(undefined)
    expect(newestTraffic(tableOf(['a', 3, 12, 0.5, null]))).to.equal(undefined)
    expect(newestTraffic({ rows: [{ cells: ['a', 3, 12, 0.5, EARLY] }] })).to.equal(undefined)
  })
})
