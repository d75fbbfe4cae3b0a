import { expect } from 'chai'
import { childOf, ROOT, stepsTo } from '../../../common/json/field-path.ts'

describe('pathOf', () => {
  it('lists all steps from the root', () =>
    expect(stepsTo(childOf(childOf(childOf(ROOT, 'containers'), 0), 'image'))).to.deep.equal([
      'containers',
      0,
      'image',
    ]))

  it('has no steps at the root', () => expect(stepsTo(ROOT)).to.deep.equal([]))
})

describe('childOf', () => {
  it('counts the depth and leaves its parent as it was', () => {
    const parent = childOf(ROOT, 'containers')
    const children = [childOf(parent, 0), childOf(parent, 1)]
    expect([ROOT.depth, parent.depth, ...children.map(({ depth }) => depth)]).to.deep.equal([0, 1, 2, 2])
    expect(children.map(stepsTo)).to.deep.equal([
      ['containers', 0],
      ['containers', 1],
    ])
  })
})
