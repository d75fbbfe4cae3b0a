import { expect } from 'chai'
import { countAt, itemsAt, textAt, textIn, timeAfter, timeAt } from '../../../common/view/members.ts'

describe('a member of a foreign object', () => {
  it('is a safe text, or none', () => {
    expect(textAt({ a: { b: 'x\u202ey' } }, 'a', 'b')).to.equal('x\\u202ey')
    for (const value of [undefined, null, 1, {}, [], '']) expect(textAt({ a: value }, 'a')).to.equal(undefined)
    expect(textIn({}, 'a')).to.equal('')
  })

  it('is a whole number from 0, or none', () => {
    expect(countAt({ a: 3 }, 'a')).to.equal(3)
    for (const value of [-1, 1.5, '3', Number.NaN, null]) expect(countAt({ a: value }, 'a')).to.equal(undefined)
  })

  it('is the beginning of a list', () => {
    expect(itemsAt({ a: [1, 2, 3] }, 2, 'a')).to.deep.equal([1, 2])
    expect(itemsAt({ a: 'abc' }, 2, 'a')).to.deep.equal([])
  })

  it('is a time in RFC 3339, or none', () => {
    for (const time of ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456Z', '2026-11-21T10:00:00+01:00'])
      expect(timeAt({ at: time }, 'at')).to.equal(time)
    for (const value of ['now', '2026', '2026-13-21T10:00:00Z', '2026-11-21T10:00:00Z\u001b', 1, undefined])
      expect(timeAt({ at: value }, 'at')).to.equal(undefined)
  })
})

describe('the time after another one', () => {
  it('has whole seconds', () => expect(timeAfter('2026-11-21T10:00:00.500Z', 90)).to.equal('2026-11-21T10:01:30Z'))

  it('is none without a time, and none that no date can have', () => {
    expect(timeAfter(undefined, 1)).to.equal(undefined)
    expect(timeAfter('9999-12-31T23:59:58Z', 10)).to.equal(undefined)
    expect(timeAfter('2026-11-21T10:00:00Z', Number.MAX_VALUE)).to.equal(undefined)
  })
})
