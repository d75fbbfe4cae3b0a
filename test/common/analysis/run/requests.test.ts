import { expect } from 'chai'
import {
  countsRequests,
  isThin,
  requestsNeeded,
  requestsOf,
  silentArms,
} from '../../../../common/analysis/run/requests.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'

const OF: Readonly<Record<string, WindowData>> = {
  samples: { is: 'samples', treatment: [{ values: [1, 2] }, { values: [3] }], control: [] },
  'coarse buckets': {
    ...{ is: 'coarse', boundaries: [1] },
    treatment: [{ exceeding: [1], total: 3 }],
    control: [{ exceeding: [0], total: 0 }],
  },
  'fine buckets': { is: 'fine', ratio: 2, treatment: [{ zero: 1, buckets: [[1, 2]] }], control: [] },
  events: { is: 'events', treatment: [{ events: 1, exposure: 3 }], control: [] },
}

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
  for (const [name, data] of Object.entries(OF))
    it(`are counted in ${name}`, () => {
      expect(requestsOf(data, 'treatment')).to.equal(3)
      expect(requestsOf(data, 'control')).to.equal(0)
      expect(silentArms(data)).to.deep.equal(['control'])
      expect(isThin(data)).to.equal(true)
    })

  it('are not counted where there are none', () => {
    for (const data of [
      { is: 'value', treatment: 1, control: 2 },
      { is: 'treatmentValue', treatment: 1 },
      { is: 'decision', decision: 'Pass', message: '' },
    ] as const) {
      expect(requestsOf(data, 'treatment')).to.equal(undefined)
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
