import { expect } from 'chai'
import { fineAnswer } from '../../../../common/analysis/query/fine-buckets.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { counter, native } from './some-series.ts'

const ARMS = { treatment: { workload: 'x', pods: ['a', 'b'] }, control: { workload: 'y', pods: ['c'] } }
const CONTROL = [native('c', [[], [[1, 2, 9]]])]
const answer = (treatment: readonly PrometheusSeries[], control: readonly PrometheusSeries[] = CONTROL) =>
  fineAnswer({ treatment, control }, { arms: ARMS })
const treatmentOf = (treatment: readonly PrometheusSeries[], control: readonly PrometheusSeries[] = CONTROL) => {
  const found = answer(treatment, control)
  return found.is === 'data' && found.data.is === 'fine' ? found.data.treatment : found
}

describe('the native histograms of a window', () => {
  it('say how many requests are in each bucket, pod by pod', () =>
    expect(
      answer([
        native('a', [
          [
            [-0.001, 0.001, 2],
            [4, 8, 1],
          ],
          [
            [-0.001, 0.001, 7],
            [0.5, 1, 3],
            [4, 8, 5],
            [8, 16, 0],
          ],
        ]),
        native('b', [[[1, 2, 6]], [[1, 2, 6]]]),
      ]),
    ).to.deep.equal({
      is: 'data',
      data: {
        is: 'fine',
        ratio: 2,
        treatment: [
          {
            pod: 'a',
            zero: 5,
            buckets: [
              [0, 3],
              [3, 4],
            ],
          },
          { pod: 'b', zero: 0, buckets: [] },
        ],
        control: [{ pod: 'c', zero: 0, buckets: [[1, 9]] }],
      },
    }))

  it('add up those of a pod', () =>
    expect(
      treatmentOf([native('a', [[], [[2, 4, 3]]], { route: '/' }), native('a', [[[2, 4, 1]], [[2, 4, 2]]])]),
    ).to.deep.equal([{ pod: 'a', zero: 0, buckets: [[2, 4]] }]))

  it('are joined to the widest buckets of both arms', () => {
    const narrow = Math.SQRT2
    const found = answer([
      native('a', [
        [[1, narrow, 1]],
        [
          [1, narrow, 3],
          [narrow, 2, 5],
          [2, 2 * narrow, 1],
        ],
      ]),
    ])
    expect(found).to.have.nested.property('data.ratio', 2)
    expect(found)
      .to.have.nested.property('data.treatment')
      .deep.equal([
        {
          pod: 'a',
          zero: 0,
          buckets: [
            [1, 7],
            [2, 1],
          ],
        },
      ])
  })

  it('are no reset if their buckets become wider within the window', () => {
    const narrow = Math.SQRT2
    const wider = native('a', [
      [
        [1, narrow, 4],
        [narrow, 2, 5],
      ],
      [[1, 2, 10]],
    ])
    expect(treatmentOf([wider])).to.deep.equal([{ pod: 'a', zero: 0, buckets: [[1, 1]] }])
  })

  it('are no reset if what is near to zero becomes more within the window', () => {
    const raised = native('a', [
      [
        [-0.1, 0.1, 1],
        [0.125, 0.25, 4],
        [0.5, 1, 2],
      ],
      [
        [-0.25, 0.25, 6],
        [0.5, 1, 2],
      ],
    ])
    expect(treatmentOf([raised])).to.deep.equal([{ pod: 'a', zero: 1, buckets: [] }])
    const within = native('a', [
      [
        [-0.1, 0.1, 1],
        [0.125, 0.25, 4],
      ],
      [
        [-0.2, 0.2, 4],
        [0.125, 0.25, 3],
      ],
    ])
    expect(treatmentOf([within])).to.deep.equal([{ pod: 'a', zero: 2, buckets: [] }])
  })

  it('count from zero in a pod whose histograms all began anew', () => {
    const fallen = native(
      'a',
      [
        [
          [2, 4, 9],
          [4, 8, 1],
        ],
        [
          [2, 4, 2],
          [4, 8, 3],
        ],
      ],
      { route: '/' },
    )
    const other = native('b', [[[2, 4, 1]], [[2, 4, 5]]])
    expect(treatmentOf([fallen, native('a', [[[2, 4, 6]], [[2, 4, 5]]]), other])).to.deep.equal([
      {
        pod: 'a',
        zero: 0,
        buckets: [
          [2, 7],
          [3, 3],
        ],
      },
      { pod: 'b', zero: 0, buckets: [[2, 4]] },
    ])
  })

  it('leave out a pod of which only one histogram began anew', () => {
    const parts = [
      native('a', [[[0.5, 1, 20_000]], [[0.5, 1, 20_100]]]),
      native('a', [[[1, 2, 50]], [[1, 2, 1]]], { route: '/health' }),
    ]
    expect(treatmentOf([...parts, native('b', [[[2, 4, 1]], [[2, 4, 5]]])])).to.deep.equal([
      { pod: 'b', zero: 0, buckets: [[2, 4]] },
    ])
    expect(
      answer(
        CONTROL.map((series) => ({ ...series, pod: 'a' })),
        parts.map((series) => ({ ...series, pod: 'c' })),
      ),
    ).to.include({ is: 'failed', lacksStart: true })
  })

  it('count one that is born in the window', () =>
    expect(
      treatmentOf([native('a', [undefined, [[1, 2, 9]]], { route: '/' }), native('a', [[], [[1, 2, 1]]])]),
    ).to.deep.equal([{ pod: 'a', zero: 0, buckets: [[1, 10]] }]))

  it('count what the old ones grew by in a process whose series got other labels', () =>
    expect(
      treatmentOf([
        native('a', [[[1, 2, 900]], [[1, 2, 905]]], { chart: '1.0' }),
        native('a', [undefined, [[1, 2, 910]]], { chart: '1.1' }),
      ]),
    ).to.deep.equal([{ pod: 'a', zero: 0, buckets: [[1, 5]] }]))

  it('leave out one of a process without any at the start, and one that is gone at the end', () =>
    expect(
      treatmentOf([
        native('a', [undefined, [[1, 2, 9]]], { container: 'late' }),
        native('a', [[[1, 2, 9]], undefined], { route: '/' }),
        native('a', [[], [[1, 2, 1]]]),
      ]),
    ).to.deep.equal([{ pod: 'a', zero: 0, buckets: [[1, 1]] }]))

  it('need data of half of the pods', () =>
    expect(answer([native('a', [undefined, [[1, 2, 9]]])])).to.have.property('is', 'failed'))

  it('are nothing to compare while none has counted in a bucket', () => {
    const silent = { is: 'silent', arms: ['treatment', 'control'] }
    expect(answer([native('a', [[], []])], [native('c', [[], []])])).to.deep.equal(silent)
    expect(answer([native('a', [[], [[-1, 1, 3]]])], [native('c', [[], []])])).to.deep.equal(silent)
  })

  it('are compared with an arm that has counted nothing yet', () =>
    expect(treatmentOf([native('a', [[], []])])).to.deep.equal([{ pod: 'a', zero: 0, buckets: [] }]))

  it('are of no use if they are not of durations', () => {
    const message = 'the native histogram has buckets that are not of durations'
    const custom = native('c', [undefined, [[1, 5, 1]]])
    expect(answer([native('a', [[], []])], [...CONTROL, custom])).to.deep.equal({ is: 'failed', message })
    expect(answer([native('a', [[[-2, -1, 1]], [[-2, -1, 1]]])])).to.deep.equal({ is: 'failed', message })
  })

  it('are not there in a series of numbers', () =>
    expect(answer([counter('h', 'a', [1, 2])])).to.have.property('is', 'failed'))
})
