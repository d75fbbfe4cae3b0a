import { expect } from 'chai'
import { describe, it } from 'mocha'
import { defaultsPatch } from '../../webhook/default.ts'

const ALL = { replicas: 2, overrideType: 'Merge', onSourceChange: 'Follow' }

describe('defaultsPatch', () => {
  it('adds what is missing', () => {
    expect(defaultsPatch({ spec: { overrideSpec: {}, replicas: 2 } })).to.have.deep.members([
      { op: 'add', path: '/spec/overrideType', value: 'Merge' },
      { op: 'add', path: '/spec/onSourceChange', value: 'Follow' },
    ])
  })

  it('is empty where nothing is missing, so that doing it twice equals once', () => {
    expect(defaultsPatch({ spec: ALL })).to.deep.equal([])
  })

  it('keeps a zero, which is no absence', () => {
    expect(defaultsPatch({ spec: { ...ALL, replicas: 0 } })).to.deep.equal([])
  })

  it('has nothing to say about an object without a spec', () => {
    for (const spec of [undefined, null, 'x', []]) expect(defaultsPatch({ spec })).to.deep.equal([])
  })

  it('never looks into overrideSpec', () => {
    const spec = {
      ...ALL,
      get overrideSpec(): never {
        throw new Error('looked')
      },
    }
    expect(defaultsPatch({ spec })).to.deep.equal([])
  })
})
