import { expect } from 'chai'
import { ONE, parseQuantity } from '../../../common/api/quantity.ts'

describe('a quantity', () => {
  it('equals others that are written in another way', () => {
    for (const [one, other] of [
      ['1Gi', '1024Mi'],
      ['1', 1],
      ['0.5', '500m'],
      ['.5', 0.5],
      ['5.', 5],
      ['1e3', '1k'],
      ['1E-3', '1m'],
      ['12E2', 1200],
      ['1000u', '1m'],
      [' 1Gi ', '1Gi'],
      ['+1n', '0.000000001'],
    ] as const)
      expect(parseQuantity(one), `${one} = ${other}`).to.equal(parseQuantity(other))
  })

  it('can be compared', () => {
    const order = ['-1Gi', '-1', '0', '1n', '1m', '1', '1k', '1Ki', '1M', '1Mi', '1E', '1Ei', '1e100']
    const values = order.map((text) => parseQuantity(text) ?? 0n)
    expect(values.toSorted((a, b) => (a < b ? -1 : 1))).to.deep.equal(values)
  })

  it('is rounded up to billionths', () => expect(parseQuantity('0.0000000001')).to.equal(parseQuantity('1n')))

  it('is counted in billionths', () => expect(parseQuantity('3')).to.equal(3n * ONE))

  it('is not read from anything else', () => {
    for (const value of ['', '1 Gi', '1GiB', 'one', '-', '.', 'e3', '1'.repeat(61), null, undefined, {}, true])
      expect(parseQuantity(value), JSON.stringify(value)).to.equal(undefined)
  })
})
