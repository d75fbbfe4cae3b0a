import { expect } from 'chai'
import type { JsonObject } from '../../common/json/json.ts'
import { answerForDecision } from '../../webhook/review/decision.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, FORK, imageOverride } from '../builders.ts'
import { inNamespace } from './a-decoded-request.ts'
import { aRequest, aService, linesOf } from './reviews.ts'
import { decisionOn, depsOf, type Given, linesFor, other, policy } from './under-policies.ts'

const network = (hostNetwork: boolean): JsonObject => ({ template: { spec: { hostNetwork } } })
const of = (spec: Parameters<typeof anExperiment>[0]) => ({ object: anExperiment(spec) })
const REPLICAS = 'spec.replicas: must be at most 3, got 5 (policy "limits")'
const NETWORK = 'spec.overrideSpec.template.spec.hostNetwork: cannot be changed (policy "limits")'
const denied = { deniedOverridePaths: ['template.spec.hostNetwork'] }

describe('the decision under policies', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'refuses everything that they deny, all at once': [
      {
        policies: [policy({ maxReplicas: 3, ...denied })],
        request: of({ replicas: 5, overrideSpec: network(true) }),
      },
      NETWORK,
      REPLICAS,
    ],
    'reports their findings beside other mistakes': [
      { policies: [policy({ maxReplicas: 3 })], request: of({ replicas: 5, overrideSpec: { selector: {} } }) },
      'spec.overrideSpec.selector: the fork has its own selector; remove this',
      REPLICAS,
    ],
    'Two policies give both findings and names.': [
      { policies: [policy({ maxReplicas: 3 }), policy({ maxReplicas: 4 }, 'more')], request: of({ replicas: 5 }) },
      REPLICAS,
      'spec.replicas: must be at most 4, got 5 (policy "more")',
    ],
    'A missing source is denied where policy says so.': [
      { policies: [policy({ sourceMissing: 'Deny' })], world: [] },
      'spec.sourceRef: deployment/cart in namespace shop does not exist; create it first (policy "limits")',
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
      "[HostPort] uses the node's network: pods cannot start on a node where their port is in use",
    ],
    'lets an experiment shrink that is larger than they allow': [
      {
        policies: [policy({ maxReplicas: 3 })],
        request: { ...of({ replicas: 5 }), oldObject: anExperiment({ replicas: 9 }) },
      },
      `[Policy] ${REPLICAS}`,
    ],
    'refuses growth beyond them': [
      {
        policies: [policy({ maxReplicas: 3 })],
        request: { ...of({ replicas: 5 }), oldObject: anExperiment({ replicas: 4 }) },
      },
      REPLICAS,
    ],
    'admits nothing while they have not been read': [
      { isUnread: true },
      'unchecked: the policies of this cluster could not be checked in time, try again',
    ],
    'does not apply those of other namespaces': [
      {
        policies: [policy({ namespaceSelector: { matchLabels: { team: 'b' } }, maxReplicas: 3 })],
        request: of({ replicas: 5 }),
      },
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const lines = (await linesFor(given)).filter((line) => !line.startsWith('[Plan]'))
      expect(lines).to.deep.equal(expected)
    })

  it('M7: admits where they only warn, and names the policy once', async () => {
    const lines = await linesFor({
      policies: [policy({ maxReplicas: 3, validationActions: ['Warn'] })],
      request: of({ replicas: 5 }),
    })
    expect(lines[0]).to.equal(`[Policy] ${REPLICAS}`)
    expect(lines[1]).to.match(/^\[Plan\] creates/)
  })

  it('Audit leaves no values.', async () => {
    const answer = answerForDecision(
      await decisionOn({
        policies: [policy({ allowedImages: ['docker.io/library/nginx'], validationActions: ['Audit'] })],
        request: of({ overrideSpec: imageOverride('example/secret-name:1') }),
      }),
    )
    expect(answer).to.deep.include({
      auditAnnotations: { 'policy-findings': 'limits: spec.overrideSpec.template.spec.containers[0].image' },
    })
  })

  const audited = async (given: Given) => {
    const { allowed, auditAnnotations } = answerForDecision(await decisionOn(given))
    return { allowed, of: auditAnnotations?.['policy-findings'] }
  }
  const audit = policy({ maxReplicas: 4, validationActions: ['Audit'] }, 'audit')

  it('audits what is refused too, because auditors ask about refusals most', async () => {
    const both = policy({ maxReplicas: 3, validationActions: ['Deny', 'Audit'] })
    const request = of({ replicas: 5 })
    expect(await audited({ policies: [both], request })).to.deep.equal({ allowed: false, of: 'limits: spec.replicas' })
    const apart = [policy({ maxReplicas: 3 }), audit]
    expect(await audited({ policies: apart, request })).to.deep.equal({ allowed: false, of: 'audit: spec.replicas' })
  })

  it('audits beside mistakes, and not where there is nothing to audit', async () => {
    const request = of({ replicas: 5, overrideSpec: { selector: {} } })
    const found = await audited({ policies: [audit], request })
    expect(found).to.deep.equal({ allowed: false, of: 'audit: spec.replicas' })
    expect(await audited({ policies: [policy({ maxReplicas: 3 })], request })).to.deep.equal({
      allowed: false,
      of: undefined,
    })
  })

  it('counts findings by their action', async () => {
    const actions: string[] = []
    const given: Given = {
      policies: [
        policy({ maxReplicas: 3, ...denied }),
        policy({ maxReplicas: 3, validationActions: ['Warn', 'Audit'] }),
      ],
      request: of({ replicas: 5, overrideSpec: network(true) }),
    }
    await validator({ ...depsOf(given), onFinding: (action) => actions.push(action) })(aRequest(given.request))
    expect(actions.sort()).to.deep.equal(['Audit', 'Deny', 'Deny', 'Warn'])
  })

  it('counts the other experiments and this one', async () => {
    const policies = [policy({ maxExperimentsPerSource: 2 })]
    expect((await linesFor({ policies, others: [other('one')] }))[0]).to.match(/^\[Plan\] creates/)
    const lines = await linesFor({ policies, others: [other('one'), other('two')] })
    expect(lines).to.have.length(1)
    expect(lines[0]).to.contain('(policy "limits")')
  })

  it('limits the share of the Services', async () => {
    const policies = [policy({ maxShare: '25%' })]
    expect((await linesFor({ policies }))[0]).to.match(/^\[Plan\] creates/) // 1 of 4
    expect((await linesFor({ policies, request: of({ replicas: 2 }) }))[0]).to.contain('25%')
  })

  it('judges share and content also while there is no schema', async () => {
    const policies = [policy({ maxShare: '25%', ...denied })]
    const request = of({ replicas: 2, overrideSpec: network(true) })
    const deps = { ...depsOf({ policies }), schemas: { schemaOf: () => undefined } }
    const lines = linesOf(await validator(deps)(aRequest(request)))
    expect(lines[0]).to.equal(NETWORK)
    expect(lines[1]).to.match(/^spec\.replicas: .* at most 25% is allowed/)
  })

  it('An unchanged hostNetwork is no finding.', async () => {
    const world = [aDeployment({ pod: { hostNetwork: true } }), aService()]
    const lines = await linesFor({ policies: [policy(denied)], world, request: of({ overrideSpec: network(true) }) })
    expect(lines.filter((line) => line.includes('may not be changed'))).to.deep.equal([])
  })

  describe('M11: an override that Merge makes replace a list', () => {
    const container = { env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }], command: ['run'] }
    const world = [aDeployment({ container })]
    const onlyImages = policy({ allowedOverridePaths: ['template.spec.containers[*].image'] })
    const image = { name: 'cart', image: 'cart:2' }
    const linesOn = (containers: readonly JsonObject[], of: JsonObject = {}) =>
      linesFor({
        policies: [onlyImages],
        world,
        request: { object: anExperiment({ overrideSpec: { template: { spec: { containers } } }, ...of }) },
      })

    it('M11: gets one line for the list, with the remedy', async () => {
      expect(await linesOn([image])).to.deep.equal([
        'spec.overrideSpec.template.spec.containers: Merge replaces the whole list, which changes ' +
          '[0].env[A], [0].ports[80] and 1 more; use overrideType: Strategic, which keeps what the override leaves out ' +
          '(policy "limits")',
      ])
    })

    it('M11: is admitted with that remedy', async () => {
      const lines = await linesOn([image], { overrideType: 'Strategic' })
      expect(lines.filter((line) => line.includes('policy'))).to.deep.equal([])
      expect(lines.join()).to.contain('[Plan] creates')
    })

    it('M11: gets a line of its own for each path that it writes itself', async () => {
      const env = [{ name: 'A', value: '2' }]
      expect(await linesOn([{ ...image, env }])).to.deep.equal([
        'spec.overrideSpec.template.spec.containers: Merge replaces the whole list, which changes ' +
          '[0].ports[80], [0].command[0]; use overrideType: Strategic, which keeps what the override leaves out ' +
          '(policy "limits")',
        'spec.overrideSpec.template.spec.containers[0].env[0].value: cannot be changed; allowed paths: ' +
          'template.spec.containers[*].image (policy "limits")',
      ])
    })

    it('M11: is admitted as before if its list already did that when the policy came', async () => {
      const stored = (image: string) =>
        anExperiment({ overrideSpec: { template: { spec: { containers: [{ name: 'cart', image }] } } } })
      const lines = await linesFor({
        policies: [onlyImages],
        world,
        request: { object: stored('cart:3'), oldObject: stored('cart:2') },
      })
      expect(lines.filter((line) => line.startsWith('[Policy]'))).to.have.length(1)
    })
  })

  describe('for a source in another namespace', () => {
    const request = of({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'till' } })
    const share = (...namespaces: readonly string[]) => policy({ allowSourcesFrom: namespaces }, 'share')
    const world = [aDeployment(), aService()].map((each) => inNamespace('till', each))

    it('needs consent, and reveals nothing about the source without it', async () => {
      const lines = await linesFor({ request, world })
      expect(lines).to.deep.equal([
        'spec.sourceRef.namespace: namespace "till" does not share its workloads with "shop"; an ExperimentPolicy for it can, with allowSourcesFrom',
      ])
      expect(await linesFor({ request, world: [] })).to.deep.equal(lines)
    })

    it('is admitted once every policy that shares it lists the namespace', async () => {
      expect((await linesFor({ request, world, policies: [share('shop')] })).slice(0, 2)).to.deep.equal([
        '[Plan] adds a finalizer to expd/faster-cart',
        `[Plan] creates deployment/${FORK} in till: 1 pod, from deployment/cart`,
      ])
      expect((await linesFor({ request, world, policies: [share('shop'), share('other')] }))[0]).to.contain(
        'does not share',
      )
    })
  })
})
