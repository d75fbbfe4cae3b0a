import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { type JsonObject, objectOr } from '../../common/json/json.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { anExperiment, FORK, imageOverride } from '../builders.ts'
import { aService, aSlice } from './reviews.ts'
import { stored, updated } from './stored.ts'
import { decisionOn, type Given, linesFor, other, policy, WORLD } from './under-policies.ts'

/** An experiment that was created an hour before the review. */
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

describe('the decision under policies, when an expired experiment is to run again', () => {
  const cases: Record<string, Revival> = {
    'counts it as one more of its source': { limits: { maxExperimentsPerSource: 1 }, others: [other('rival')] },
    'counts it as one more of its namespace': { limits: { maxExperimentsPerNamespace: 1 }, others: [other('rival')] },
    'counts its pods as new ones of the Services': { limits: { maxShare: '25%' }, others: [other('rival')] },
    'lets it have no more pods than any other': { limits: { maxReplicas: 3 }, spec: { replicas: 5 } },
    'does not call it smaller, because it had no pods': {
      limits: { maxReplicas: 3 },
      spec: { replicas: 5 },
      was: { replicas: 9 },
    },
    'lets it change no more than any other': {
      limits: { deniedOverridePaths: ['template.spec.hostNetwork'] },
      spec: { overrideSpec: network },
    },
  }
  for (const [sentence, revival] of Object.entries(cases))
    it(sentence, async () => {
      const given = revived(revival)
      const created = { ...given, request: { object: anExperiment({ ...revival.spec, ...ON }) } }
      expect((await decisionOn(given)).is).to.equal('invalid')
      expect(await linesFor(given)).to.deep.equal(await linesFor(created))
    })

  it('lets an expired experiment be changed as long as it stays expired', async () => {
    const request = { object: since11({ ...OVER, replicas: 4 }), oldObject: since11({ ...OVER, replicas: 5 }) }
    const policies = [policy({ maxTTLSeconds: 30, maxReplicas: 3 })]
    const found = await linesFor({ policies, request })
    expect(found).to.include('[Policy] spec.ttlSeconds: must be at most 30, got 60 (policy "limits")')
  })

  it('lets a live experiment be ended sooner, whatever policies say about it', async () => {
    const policies = [policy({ maxTTLSeconds: 30 })]
    const request = { object: since11({ ttlSeconds: 30 }), oldObject: since11(ON) }
    expect((await decisionOn({ policies, request })).is).to.equal('admitted')
    const rivals = { policies: [policy({ maxExperimentsPerSource: 1 })], others: [other('rival')] }
    expect((await decisionOn({ ...rivals, request })).is).to.equal('admitted')
  })

  it('reports a new violation together with an old mistake', async () => {
    const object = anExperiment({ overrideSpec: { ...network, selector: {} } })
    const request = { object, oldObject: anExperiment({ overrideSpec: { selector: {} } }) }
    const policies = [policy({ deniedOverridePaths: ['template.spec.hostNetwork'] })]
    expect(await linesFor({ policies, request })).to.deep.equal([
      'spec.overrideSpec.template.spec.hostNetwork: cannot be changed (policy "limits")',
    ])
  })

  it('refuses what is new behind more known violations than one list has', async () => {
    const env = Array.from({ length: 25 }, (_, index) => ({ name: `V${index}`, value: 'x' }))
    const pod = { containers: [{ name: 'cart', image: 'example/cart:1', env }] }
    const of = (spec: JsonObject) => anExperiment({ overrideSpec: { template: { spec } } })
    const request = { object: of({ ...pod, hostNetwork: true }), oldObject: of(pod) }
    const policies = [policy({ deniedOverridePaths: ['template.spec.**.env', 'template.spec.hostNetwork'] })]
    expect(await linesFor({ policies, request })).to.deep.equal([
      'spec.overrideSpec.template.spec.hostNetwork: cannot be changed (policy "limits")',
    ])
  })

  it('counts the pods of an experiment that is scaled up from zero, because it had no share', async () => {
    const request = { object: anExperiment({ replicas: 2 }), oldObject: anExperiment({ replicas: 0 }) }
    const [line] = await linesFor({ policies: [policy({ maxShare: '25%' })], request })
    expect(line).to.match(/^spec\.replicas: .* at most 25% is allowed/)
  })

  it('lets an experiment that is scaled up from zero keep its place, because it had that all the time', async () => {
    const request = { object: anExperiment({ replicas: 2 }), oldObject: anExperiment({ replicas: 0 }) }
    const policies = [policy({ maxExperimentsPerSource: 1 })]
    expect((await decisionOn({ policies, others: [other('rival')], request })).is).to.equal('admitted')
  })
})

