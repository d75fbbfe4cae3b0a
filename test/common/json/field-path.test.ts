import { expect } from 'chai'
import {
  childOf,
  formatPath,
  formatStep,
  ROOT,
  shortened,
  showValue,
  stepsTo,
} from '../../../common/json/field-path.ts'

describe('formatPath', () => {
  it('writes a path as users write it', () => {
    expect(formatPath('spec', ['containers', 0, 'labels', 'a.b/c'])).to.equal('spec.containers[0].labels["a.b/c"]')
  })

  it('shows at most 256 characters of it', () => {
    const path = Array.from({ length: 100 }, () => 'abcdef')
    expect(formatPath('spec', path)).to.have.length(256)
  })
})

describe('shortened', () => {
  it('leaves a path of 256 characters as it is', () => {
    const path = 'a'.repeat(256)
    expect(shortened(path)).to.equal(path)
  })

  it('cuts the middle out of a longer path and keeps both ends', () => {
    expect(shortened(`${'a'.repeat(200)}${'b'.repeat(200)}`)).to.equal(`${'a'.repeat(160)}...${'b'.repeat(93)}`)
  })
})

describe('formatStep', () => {
  const cases: Record<string, string | number> = {
    '.image': 'image',
    '.image-pull': 'image-pull',
    '[0]': 0,
    '["0"]': '0',
    '["a.b/c"]': 'a.b/c',
    '["say \\"hi\\""]': 'say "hi"',
    '[""]': '',
  }
  for (const [text, step] of Object.entries(cases))
    it(`writes ${JSON.stringify(step)} as ${text}`, () => expect(formatStep(step)).to.equal(text))
})

describe('showValue', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['30s', '"30s"'],
    [3, '3'],
    [null, 'null'],
    [[1, 2], 'a list of 2'],
    [{ a: 1 }, 'an object'],
    [undefined, 'nothing'],
    ['x'.repeat(100), `"${'x'.repeat(56)}...`],
  ]
  for (const [value, text] of cases) it(`shows ${text}`, () => expect(showValue(value)).to.equal(text))
})

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
