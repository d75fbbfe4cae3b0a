import { expect } from 'chai'
import { UnreportedWrites } from '../../../controller/memory/unreported-writes.ts'
import { theFork } from '../../common/plan/some-facts.ts'

const KEY = 'shop/faster-cart'
const FORK = { isOfTwin: false }
const TWIN = { isOfTwin: true }

describe('writes that no status tells of', () => {
  const fork = theFork()

  it('are remembered for forks and twins, the last of each', () => {
    const writes = new UnreportedWrites({ isKnown: () => true })
    writes.noteWrite(KEY, { ...fork, metadata: { ...fork.metadata, generation: 2 } }, FORK)
    writes.noteWrite(KEY, fork, FORK)
    writes.noteWrite(KEY, { ...fork, metadata: { ...fork.metadata, generation: 5 } }, TWIN)
    expect(writes.of(KEY)).to.deep.equal({ uid: 'uid-of-fork', generation: 3 })
    expect(writes.of(`${KEY}/twin`)).to.deep.equal({ uid: 'uid-of-fork', generation: 5 })
  })

  it('are forgotten together', () => {
    const writes = new UnreportedWrites({ isKnown: () => true })
    writes.noteWrite(KEY, fork, FORK)
    writes.noteWrite(KEY, fork, TWIN)
    writes.noteWrite('shop/other', fork, FORK)
    writes.forget(KEY)
    expect([writes.of(KEY), writes.of(`${KEY}/twin`), writes.size]).to.deep.equal([undefined, undefined, 1])
  })

  it('are not remembered for an experiment that is gone', () => {
    const writes = new UnreportedWrites({ isKnown: (key) => key !== KEY })
    writes.noteWrite(KEY, fork, FORK)
    expect(writes.size).to.equal(0)
  })
})
