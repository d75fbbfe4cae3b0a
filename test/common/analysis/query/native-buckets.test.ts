import { expect } from 'chai'
import fc from 'fast-check'
import { joinedBucket, nativeHistogramIn, ratioOf } from '../../../../common/analysis/query/native-buckets.ts'
import { LAW } from '../../../property.ts'

const histogram = (...buckets: readonly unknown[]) => ({ count: '1', sum: '1', buckets })

describe('a native histogram of Prometheus', () => {
  it('has numbered buckets and what is near to zero', () =>
    expect(
      nativeHistogramIn(histogram([3, '-0.001', '0.001', '4'], [0, '0.5', '1', '2'], [0, '4', '8', '1'])),
    ).to.deep.equal({
      zero: 4,
      threshold: 0.001,
      schema: 0,
      buckets: [
        [0, 2],
        [3, 1],
      ],
    }))

  it('is empty before the first request', () => {
    const empty = { zero: 0, threshold: 0, buckets: [] }
    expect(nativeHistogramIn({ count: '0', sum: '0' })).to.deep.equal(empty)
    expect(nativeHistogramIn(histogram())).to.deep.equal(empty)
  })

  it('has its schema in the width of its buckets', () => {
    const schemas = fc.integer({ min: -4, max: 8 })
    fc.assert(
      fc.property(schemas, fc.integer({ min: -40, max: 40 }), (schema, exponent) => {
        const k = Math.round(exponent * 2 ** schema) + 0 // not -0
        const [left, right] = [2 ** ((k - 1) / 2 ** schema), 2 ** (k / 2 ** schema)]
        fc.pre(Number.isFinite(right) && left > 0)
        expect(nativeHistogramIn(histogram([0, `${left}`, `${right}`, '1']))).to.deep.include({
          schema,
          buckets: [[k, 1]],
        })
        expect(Math.abs(right / left / ratioOf(schema) - 1)).to.be.below(1e-9)
      }),
      LAW,
    )
  })

  it('may be joined to wider buckets, each in exactly one', () => {
    expect([-3, -2, -1, 0, 1, 2, 3].map((k) => joinedBucket(k, 1, 0))).to.deep.equal([-1, -1, 0, 0, 1, 1, 2])
    expect(joinedBucket(5, 3, 3)).to.equal(5)
    expect(joinedBucket(257, 8, 0)).to.equal(2)
  })

  const wrong: Readonly<Record<string, unknown>> = {
    'no object': 'x',
    'nothing at all': undefined,
    'buckets that are no list': { buckets: { 0: [0, '1', '2', '1'] } },
    'a bucket that is no list': histogram('x'),
    'a bucket without a count': histogram([0, '1', '2']),
    'a bucket with half a request': histogram([0, '1', '2', '0.5']),
    'a bucket with a negative count': histogram([0, '1', '2', '-1']),
    'a bucket of negative times': histogram([1, '-2', '-1', '1']),
    'an endless bucket': histogram([0, '1', '+Inf', '1']),
    'a bucket without a width': histogram([0, '2', '2', '1']),
    'custom buckets': histogram([0, '0.1', '0.5', '1']),
    'buckets that are wider than any': histogram([0, '1', '4294967296', '1']),
    'buckets that are narrower than any': histogram([0, '1', `${2 ** (1 / 512)}`, '1']),
    'buckets between two others': histogram([0, '3', '6', '1']),
    'buckets of two widths': histogram([0, '1', '2', '1'], [0, '2', '8', '1']),
    'a bucket twice': histogram([0, '1', '2', '1'], [0, '1', '2', '1']),
  }
  for (const [what, value] of Object.entries(wrong))
    it(`does not have ${what}`, () => expect(nativeHistogramIn(value)).to.equal(undefined))
})
