import { expect } from 'chai'
import { formatPath } from '../../../common/json/field-path.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { valueErrors } from '../../../common/pod/value-errors.ts'
import { aSpec } from '../../value-cases/case.ts'

describe('the rules of Argo on the strategy of a Rollout', () => {
  const told = (patch: JsonObject) =>
    valueErrors('Rollout', aSpec('Deployment', patch), {
      overrideType: 'Merge',
      sourceContainers: () => ['cart'],
    }).map(({ path, message }) => `${formatPath('', path).slice(1)}: ${message}`)
  const canary = (of: JsonObject) => told({ strategy: { canary: of } })

  it('need a canary, which may be empty', () => {
    const lacking = 'must be set, because a Rollout without a strategy gets no pods; set it to {}'
    expect(canary({})).to.deep.equal([])
    expect(told({})).to.deep.equal([`strategy.canary: ${lacking}`])
    expect(told({ strategy: {} })).to.deep.equal([`strategy.canary: ${lacking}`])
  })

  it('allow nothing in it that needs traffic routing', () => {
    const routing = 'needs traffic routing, which a fork cannot have; remove this'
    expect(canary({ dynamicStableScale: false, steps: [{ setWeight: 10 }, { pause: {} }] })).to.deep.equal([])
    const steps = [{ setWeight: 10 }, { setCanaryScale: {} }, { setHeaderRoute: {} }, { setMirrorRoute: {} }]
    expect(canary({ dynamicStableScale: true, scaleDownDelaySeconds: 0, steps })).to.deep.equal([
      `strategy.canary.dynamicStableScale: ${routing}`,
      `strategy.canary.scaleDownDelaySeconds: ${routing}`,
      `strategy.canary.steps[1].setCanaryScale: ${routing}`,
      `strategy.canary.steps[2].setHeaderRoute: ${routing}`,
      `strategy.canary.steps[3].setMirrorRoute: ${routing}`,
    ])
  })
})
