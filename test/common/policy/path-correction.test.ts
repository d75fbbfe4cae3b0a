import { expect } from 'chai'
import { patternSteps } from '../../../common/override/path.ts'
import { correctionOf, longestMatch, patternText } from '../../../common/policy/path-correction.ts'
import { DEPLOYMENT, STATEFUL_SET } from './kind-shapes.ts'

const ROOTS = [DEPLOYMENT, STATEFUL_SET].flatMap(({ shape }) => shape ?? [])
const stepsOf = (pattern: string) => patternSteps(pattern) ?? []
const corrected = (pattern: string) => {
  const found = correctionOf(stepsOf(pattern), ROOTS)
  return found && patternText(found)
}

describe('S10: the correction of a path', () => {
  it('S10: writes a pattern as it was', () => {
    for (const pattern of ['**.a', 'a.{b,c}[*][+][x]["y.z/w"].*'])
      expect(patternText(stepsOf(pattern))).to.equal(pattern)
  })

  it('S10: is what one kind has, if the others do not', () => {
    expect(corrected('serviceNmae')).to.equal('serviceName')
    expect(corrected('strategy.rollingUpdate.maxSruge')).to.equal('strategy.rollingUpdate.maxSurge')
  })

  it('S10: corrects up to three steps, and gives up if the path still matches nothing', () => {
    expect(corrected('tempalte.sepc.hostPdi')).to.equal('template.spec.hostPID')
    expect(corrected('tempalte.sepc.containers.iamge')).to.equal(undefined)
    expect(corrected('nothing.like.it')).to.equal(undefined)
  })

  it('S10: starts from the place that the most steps reach in any kind', () => {
    expect(longestMatch(stepsOf('updateStrategy.rollingUpdate.x'), ROOTS).matched).to.equal(2)
  })
})
