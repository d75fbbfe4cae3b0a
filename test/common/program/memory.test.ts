import { expect } from 'chai'
import { releaseMemory } from '../../../common/program/memory.ts'

describe('releaseMemory', () => {
  const original = globalThis.gc
  afterEach(() => {
    if (original) globalThis.gc = original
    else Reflect.deleteProperty(globalThis, 'gc')
  })

  it('asks for a full collection of the last resort', () => {
    const calls: unknown[][] = []
    globalThis.gc = ((...options: unknown[]) => void calls.push(options)) as NonNullable<typeof gc>
    releaseMemory()
    expect(calls).to.deep.equal([[{ type: 'major', flavor: 'last-resort' }]])
  })

  it('does nothing in a process without --expose-gc', () => {
    Reflect.deleteProperty(globalThis, 'gc')
    expect(() => releaseMemory()).not.to.throw()
  })
})
