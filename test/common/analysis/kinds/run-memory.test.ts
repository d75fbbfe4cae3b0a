import { expect } from 'chai'
import { RUN_MEMORY } from '../../../../common/analysis/kinds/run.ts'
import { malformed } from '../../../../common/api/analysis/decode.ts'

const wrong = (memory: object) => malformed(memory, RUN_MEMORY, 'memory').map(({ field }) => field)

describe('what a metric of an analysis run remembers', () => {
  it('is a version with at most 2,000 numbers, and since when they count', () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => index / 3)
    expect(wrong({ version: 2, numbers, since: '2026-11-23T12:00:00.000Z' })).to.deep.equal([])
    expect(wrong({ version: 2, numbers: [...numbers, 1] })).to.deep.equal(['memory.numbers'])
    expect(wrong({ numbers: [] })).to.deep.equal(['memory.version'])
  })
})
