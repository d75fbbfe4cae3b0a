import { expect } from 'chai'
import { installedComponents } from '../../../common/program/components.ts'
import { installing } from '../../builders.ts'

describe('the components of an installation', () => {
  it('are absent by default, also where their variables are empty', () => {
    expect(installedComponents({})).to.deep.equal(installing())
    expect(installedComponents({ PROMOTION: '', GATE: 'disabled', CUT_OVER: '' })).to.deep.equal(installing())
  })

  it('have a variable each', () => {
    expect(installedComponents({ PROMOTION: 'enabled' })).to.deep.equal(installing('promotion'))
    expect(installedComponents({ GATE: 'enabled' })).to.deep.equal(installing('gate'))
    expect(installedComponents({ ANALYSIS: 'enabled' })).to.deep.equal(installing('analysis'))
    expect(installedComponents({ GATE: 'enabled', CUT_OVER: 'enabled' })).to.deep.equal(installing('gate', 'cutOver'))
  })

  it('refuse a cut-over without a gate', () => {
    expect(() => installedComponents({ CUT_OVER: 'enabled' })).to.throw(
      'GATE must be enabled with CUT_OVER, found "disabled"',
    )
  })

  for (const name of ['PROMOTION', 'GATE', 'CUT_OVER', 'ANALYSIS'])
    it(`names ${name}, its choices and its value`, () =>
      expect(() => installedComponents({ [name]: 'yes' })).to.throw(
        `${name} must be one of enabled, disabled, found "yes"`,
      ))
})
