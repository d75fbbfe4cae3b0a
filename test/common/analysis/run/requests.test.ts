import { expect } from 'chai'
import { countsRequests, isThin, requestsNeeded, silentArms } from '../../../../common/analysis/run/requests.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'

/** A window with three requests of the first pod of the fork, `more` of its second one, and none of the source. */
const OF: Readonly<Record<string, (more: number) => WindowData>> = {
  samples: (more) => ({
    is: 'samples',
    treatment: [{ values: [1, 2, 3] }, { values: Array.from({ length: more }, () => 1) }],
    control: [],
  }),
  'coarse buckets': (more) => ({
    ...{ is: 'coarse', boundaries: [1] },
    treatment: [
      { exceeding: [1], total: 3 },
      { exceeding: [0], total: more },
    ],
    control: [{ exceeding: [0], total: 0 }],
  }),
  'fine buckets': (more) => ({
    ...{ is: 'fine', ratio: 2 },
    treatment: [
      { zero: 1, buckets: [[1, 2]] },
      { zero: more, buckets: [] },
    ],
    control: [],
  }),
  events: (more) => ({
    is: 'events',
    treatment: [
      { events: 1, exposure: 3 },
      { events: 0, exposure: more },
    ],
    control: [],
  }),
}
/** `data` in which the source has the same requests as the fork. */
const twice = (data: WindowData) => ({ ...data, control: 'treatment' in data ? data.treatment : [] }) as WindowData

describe('the requests of a metric', () => {
  it('are those of the analysis, or its own', () => {
    expect(requestsNeeded({ kind: 'Latency' }, 70)).to.equal(70)
    expect(requestsNeeded({ kind: 'MannWhitney', minSamples: 20 }, 70)).to.equal(20)
  })

  it('are none where windows or seconds are counted', () => {
    for (const kind of ['Value', 'Health', 'Threshold', 'Decision'] as const) {
      expect(countsRequests({ kind })).to.equal(false)
      expect(requestsNeeded({ kind }, 70)).to.equal(0)
    }
  })
})

describe('the requests of a window', () => {
  for (const [name, of] of Object.entries(OF))
    it(`are counted in ${name}`, () => {
      expect(silentArms(of(0))).to.deep.equal(['control'])
      expect(isThin(of(2))).to.equal(true)
      expect([twice(of(1)), twice(of(2))].map(isThin)).to.deep.equal([true, false])
    })

  it('are not counted where there are none', () => {
    for (const data of [
      { is: 'value', treatment: 1, control: 2 },
      { is: 'treatmentValue', treatment: 1 },
      { is: 'decision', decision: 'Pass', message: '' },
    ] as const) {
      expect(silentArms(data)).to.deep.equal([])
      expect(isThin(data)).to.equal(false)
    }
  })

  it('are few with four in an arm', () => {
    const of = (own: number, others: number): WindowData => ({
      is: 'events',
      treatment: [{ events: 0, exposure: own }],
      control: [{ events: 0, exposure: others }],
    })
    expect([of(4, 100), of(100, 4), of(5, 5)].map(isThin)).to.deep.equal([true, true, false])
  })
})
