import { expect } from 'chai'
import { limited, warning } from '../../webhook/warnings.ts'

describe('warning', () => {
  it('begins with its reason', () => expect(warning('Plan', 'x')).to.equal('[Plan] x'))
  it('has no line break, for it would vanish', () => expect(warning('Plan', 'a\nb\rc')).to.equal('[Plan] a?b?c'))
  it('is printable ASCII', () => expect(warning('Plan', 'ä\u001b[31m')).to.equal('[Plan] ??[31m'))
  it('is at most 120 characters, less of the middle', () => {
    const line = warning('Plan', `${'a'.repeat(100)}${'z'.repeat(100)}`)
    expect(line).to.have.length(120)
    expect(line).to.match(/^\[Plan\] a+\.\.\.z+$/)
  })
})

describe('limited', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at}`)
  it('leaves twelve as they are', () => expect(limited(lines(12))).to.deep.equal(lines(12)))
  it('tells how many more there are', () =>
    expect(limited(lines(14))).to.deep.equal([...lines(11), '[Plan] and 3 more']))
})
