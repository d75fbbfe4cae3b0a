import { expect } from 'chai'
import { overrideEffect } from '../../../common/override/changes.ts'
import { NO_SHAPE, type Shape } from '../../../common/override/shape.ts'
import { aDeployment } from '../../builders.ts'

describe('overrideEffect', () => {
  const plain = aDeployment({ spec: { minReadySeconds: 1 } })
  const changed = aDeployment({ spec: { minReadySeconds: 2 } })

  it('returns the changes between the two specs', () => {
    const { changes, ...rest } = overrideEffect({ plain, changed, shape: NO_SHAPE })
    expect(rest).to.deep.equal({ plain, changed, shape: NO_SHAPE })
    expect(changes()).to.deep.equal([{ path: [{ is: 'member', key: 'minReadySeconds' }], before: 1, after: 2 }])
  })

  it('ignores metadata', () => {
    const renamed = { ...plain, metadata: { ...plain.metadata, name: 'other' } }
    expect(overrideEffect({ plain, changed: renamed, shape: NO_SHAPE }).changes()).to.deep.equal([])
  })

  it('compares at the first call only', () => {
    let reads = 0
    const counting: Shape = {
      ...NO_SHAPE,
      member: () => {
        reads += 1
        return NO_SHAPE
      },
    }
    const { changes } = overrideEffect({ plain, changed, shape: counting })
    expect(reads).to.equal(0)
    const first = changes()
    const readsOfFirst = reads
    expect(readsOfFirst).to.be.above(0)
    expect(changes()).to.equal(first)
    expect(reads).to.equal(readsOfFirst)
  })
})
