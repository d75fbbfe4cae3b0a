import { expect } from 'chai'
import { type ArmMembers, dataOf } from '../../../../common/analysis/query/arm-members.ts'
import type { MetricKind } from '../../../../common/api/analysis/metric.ts'

const COARSE = { boundaries: [0.1, 1], exceeding: [5, 2], total: 9 }
const both = (treatment: ArmMembers, control = treatment) => ({ treatment, control })

const message = (kind: MetricKind, treatment: ArmMembers, control?: ArmMembers) => {
  const answer = dataOf(kind, both(treatment, control))
  return answer.is === 'failed' ? answer.message : answer.is
}

describe('the members of an answer', () => {
  it('are samples of a latency', () => {
    for (const kind of ['Latency', 'MannWhitney'] as const)
      expect(dataOf(kind, both({ samples: [0.1, 0] }, { samples: [] }))).to.deep.equal({
        is: 'data',
        data: { is: 'samples', treatment: [{ values: [0.1, 0] }], control: [{ values: [] }] },
      })
  })

  it('are counts above boundaries', () =>
    expect(dataOf('Latency', both(COARSE, { ...COARSE, exceeding: [9, 9] }))).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries: [0.1, 1],
        treatment: [{ exceeding: [5, 2], total: 9 }],
        control: [{ exceeding: [9, 9], total: 9 }],
      },
    }))

  it('are events among all requests', () => {
    for (const kind of ['ErrorRate', 'Ratio'] as const)
      expect(dataOf(kind, both({ events: 1, total: 9 }, { events: 0, total: 4 }))).to.deep.equal({
        is: 'data',
        data: { is: 'events', treatment: [{ events: 1, exposure: 9 }], control: [{ events: 0, exposure: 4 }] },
      })
  })

  it('are one value of each arm, or of the treatment alone', () => {
    expect(dataOf('Value', both({ value: -1.5 }, { value: 2 }))).to.deep.equal({
      is: 'data',
      data: { is: 'value', treatment: -1.5, control: 2 },
    })
    expect(dataOf('Threshold', both({ value: 3 }, {}))).to.deep.equal({
      is: 'data',
      data: { is: 'treatmentValue', treatment: 3 },
    })
  })

  it('are missing where an arm is not known', () => {
    expect(dataOf('Value', both({}, { value: 1 }))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(dataOf('Value', both({ value: 1 }, { value: null }))).to.deep.equal({ is: 'silent', arms: ['control'] })
    expect(dataOf('Value', both({}))).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
    expect(dataOf('ErrorRate', both({ events: 1 }))).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
    expect(dataOf('Latency', both({ samples: [1] }, COARSE))).to.deep.equal({ is: 'silent', arms: ['control'] })
    expect(dataOf('Threshold', both({}))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
  })

  it('fail for kinds that use no such answer', () => {
    expect(message('Health', { value: 1 })).to.equal('a metric of kind Health cannot use such an answer')
    expect(message('Decision', { value: 1 })).to.equal('a metric of kind Decision cannot use such an answer')
  })

  const SAMPLES = 'samples of the treatment: must be a list of at most 10000 numbers, not negative'
  const BOUNDARIES = 'boundaries of the treatment: must be a list of at most 1000 numbers above 0, ascending'
  const EXCEEDING = 'exceeding of the treatment: must be a list of whole numbers, not negative'
  const ABOVE = 'exceeding of the treatment: must not be above total, or above the count before it'
  const COUNT = 'must be a whole number, not negative'
  const wrong: readonly (readonly [kind: MetricKind, members: object, words: string])[] = [
    ['Latency', { samples: 'secret' }, SAMPLES],
    ['Latency', { samples: { 0: 1, length: 1 } }, SAMPLES],
    ['Latency', { samples: [1, '2'] }, SAMPLES],
    ['Latency', { samples: [1, null] }, SAMPLES],
    ['Latency', { samples: [-0.1] }, SAMPLES],
    ['Latency', { samples: [Number.POSITIVE_INFINITY] }, SAMPLES],
    ['MannWhitney', { samples: Array(10_001).fill(1) }, SAMPLES],
    ['Latency', { ...COARSE, boundaries: [1, 0.1] }, BOUNDARIES],
    ['Latency', { ...COARSE, boundaries: [1, 1] }, BOUNDARIES],
    ['Latency', { ...COARSE, boundaries: [0, 1] }, BOUNDARIES],
    ['Latency', { ...COARSE, boundaries: ['0.1', '1'] }, BOUNDARIES],
    ['Latency', { ...COARSE, boundaries: Array.from({ length: 1_001 }, (_, at) => at + 1) }, BOUNDARIES],
    ['Latency', { ...COARSE, exceeding: [1.5, 1] }, EXCEEDING],
    ['Latency', { ...COARSE, exceeding: [1, -1] }, EXCEEDING],
    ['Latency', { ...COARSE, exceeding: 7 }, EXCEEDING],
    ['Latency', { ...COARSE, exceeding: [5] }, 'exceeding of the treatment: must have as many items as boundaries'],
    ['Latency', { ...COARSE, exceeding: [2, 5] }, ABOVE],
    ['Latency', { ...COARSE, exceeding: [10, 5] }, ABOVE],
    ['Latency', { ...COARSE, total: '9' }, `total of the treatment: ${COUNT}`],
    ['ErrorRate', { events: 0.5, total: 9 }, `events of the treatment: ${COUNT}`],
    ['ErrorRate', { events: 1, total: -9 }, `total of the treatment: ${COUNT}`],
    ['Ratio', { events: 1e300, total: 9 }, `events of the treatment: ${COUNT}`],
    ['Value', { value: 'NaN' }, 'value of the treatment: must be a number'],
    ['Value', { value: Number.NaN }, 'value of the treatment: must be a number'],
    ['Threshold', { value: [1] }, 'value of the treatment: must be a number'],
  ]
  for (const [kind, members, words] of wrong)
    it(`fail for a ${kind} with ${JSON.stringify(members).slice(0, 60)}`, () =>
      expect(message(kind, members)).to.equal(words))

  it('may be wrong for the control, also where the treatment has none', () => {
    expect(message('Value', {}, { value: true })).to.equal('value of the control: must be a number')
    expect(message('Latency', COARSE, { ...COARSE, exceeding: [2, 5] })).to.equal(ABOVE.replace('treatment', 'control'))
  })

  it('must have one list of boundaries', () => {
    const other = 'boundaries: must be the same for treatment and control'
    expect(message('Latency', COARSE, { ...COARSE, boundaries: [0.1, 2] })).to.equal(other)
    expect(message('Latency', COARSE, { boundaries: [0.1], exceeding: [3], total: 9 })).to.equal(other)
  })

  it('may be as many as the limits say', () => {
    expect(message('Latency', { samples: Array(10_000).fill(1) })).to.equal('data')
    const thousand = Array.from({ length: 1_000 }, (_, at) => at + 1)
    expect(message('Latency', { boundaries: thousand, exceeding: Array(1_000).fill(0), total: 0 })).to.equal('data')
  })
})
