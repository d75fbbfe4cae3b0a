import { expect } from 'chai'
import { microTime } from '../../../controller/runtime/micro-time.ts'

describe('microTime', () => {
  it('has six digits after the point', () => {
    const time = '2026-11-21T10:00:00.123Z'
    expect(microTime(new Date(time))).to.equal('2026-11-21T10:00:00.123000Z')
    expect(Date.parse(microTime(new Date(time)))).to.equal(Date.parse(time))
  })
})
