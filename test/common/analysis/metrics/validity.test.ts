import { expect } from 'chai'
import { isSound } from '../../../../common/analysis/metrics/validity.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'

const samples = (...values: readonly number[]): WindowData => ({
  is: 'samples',
  treatment: [{ pod: 'fork-0', values }],
  control: [],
})
const coarse = (exceeding: readonly number[], total: number, boundaries = [0.1, 1]): WindowData => ({
  is: 'coarse',
  boundaries,
  treatment: [],
  control: [{ exceeding, total }],
})
const fine = (k: number, count: number, ratio = 1.1): WindowData => ({
  is: 'fine',
  ratio,
  treatment: [{ zero: 0, buckets: [[k, count]] }],
  control: [],
})
const events = (count: number, exposure: number): WindowData => ({
  is: 'events',
  treatment: [{ events: count, exposure }],
  control: [],
})

const SOUND: Readonly<Record<string, WindowData>> = {
  'no pods': { is: 'samples', treatment: [], control: [] },
  samples: samples(0, 0.2, 1e9),
  'coarse buckets': coarse([5, 5], 5),
  'fine buckets': fine(-300, 7),
  'events among requests': events(3, 10),
  'more events than seconds': events(3, 1.5),
  'negative values': { is: 'value', treatment: -2, control: 0 },
  'a value': { is: 'treatmentValue', treatment: 1e12 },
  'a decision': { is: 'decision', decision: 'Wait', message: '' },
}

const UNSOUND: Readonly<Record<string, WindowData>> = {
  'a negative time': samples(1, -1),
  'a time that is no number': samples(Number.NaN),
  'an endless time': samples(Number.POSITIVE_INFINITY),
  'half a request': coarse([1, 0.5], 2),
  'more requests above a boundary than in all': coarse([3, 1], 2),
  'more requests above a boundary than above the one before': coarse([1, 2], 3),
  'fewer counts than boundaries': coarse([1], 3),
  'boundaries that fall': coarse([1, 1], 3, [1, 0.1]),
  'a boundary that is no number': coarse([1, 1], 3, [0.1, Number.NaN]),
  'too many requests to count': coarse([0, 0], 1e12),
  'a negative count of a bucket': fine(1, -1),
  'a bucket between two others': fine(0.5, 1),
  'a bucket of no duration': fine(-(2 ** 30), 1),
  'buckets that do not grow': fine(1, 1, 1),
  'a negative count of events': events(-1, 10),
  'events in less than no time': events(1, -10),
  'an exposure that is no number': events(1, Number.NaN),
  'a value that is no number': { is: 'value', treatment: Number.NaN, control: 1 },
  'an endless value': { is: 'treatmentValue', treatment: Number.NEGATIVE_INFINITY },
}

describe('a window', () => {
  for (const [what, data] of Object.entries(SOUND)) it(`may have ${what}`, () => expect(isSound(data)).to.equal(true))
  for (const [what, data] of Object.entries(UNSOUND))
    it(`is of no use with ${what}`, () => expect(isSound(data)).to.equal(false))
})