describe('the plan of an experiment that violates a newer policy', () => {
  const of = (image: string, replicas = 3) => ({ replicas, ttlSeconds: 86_400, overrideSpec: imageOverride(image) })
  const { experiment, fork } = stored(of('example/cart:2'))
  const lines = async (
    limits: ExperimentPolicySpec,
    { replicas = 3, others = [], hasFork = true }: Asking = {},
  ): Promise<readonly string[]> => {
    const request = { object: updated(experiment, of('example/cart:3', replicas)), oldObject: experiment }
    const world = hasFork ? [...WORLD, fork] : WORLD
    return linesFor({ policies: [policy(limits)], others, request, world })
  }
  const END = '[Plan] removed 2026-11-22T12:00Z (in 1d)'
  const UPDATES = [
    `[Plan] updates deployment/${FORK} in shop: 3 pods, from deployment/cart`,
    '[Plan] containers[cart].image: example/cart:2 -> example/cart:3',
  ]
  const SHARE = '[Plan] service/cart: about 50% of new connections (3 of 6 endpoints)'
  const TTL = '[Policy] spec.ttlSeconds: must be at most 600, got 86400 (policy "limits")'
  const CHANGES_NOTHING = '[Plan] changes nothing until policies allow it'
  const CREATES_NOTHING = '[Plan] creates nothing until policies allow it'

  it('changes nothing where its content violates the policy', async () => {
    expect(await lines({ maxTTLSeconds: 600 })).to.deep.equal([TTL, CHANGES_NOTHING, END])
    expect(await lines({ maxTTLSeconds: 600 }, { hasFork: false })).to.deep.equal([TTL, CREATES_NOTHING, END])
  })

  it('only gives the fork fewer pods', async () => {
    const fewer = [
      `[Plan] scales deployment/${FORK} down to 2 pods`,
      '[Plan] changes nothing else until policies allow it',
    ]
    expect(await lines({ maxTTLSeconds: 600 }, { replicas: 2 })).to.deep.equal([TTL, ...fewer, END])
    const replicas = '[Policy] spec.replicas: must be at most 1, got 2 (policy "limits")'
    expect(await lines({ maxReplicas: 1 }, { replicas: 2 })).to.deep.equal([replicas, ...fewer, END])
  })

  it('updates a fork whose share is too large, but does not create one', async () => {
    const [finding, ...plan] = await lines({ maxShare: '25%' })
    expect(finding).to.match(/^\[Policy\] spec\.replicas: .* at most 25% is/)
    expect(plan).to.deep.equal([...UPDATES, SHARE, END])
    expect((await lines({ maxShare: '25%' }, { hasFork: false })).slice(1)).to.deep.equal([CREATES_NOTHING, END])
  })

  it('does not let a fork grow whose share is too large', async () => {
    const growing = { policies: [policy({ maxShare: '25%' })], world: [...WORLD, aSmallerFork(fork)] }
    const request = { object: updated(experiment, of('example/cart:3')), oldObject: experiment }
    expect((await linesFor({ ...growing, request })).slice(1)).to.deep.equal([
      '[Plan] changes nothing until policies allow it; the fork keeps 1 pod',
      END,
    ])
  })

  it('updates a fork beyond the limit on their number, but does not create one', async () => {
    const others = [other('rival')]
    const limits = { maxExperimentsPerSource: 1 }
    const [finding, ...plan] = await lines(limits, { others, hasFork: false })
    expect(finding).to.match(/^\[Policy\] spec\.sourceRef: .* at most 1/)
    expect(plan).to.deep.equal([CREATES_NOTHING, END])
    expect((await lines(limits, { others })).slice(-4)).to.deep.equal([...UPDATES, SHARE, END])
  })

  it('changes nothing where it violates several limits', async () => {
    const limits = { maxExperimentsPerSource: 1, maxShare: '25%', maxTTLSeconds: 600 }
    const found = await lines(limits, { others: [other('rival')] })
    expect(found.filter((line) => line.startsWith('[Plan]'))).to.deep.equal([CHANGES_NOTHING, END])
  })

  it('updates the fork where policies only warn', async () => {
    const [, ...plan] = await lines({ maxTTLSeconds: 600, validationActions: ['Warn', 'Audit'] })
    expect(plan).to.deep.equal([...UPDATES, SHARE, END])
  })
})

interface Asking {
  readonly replicas?: number
  readonly others?: readonly ExperimentDeployment[]
  readonly hasFork?: boolean
}

/** `fork` with one pod, as somebody scaled it. */
const aSmallerFork = (fork: KubeObject): KubeObject => ({ ...fork, spec: { ...objectOr(fork.spec), replicas: 1 } })

describe('the decision under policies, where a number becomes smaller and is still too large', () => {
  const policies = [policy({ maxTTLSeconds: 600, maxReplicas: 3 })]
  const asks = async (object: Parameters<typeof anExperiment>[0], oldObject: Parameters<typeof anExperiment>[0]) => {
    const request = { object: anExperiment(object), oldObject: anExperiment(oldObject) }
    return (await decisionOn({ policies, request })).is
  }

  it('lets it end sooner', async () => {
    expect(await asks({ ttlSeconds: 3_600 }, { ttlSeconds: 7_200 })).to.equal('admitted')
    expect(await asks({ ttlSeconds: 3_600 }, {})).to.equal('admitted')
  })

  it('does not let it run for longer', async () => {
    expect(await asks({ ttlSeconds: 7_200 }, { ttlSeconds: 3_600 })).to.equal('invalid')
    expect(await asks({}, { ttlSeconds: 3_600 })).to.equal('invalid')
  })

  it('does not accept a share that a change of the labels makes too large', async () => {
    const world = [...WORLD, aService('admin', { app: 'admin' }), aSlice(['admin-1'], 'admin')]
    const request = {
      object: anExperiment({ replicas: 2, overrideSpec: { template: { metadata: { labels: { app: 'admin' } } } } }),
      oldObject: anExperiment({ replicas: 3 }),
    }
    const [line, ...others] = await linesFor({ policies: [policy({ maxShare: '50%' })], world, request })
    expect(line).to.contain('2 of 3 endpoints of service/admin')
    expect(others).to.deep.equal([])
    const both = [policy({ maxShare: '50%', maxReplicas: 1 })]
    expect(await linesFor({ policies: both, world, request })).to.deep.equal([line])
  })

  it('does not accept one number because another became smaller', async () => {
    const before = { ttlSeconds: 7_200, replicas: 5 }
    expect(await asks({ ttlSeconds: 3_600, replicas: 9 }, before)).to.equal('invalid')
  })
})
