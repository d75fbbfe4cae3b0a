import { expect } from 'chai'
import type { KindShape } from '../../../common/policy/unmatched-paths.ts'
import { PolicyValidity } from '../../../controller/policies/policy-validity.ts'
import { aPolicy } from '../../builders.ts'
import { DEPLOYMENT, KINDS, NO_ROLLOUT } from '../../common/policy/kind-shapes.ts'

const denying = (...deniedOverridePaths: readonly string[]) => aPolicy({ deniedOverridePaths })
const worldWith = (kinds: readonly KindShape[]) => {
  const world = { kinds, reads: 0 }
  const validity = new PolicyValidity(() => {
    world.reads += 1
    return world.kinds
  })
  return { world, validity }
}

describe('S10: the validity of a policy', () => {
  it('S10: is True if everything in it can match something', () => {
    const { validity } = worldWith(KINDS)
    expect(validity.conditionOf(denying('template.spec.hostPID'))).to.include({ status: 'True', reason: 'Valid' })
  })

  it('S10: is False if a path matches nothing, and names what is certain only', () => {
    const { validity } = worldWith([DEPLOYMENT, NO_ROLLOUT])
    expect(validity.conditionOf(denying('strategy.canary', 'template.spec.hostPdi'))).to.deep.equal({
      type: 'Valid',
      status: 'False',
      reason: 'NeverMatches',
      message:
        'spec.deniedOverridePaths[1]: "template.spec.hostPdi" matches no field; did you mean "template.spec.hostPID"?',
    })
  })

  it('S10: is Unknown if only a missing kind may have the field, or without any schema', () => {
    const { validity, world } = worldWith([DEPLOYMENT, NO_ROLLOUT])
    expect(validity.conditionOf(denying('strategy.canary'))).to.include({ status: 'Unknown', reason: 'MayNotMatch' })
    world.kinds = [NO_ROLLOUT]
    expect(validity.hasSchemas).to.equal(false)
    expect(validity.conditionOf(denying('strategy.canary'))).to.include({ reason: 'SchemaNotAvailable' })
  })

  it('S10: is found again when a schema was read, and not before', () => {
    const { validity, world } = worldWith([DEPLOYMENT, NO_ROLLOUT])
    const policy = denying('strategy.canary')
    validity.conditionOf(policy)
    const { reads } = world
    validity.conditionOf(policy)
    expect(world.reads).to.equal(reads)
    world.kinds = KINDS
    validity.schemasChanged()
    expect(validity.conditionOf(policy)).to.include({ status: 'True' })
  })

  it('S10: is not remembered of a policy that was deleted', () => {
    const { validity } = worldWith(KINDS)
    const policy = denying('template.spec.hostPID')
    validity.conditionOf(policy)
    expect(validity.size).to.equal(1)
    validity.forget(policy.metadata.name)
    expect(validity.size).to.equal(0)
  })

  it('S10: counts the certain mistakes of all policies', () => {
    const { validity } = worldWith([DEPLOYMENT, NO_ROLLOUT])
    expect(validity.count([denying('spec', 'strategy.canary'), denying('template.x', 'template.y')])).to.equal(3)
  })
})
