import { expect } from 'chai'
import { WrittenStatuses } from '../../../controller/memory/written-statuses.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('the statuses that were written', () => {
  it('are known by their value, the last one of each key', () => {
    const written = new WrittenStatuses(new VirtualTime())
    expect(written.has('a/b', { replicas: 1 })).to.equal(false)
    written.noteWrite('a/b', { replicas: 1 })
    expect([1, 2].map((replicas) => written.has('a/b', { replicas }))).to.deep.equal([true, false])
    written.noteWrite('a/b', { replicas: 2 })
    expect([1, 2].map((replicas) => written.has('a/b', { replicas }))).to.deep.equal([false, true])
    expect([written.has('a/c', { replicas: 2 }), written.has('a/b', undefined)]).to.deep.equal([false, false])
  })

  it('are forgotten after two minutes', async () => {
    const time = new VirtualTime()
    const written = new WrittenStatuses(time)
    for (const key of ['a/1', 'a/2', 'a/3']) {
      written.noteWrite(key, {})
      await time.pass(60_000)
    }
    written.noteWrite('a/4', {})
    expect([written.size, written.has('a/1', {}), written.has('a/3', {})]).to.deep.equal([2, false, true])
    written.forget('a/3')
    expect([written.size, written.has('a/3', {})]).to.deep.equal([1, false])
  })
})
