import { expect } from 'chai'
import type { JsonObject } from '../../common/api/object.ts'
import { mutator } from '../../webhook/mutate.ts'
import { validator } from '../../webhook/validate.ts'
import { answerTo } from '../../webhook/verdict.ts'
import { aDeployment, anExperiment, imageOverride } from '../builders.ts'
import { asked, type Given, other, policy, told, verdict } from './policed.ts'
import { aRequest, aService } from './reviews.ts'

const network = (hostNetwork: boolean): JsonObject => ({ template: { spec: { hostNetwork } } })
const of = (spec: Parameters<typeof anExperiment>[0]) => ({ object: anExperiment(spec) })
const REPLICAS = 'spec.replicas: 5 is more than 3 (policy "limits")'
const NETWORK = 'spec.overrideSpec.template.spec.hostNetwork: may not be changed (policy "limits")'
const denied = { deniedOverridePaths: ['template.spec.hostNetwork'] }

describe('policies, at admission', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'refuse what they deny, all at once': [
      {
        policies: [policy({ maxReplicas: 3, ...denied })],
        request: of({ replicas: 5, overrideSpec: network(true) }),
      },
      NETWORK,
      REPLICAS,
    ],
    'stand beside other mistakes': [
      { policies: [policy({ maxReplicas: 3 })], request: of({ replicas: 5, overrideSpec: { selector: {} } }) },
      'spec.overrideSpec.selector: the experiment selects its pods by a label of its own; remove this',
      REPLICAS,
    ],
    'Two policies give both findings and names.': [
      { policies: [policy({ maxReplicas: 3 }), policy({ maxReplicas: 4 }, 'more')], request: of({ replicas: 5 }) },
      REPLICAS,
      'spec.replicas: 5 is more than 4 (policy "more")',
    ],
    'A missing source is denied where policy says so.': [
      { policies: [policy({ sourceMissing: 'Deny' })], world: [] },
      'spec.sourceRef: no deployment/cart in shop; create it first (policy "limits")',
    ],
    'An old finding on update warns.': [
      {
        policies: [policy(denied)],
        request: {
          ...of({ replicas: 2, overrideSpec: network(true) }),
          oldObject: anExperiment({ overrideSpec: network(true) }),
        },
      },
      `[Policy] ${NETWORK}`,
      "[HostPort] the node's network: a port that is taken there keeps pods from starting",
    ],
    'let an experiment shrink that is larger than they allow': [
      {
        policies: [policy({ maxReplicas: 3 })],
        request: { ...of({ replicas: 5 }), oldObject: anExperiment({ replicas: 9 }) },
      },
      `[Policy] ${REPLICAS}`,
    ],
    'are not by-passed by growth': [
      {
        policies: [policy({ maxReplicas: 3 })],
        request: { ...of({ replicas: 5 }), oldObject: anExperiment({ replicas: 4 }) },
      },
      REPLICAS,
    ],
    'admit nothing while they are not read': [
      { isUnread: true },
      'unchecked: the policies of this cluster could not be checked in time, try again',
    ],
    'do not apply to other namespaces': [
      {
        policies: [policy({ namespaceSelector: { matchLabels: { team: 'b' } }, maxReplicas: 3 })],
        request: of({ replicas: 5 }),
      },
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const lines = (await told(given)).filter((line) => !line.startsWith('[Plan]'))
      expect(lines).to.deep.equal(expected)
    })

  it('Warn admits', async () => {
    const lines = await told({
      policies: [policy({ maxReplicas: 3, validationActions: ['Warn'] })],
      request: of({ replicas: 5 }),
    })
    expect(lines[0]).to.equal(`[Policy] limits: ${REPLICAS}`)
    expect(lines[1]).to.match(/^\[Plan\] creates/)
  })

  it('Audit leaves no values.', async () => {
    const answer = answerTo(
      await verdict({
        policies: [policy({ allowedImages: ['docker.io/library/nginx'], validationActions: ['Audit'] })],
        request: of({ overrideSpec: imageOverride('example/secret-name:1') }),
      }),
    )
    expect(answer).to.deep.include({
      auditAnnotations: { 'policy-findings': 'limits: spec.overrideSpec.template.spec.containers[0].image' },
    })
  })

  const audited = async (given: Given) => {
    const { allowed, auditAnnotations } = answerTo(await verdict(given))
    return { allowed, of: auditAnnotations?.['policy-findings'] }
  }
  const audit = policy({ maxReplicas: 4, validationActions: ['Audit'] }, 'audit')

  it('are audited where they refuse too: those who were refused are asked about most', async () => {
    const both = policy({ maxReplicas: 3, validationActions: ['Deny', 'Audit'] })
    const request = of({ replicas: 5 })
    expect(await audited({ policies: [both], request })).to.deep.equal({ allowed: false, of: 'limits: spec.replicas' })
    const apart = [policy({ maxReplicas: 3 }), audit]
    expect(await audited({ policies: apart, request })).to.deep.equal({ allowed: false, of: 'audit: spec.replicas' })
  })

  it('are audited beside mistakes, and not where there is nothing to audit', async () => {
    const request = of({ replicas: 5, overrideSpec: { selector: {} } })
    const found = await audited({ policies: [audit], request })
    expect(found).to.deep.equal({ allowed: false, of: 'audit: spec.replicas' })
    expect(await audited({ policies: [policy({ maxReplicas: 3 })], request })).to.deep.equal({
      allowed: false,
      of: undefined,
    })
  })

  it('are counted by what they do about it', async () => {
    const actions: string[] = []
    const given: Given = {
      policies: [
        policy({ maxReplicas: 3, ...denied }),
        policy({ maxReplicas: 3, validationActions: ['Warn', 'Audit'] }),
      ],
      request: of({ replicas: 5, overrideSpec: network(true) }),
    }
    await validator({ ...asked(given), ruled: (action) => actions.push(action) })(aRequest(given.request))
    expect(actions.sort()).to.deep.equal(['Audit', 'Deny', 'Deny', 'Warn'])
  })

  it('count those of others, and this one', async () => {
    const policies = [policy({ maxExperimentsPerSource: 2 })]
    expect((await told({ policies, others: [other('one')] }))[0]).to.match(/^\[Plan\] creates/)
    const lines = await told({ policies, others: [other('one'), other('two')] })
    expect(lines).to.have.length(1)
    expect(lines[0]).to.contain('(policy "limits")')
  })

  it('bound the share of the Services', async () => {
    const policies = [policy({ maxShare: '25%' })]
    expect((await told({ policies }))[0]).to.match(/^\[Plan\] creates/) // 1 of 4
    expect((await told({ policies, request: of({ replicas: 2 }) }))[0]).to.contain('25%')
  })

  it('An unchanged hostNetwork is no finding.', async () => {
    const world = [aDeployment({ pod: { hostNetwork: true } }), aService()]
    const lines = await told({ policies: [policy(denied)], world, request: of({ overrideSpec: network(true) }) })
    expect(lines.filter((line) => line.includes('may not be changed'))).to.deep.equal([])
  })

  describe('of a source in another namespace', () => {
    const request = of({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'till' } })
    const share = (...namespaces: readonly string[]) => policy({ allowSourcesFrom: namespaces }, 'share')

    it('are asked for their consent, and tell nothing of what is there', async () => {
      const lines = await told({ request })
      expect(lines).to.deep.equal([
        'spec.sourceRef.namespace: namespace "till" does not share its workloads with "shop"; an ExperimentPolicy on it can, by allowSourcesFrom',
      ])
      expect(await told({ request, world: [] })).to.deep.equal(lines)
    })

    it('let it be forked once they list the namespace, and none leaves it out', async () => {
      expect((await told({ request, policies: [share('shop')] }))[0]).to.contain('in till: 1 pod, from deployment/cart')
      expect((await told({ request, policies: [share('shop'), share('other')] }))[0]).to.contain('does not share')
    })
  })
})

describe('the TTL of policies', () => {
  const patched = async (given: Given) => {
    const answer = await mutator(asked(given))(aRequest(given.request))
    return answer.allowed ? (answer.patch ?? []) : []
  }
  const ttl = { op: 'add', path: '/spec/ttlSeconds' }

  it('The smallest policy TTL wins.', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 }), policy({ defaultTTLSeconds: 30 }, 'less')]
    expect(await patched({ policies })).to.deep.include({ ...ttl, value: 30 })
  })

  it('is no reason to stop anybody where it cannot be read', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    for (const given of [{ policies, isDown: true }, { isUnread: true }])
      expect(JSON.stringify(await patched(given))).to.not.contain('ttlSeconds')
  })

  it('is no bug where the namespace can be none: the CRD comes later', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: '..' }
    expect(await patched({ policies, request: of({ sourceRef }) })).to.deep.equal([])
  })

  it('does not replace what somebody wrote', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    expect(JSON.stringify(await patched({ policies, request: of({ ttlSeconds: 5 }) }))).to.not.contain('ttlSeconds')
  })
})
