import { expect } from 'chai'
import type { ExperimentRow } from '../../../common/view/experiment-view.ts'
import { compareRows } from '../../../common/view/order.ts'
import { rowOf } from '../../../common/view/row.ts'
import { aToldExperiment, NOW } from './some-view.ts'

const row = (name: string, of: Partial<ExperimentRow> = {}): ExperimentRow => ({
  ...rowOf(aToldExperiment(undefined, { metadata: { name } })),
  ...of,
})
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString()

/** In the order in which they must come. */
const ROWS: readonly ExperimentRow[] = [
  row('stalled', { state: 'Stalled' }),
  row('failed', { state: 'Failed' }),
  row('paused', { state: 'Paused', deadline: { what: 'expires', at: inMinutes(120) } }),
  row('alone', { isAlone: true }),
  row('soon', { deadline: { what: 'expires', at: inMinutes(15) } }),
  row('violating', { policies: ['limits'] }),
  row('progressing', { state: 'Progressing' }),
  row('a-running'),
  row('later', { deadline: { what: 'expires', at: inMinutes(16) } }),
  row('paused-until', { state: 'Paused', deadline: { what: 'pause', at: inMinutes(60) } }),
  { ...row('a'), namespace: 'till' },
]

describe('the order of a list', () => {
  it('is what a person should look at first, then namespace and name', () => {
    const order = (rows: readonly ExperimentRow[]) =>
      rows.toSorted((one, other) => compareRows(one, other, NOW)).map(({ name }) => name)
    expect(order(ROWS.toReversed())).to.deep.equal(ROWS.map(({ name }) => name))
    expect(order(ROWS)).to.deep.equal(ROWS.map(({ name }) => name))
  })

  it('is 0 for the same row', () => expect(ROWS.every((each) => compareRows(each, each, NOW) === 0)).to.equal(true))
})
