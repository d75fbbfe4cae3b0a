import { expect } from 'chai'
import type { JsonObject } from '../../common/api/object.ts'
import type { ExperimentPolicySpec } from '../../common/api/policy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { anExperiment, FORK, imageOverride } from '../builders.ts'
import { type Given, other, policy, told, verdict } from './policed.ts'

/** Created an hour before the review. */
const since11 = (spec: Parameters<typeof anExperiment>[0]) =>
  anExperiment({ ...spec, metadata: { creationTimestamp: '2026-11-21T11:00:00Z' } })
const OVER = { ttlSeconds: 60 }
const ON = { ttlSeconds: 86_400 }

interface Revival {
  readonly limits: ExperimentPolicySpec
  readonly spec?: Parameters<typeof anExperiment>[0]
  readonly was?: Parameters<typeof anExperiment>[0]
  readonly others?: readonly ExperimentDeployment[]
}

const revived = ({ limits, spec = {}, was = spec, others = [] }: Revival): Given => ({
  policies: [policy(limits)],
  others,
  request: { object: since11({ ...spec, ...ON }), oldObject: since11({ ...was, ...OVER }) },
})
const network: JsonObject = { template: { spec: { hostNetwork: true } } }

describe('policies, at the revival of what was over', () => {
  const cases: Record<string, Revival> = {
    'count it as one more of its source': { limits: { maxExperimentsPerSource: 1 }, others: [other('rival')] },
    'count it as one more of its namespace': { limits: { maxExperimentsPerNamespace: 1 }, others: [other('rival')] },
    'count its pods as new ones of the Services': { limits: { maxShare: '25%' }, others: [other('rival')] },
    'let it have no more pods than any other': { limits: { maxReplicas: 3 }, spec: { replicas: 5 } },
    'do not take it for smaller: it had no pods': {
      limits: { maxReplicas: 3 },
      spec: { replicas: 5 },
      was: { replicas: 9 },
    },
    'let it change no more than any other': {
      limits: { deniedOverridePaths: ['template.spec.hostNetwork'] },
      spec: { overrideSpec: network },
    },
  }
  for (const [sentence, revival] of Object.entries(cases))
    it(sentence, async () => {
      const given = revived(revival)
      const made = { ...given, request: { object: anExperiment({ ...revival.spec, ...ON }) } }
      expect((await verdict(given)).is).to.equal('invalid')
      expect(await told(given)).to.deep.equal(await told(made))
    })

  it('let what is over be changed, and stay over', async () => {
    const request = { object: since11({ ...OVER, replicas: 4 }), oldObject: since11({ ...OVER, replicas: 5 }) }
    const policies = [policy({ maxTTLSeconds: 30, maxReplicas: 3 })]
    const found = await told({ policies, request })
    expect(found).to.include('[Policy] spec.ttlSeconds: 60 is more than 30 (policy "limits")')
  })

  it('let what goes on be ended sooner, whatever they say of it', async () => {
    const policies = [policy({ maxTTLSeconds: 30 })]
    const request = { object: since11({ ttlSeconds: 30 }), oldObject: since11(ON) }
    expect((await verdict({ policies, request })).is).to.equal('admitted')
    const rivals = { policies: [policy({ maxExperimentsPerSource: 1 })], others: [other('rival')] }
    expect((await verdict({ ...rivals, request })).is).to.equal('admitted')
  })

  it('are not kept from what is new by a mistake that is old', async () => {
    const object = anExperiment({ overrideSpec: { ...network, selector: {} } })
    const request = { object, oldObject: anExperiment({ overrideSpec: { selector: {} } }) }
    const policies = [policy({ deniedOverridePaths: ['template.spec.hostNetwork'] })]
    expect(await told({ policies, request })).to.deep.equal([
      'spec.overrideSpec.template.spec.hostNetwork: may not be changed (policy "limits")',
    ])
  })

  it('count the pods of what is scaled from none: it had no share', async () => {
    const request = { object: anExperiment({ replicas: 2 }), oldObject: anExperiment({ replicas: 0 }) }
    const [line] = await told({ policies: [policy({ maxShare: '25%' })], request })
    expect(line).to.match(/^spec\.replicas: .* more than 25%/)
  })

  it('let what is scaled from none keep its place: it had that all the time', async () => {
    const request = { object: anExperiment({ replicas: 2 }), oldObject: anExperiment({ replicas: 0 }) }
    const policies = [policy({ maxExperimentsPerSource: 1 })]
    expect((await verdict({ policies, others: [other('rival')], request })).is).to.equal('admitted')
  })
})

describe('policies that came later, and the plan', () => {
  const stored = (replicas: number, image: string) =>
    anExperiment({ replicas, ttlSeconds: 86_400, overrideSpec: imageOverride(image) })
  const lines = async (limits: ExperimentPolicySpec, replicas = 3, others: readonly ExperimentDeployment[] = []) => {
    const request = { object: stored(replicas, 'example/cart:3'), oldObject: stored(3, 'example/cart:2') }
    return told({ policies: [policy(limits)], others, request })
  }
  const END = '[Plan] removed 2026-11-22T12:00Z (in 1d)'
  const UPDATES = [
    `[Plan] updates deployment/${FORK} in shop: 3 pods, from deployment/cart`,
    '[Plan] containers[cart].image: example/cart:2 -> example/cart:3',
  ]
  const SHARE = '[Plan] service/cart: about 50% of new connections (3 of 6 endpoints)'
  const TTL = '[Policy] spec.ttlSeconds: 86400 is more than 600 (policy "limits")'

  it('say that nothing comes of a change, for its terms are not theirs', async () => {
    const found = await lines({ maxTTLSeconds: 600 })
    expect(found).to.deep.equal([TTL, '[Plan] nothing is made or changed until policies allow it', END])
  })

  it('say that only fewer pods come of a change', async () => {
    const fewer = '[Plan] keeps at most 2 pods; nothing else is made or changed until policies allow it'
    expect(await lines({ maxTTLSeconds: 600 }, 2)).to.deep.equal([TTL, fewer, END])
    const replicas = '[Policy] spec.replicas: 2 is more than 1 (policy "limits")'
    expect(await lines({ maxReplicas: 1 }, 2)).to.deep.equal([replicas, fewer, END])
  })

  it('keep what has its share from growing, and from being made, but not from change', async () => {
    const [finding, ...plan] = await lines({ maxShare: '25%' })
    expect(finding).to.match(/^\[Policy\] spec\.replicas: .* more than 25%/)
    const unless = '[Plan] if it is not there yet or has to grow, nothing is made or changed until policies allow it'
    expect(plan).to.deep.equal([...UPDATES, unless, SHARE, END])
  })

  it('keep what has its place from being made, but not from change', async () => {
    const [finding, ...plan] = await lines({ maxExperimentsPerSource: 1 }, 3, [other('rival')])
    expect(finding).to.match(/^\[Policy\] spec\.sourceRef: .* at most 1/)
    expect(plan).to.deep.equal([
      ...UPDATES,
      '[Plan] if it is not there yet, it is not made until policies allow it',
      SHARE,
      END,
    ])
  })

  it('say the most that they keep it from', async () => {
    const rivals = [other('rival')]
    const found = await lines({ maxExperimentsPerSource: 1, maxShare: '25%', maxTTLSeconds: 600 }, 3, rivals)
    expect(found.filter((line) => line.startsWith('[Plan]'))).to.deep.equal([
      '[Plan] nothing is made or changed until policies allow it',
      END,
    ])
  })

  it('keep nothing from happening where they only warn', async () => {
    const [, ...plan] = await lines({ maxTTLSeconds: 600, validationActions: ['Warn', 'Audit'] })
    expect(plan).to.deep.equal([...UPDATES, SHARE, END])
  })
})

describe('policies, where a number becomes smaller and is still too large', () => {
  const policies = [policy({ maxTTLSeconds: 600, maxReplicas: 3 })]
  const asks = async (object: Parameters<typeof anExperiment>[0], oldObject: Parameters<typeof anExperiment>[0]) => {
    const request = { object: anExperiment(object), oldObject: anExperiment(oldObject) }
    return (await verdict({ policies, request })).is
  }

  it('let it end sooner', async () => {
    expect(await asks({ ttlSeconds: 3_600 }, { ttlSeconds: 7_200 })).to.equal('admitted')
    expect(await asks({ ttlSeconds: 3_600 }, {})).to.equal('admitted')
  })

  it('let it not go on for longer', async () => {
    expect(await asks({ ttlSeconds: 7_200 }, { ttlSeconds: 3_600 })).to.equal('invalid')
    expect(await asks({}, { ttlSeconds: 3_600 })).to.equal('invalid')
  })

  it('take one number for no excuse for another', async () => {
    const before = { ttlSeconds: 7_200, replicas: 5 }
    expect(await asks({ ttlSeconds: 3_600, replicas: 9 }, before)).to.equal('invalid')
  })
})
