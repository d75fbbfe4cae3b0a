import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import type { ObjectMeta } from '../../../common/api/object.ts'
import type { ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import type { ExperimentPolicySpec, PolicyInput } from '../../../common/policy/policy.ts'
import { anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const P = '(policy "limits")'
const other = (uid: string, { metadata, ...spec }: Partial<ExperimentDeploymentSpec> & Meta = {}) =>
  anExperiment({ metadata: { name: uid, uid, ...metadata }, ...spec })

const step = (index: number) => `spec.strategy.canary.steps[${index}].setWeight`

interface Meta {
  readonly metadata?: Partial<ObjectMeta>
}

const on = (name: string, namespace?: string) => ({
  sourceRef: { kind: 'Deployment', name, ...(namespace === undefined ? {} : { namespace }) },
})

const limits: Record<string, readonly [policy: ExperimentPolicySpec, input: PolicyInput, expected: readonly string[]]> =
  {
    'accepts as many replicas as allowed': [
      { maxReplicas: 3 },
      aPolicyInput({ experiment: anExperiment({ replicas: 3 }) }),
      [],
    ],
    'reports more replicas than allowed': [
      { maxReplicas: 3 },
      aPolicyInput({ experiment: anExperiment({ replicas: 4 }) }),
      [`spec.replicas: must be at most 3, got 4 ${P}`],
    ],
    'counts the pods of a twin': [
      { maxReplicas: 3 },
      aPolicyInput({ experiment: anExperiment({ replicas: 2, analysis: { control: 'Twin' } }) }),
      [`spec.replicas: needs 4 pods with the twin, at most 3 are allowed ${P}`],
    ],
    'accepts as many pods as allowed with those of a twin': [
      { maxReplicas: 4 },
      aPolicyInput({ experiment: anExperiment({ replicas: 2, analysis: { control: 'Twin' } }) }),
      [],
    ],
    'counts absent replicas as one': [
      { maxReplicas: 0 },
      aPolicyInput(),
      [`spec.replicas: must be at most 0, got 1 ${P}`],
    ],
    'accepts the longest lifetime that is allowed': [
      { maxTTLSeconds: 86_400 },
      aPolicyInput({ experiment: anExperiment({ ttlSeconds: 86_400 }) }),
      [],
    ],
    'reports a longer lifetime': [
      { maxTTLSeconds: 86_400 },
      aPolicyInput({ experiment: anExperiment({ ttlSeconds: 172_800 }) }),
      [`spec.ttlSeconds: must be at most 86400, got 172800 ${P}`],
    ],
    'requires a lifetime if lifetimes are limited': [
      { maxTTLSeconds: 86_400 },
      aPolicyInput(),
      [`spec.ttlSeconds: required; set it to at most 86400 ${P}`],
    ],
    'accepts a missing source if the policy only warns': [
      { sourceMissing: 'Warn' },
      aPolicyInput({ isSourceMissing: true, forks: undefined }),
      [],
    ],
    'reports a missing source if the policy denies it': [
      { sourceMissing: 'Deny' },
      aPolicyInput({ isSourceMissing: true, forks: undefined }),
      [`spec.sourceRef: deployment/cart in namespace shop does not exist; create it first ${P}`],
    ],
    'accepts as many experiments of one source as allowed, this one included': [
      { maxExperimentsPerSource: 2 },
      aPolicyInput({ others: [other('a')] }),
      [],
    ],
    'reports too many experiments of one source': [
      { maxExperimentsPerSource: 2 },
      aPolicyInput({ others: [other('a'), other('b', { ...on('cart', 'shop'), metadata: { namespace: 'dev' } })] }),
      [
        `spec.sourceRef: deployment/cart in namespace shop already has 2 experiments, at most 2; delete one first; others: expd/a, 1 elsewhere ${P}`,
      ],
    ],
    'counts only experiments of the same source': [
      { maxExperimentsPerSource: 1 },
      aPolicyInput({
        others: [
          other('a', on('pay')),
          other('b', { sourceRef: { kind: 'StatefulSet', name: 'cart' } }),
          other('c', { metadata: { namespace: 'dev' } }),
          other('d', on('cart', 'dev')),
        ],
      }),
      [],
    ],
    'does not count this experiment': [
      { maxExperimentsPerSource: 1, maxExperimentsPerNamespace: 1 },
      aPolicyInput({ others: [anExperiment()] }),
      [],
    ],
    'counts all experiments of a namespace, of any source': [
      { maxExperimentsPerNamespace: 2 },
      aPolicyInput({
        others: [other('a', on('pay')), other('b', on('cart', 'dev')), other('c', { metadata: { namespace: 'dev' } })],
      }),
      [
        `metadata.namespace: namespace shop already has 2 experiments, at most 2; delete one first; others: expd/a, expd/b ${P}`,
      ],
    ],
    'checks no number that is not known': [
      { maxExperimentsPerNamespace: 0, maxExperimentsPerSource: 0, maxShare: '1%' },
      aPolicyInput({ others: undefined, endpoints: undefined }),
      [],
    ],
    'accepts the largest share that is allowed': [
      { maxShare: '25%' },
      aPolicyInput({ endpoints: [{ service: 'cart', ready: 3 }] }),
      [],
    ],
    'reports a larger share, of the Service where it is largest': [
      { maxShare: '25%' },
      aPolicyInput({
        endpoints: [
          { service: 'all', ready: 9 },
          { service: 'cart', ready: 2 },
        ],
      }),
      [
        `spec.replicas: experiments would have 1 of 3 endpoints of service/cart, at most 25% is allowed; allowed from 3 pods of others ${P}`,
      ],
    ],
    'adds up the pods of twins': [
      { maxShare: '25%' },
      aPolicyInput({
        experiment: anExperiment({ analysis: { control: 'Twin' } }),
        others: [other('a', { replicas: 2, analysis: { control: 'Twin' } })],
        endpoints: [{ service: 'cart', ready: 8 }],
      }),
      [
        `spec.replicas: experiments would have 6 of 14 endpoints of service/cart, at most 25% is allowed; others: expd/a (4 pods); allowed from 18 pods of others ${P}`,
      ],
    ],
    'adds up the pods of all live experiments of the source': [
      { maxShare: '25%' },
      aPolicyInput({
        others: [other('a', { replicas: 2 }), other('b', on('pay'))],
        endpoints: [{ service: 'cart', ready: 8 }],
      }),
      [
        `spec.replicas: experiments would have 3 of 11 endpoints of service/cart, at most 25% is allowed; others: expd/a (2 pods); allowed from 9 pods of others ${P}`,
      ],
    ],
    'counts one pod of each fork and twin behind a Service that selects one pod of each workload': [
      { maxShare: '25%' },
      aPolicyInput({
        experiment: anExperiment({ replicas: 3, analysis: { control: 'Twin' } }),
        others: [other('a', { replicas: 2 })],
        endpoints: [
          { service: 'all', ready: 21 },
          { service: 'first', ready: 2, isOfOnePod: true },
        ],
      }),
      [
        `spec.replicas: experiments would have 3 of 5 endpoints of service/first, at most 25% is allowed; others: expd/a (1 pod); allowed from 9 pods of others ${P}`,
      ],
    ],
    'judges the Service with the largest share, which may have the most endpoints of others': [
      { maxShare: '25%' },
      aPolicyInput({
        experiment: anExperiment({ replicas: 6 }),
        endpoints: [
          { service: 'first', ready: 2, isOfOnePod: true },
          { service: 'all', ready: 4 },
        ],
      }),
      [
        `spec.replicas: experiments would have 6 of 10 endpoints of service/all, at most 25% is allowed; allowed from 18 pods of others ${P}`,
      ],
    ],
    'accepts an experiment without pods, which has no share': [
      { maxShare: '1%' },
      aPolicyInput({
        experiment: anExperiment({ replicas: 0 }),
        others: [other('a')],
        endpoints: [{ service: 'cart', ready: 1 }],
      }),
      [],
    ],
    'accepts a share of 100% if the policy allows it': [
      { maxShare: '100%' },
      aPolicyInput({ endpoints: [{ service: 'cart', ready: 0 }] }),
      [],
    ],
    'judges every step of a strategy, at its field': [
      { maxReplicas: 5 },
      aPolicyInput({
        demands: [
          { field: step(0), pods: 3, open: 3 },
          { field: step(2), pods: 6, open: 6 },
          { field: step(4), pods: 10, open: 10 },
        ],
      }),
      [`${step(2)}: needs 6 pods, at most 5 are allowed ${P}`, `${step(4)}: needs 10 pods, at most 5 are allowed ${P}`],
    ],
    'accepts a step with as many pods as allowed, whatever spec.replicas says': [
      { maxReplicas: 5 },
      aPolicyInput({ experiment: anExperiment({ replicas: 9 }), demands: [{ field: step(0), pods: 5, open: 5 }] }),
      [],
    ],
    'reports spec.replicas in its own words, where a step says no number': [
      { maxReplicas: 5 },
      aPolicyInput({ demands: [{ field: 'spec.replicas', pods: 9, open: 9 }] }),
      [`spec.replicas: must be at most 5, got 9 ${P}`],
    ],
    'says that a promotion needs the pods': [
      { maxReplicas: 4, maxShare: '25%' },
      aPolicyInput({
        demands: [{ field: 'spec.promotion', pods: 5, open: 5, isForPromotion: true }],
        endpoints: [{ service: 'cart', ready: 5 }],
      }),
      [
        `spec.promotion: needs 5 pods for the promotion, at most 4 are allowed ${P}`,
        `spec.promotion: experiments would have 5 of 10 endpoints of service/cart for the promotion, at most 25% is allowed; allowed from 15 pods of others ${P}`,
      ],
    ],
    'reports the share of every step that is too large': [
      { maxShare: '25%' },
      aPolicyInput({
        demands: [
          { field: step(0), pods: 0, open: 0 },
          { field: step(1), pods: 3, open: 3 },
          { field: step(3), pods: 4, open: 4 },
        ],
        endpoints: [{ service: 'cart', ready: 10 }],
      }),
      [
        `${step(3)}: experiments would have 4 of 14 endpoints of service/cart, at most 25% is allowed; allowed from 12 pods of others ${P}`,
      ],
    ],
    'reports a cut-over, which leaves nobody else, whatever the number of pods': [
      { maxShare: '60%' },
      aPolicyInput({
        demands: [{ field: 'spec.strategy.blueGreen', pods: 10, open: 10, onlyOf: 'cart' }],
        endpoints: [{ service: 'cart', ready: 10 }],
      }),
      [
        `spec.strategy.blueGreen: the cut-over gives it all requests of service/cart, at most 60% is allowed; use canary ${P}`,
      ],
    ],
    'allows a cut-over where everything is allowed': [
      { maxShare: '100%' },
      aPolicyInput({ demands: [{ field: 'spec.strategy.blueGreen', pods: 10, open: 10, onlyOf: 'cart' }] }),
      [],
    ],
    'judges no pods while the steps say none': [{ maxReplicas: 0, maxShare: '1%' }, aPolicyInput({ demands: [] }), []],
    'finds no share without a Service': [{ maxShare: '1%' }, aPolicyInput(), []],
  }

describe('brokenPolicyLimits', () => {
  for (const [sentence, [policy, input, expected]] of Object.entries(limits))
    it(sentence, () => expect(findings(policy, input)).to.deep.equal(expected))
})

const UNREAD = [{ name: 'service/big', unread: 'it is longer than 1.5 MiB' }]

describe('the limit of a share where a Service is too large to be read', () => {
  it('N29: does not take an unknown share for none', () => {
    expect(findings({ maxShare: '25%' }, aPolicyInput({ endpoints: [], unread: UNREAD }))).to.deep.equal([
      'spec.replicas: the share of experiments is not known, and at most 25% is allowed; make these smaller: ' +
        'service/big (it is longer than 1.5 MiB) (policy "limits")',
    ])
  })

  it('N29: reports a share that is known to be larger', () => {
    const endpoints = [{ service: 'cart', ready: 2 }]
    const [found] = findings({ maxShare: '25%' }, aPolicyInput({ endpoints, unread: UNREAD }))
    expect(found).to.contain('experiments would have 1 of 3 endpoints of service/cart')
  })

  it('N29: allows a share that is not known where all is allowed', () =>
    expect(findings({ maxShare: '100%' }, aPolicyInput({ endpoints: [], unread: UNREAD }))).to.deep.equal([]))
})

const found = (policy: ExperimentPolicySpec, analysis: AnalysisSpec | undefined, of: Partial<PolicyInput> = {}) =>
  findings(policy, aPolicyInput({ experiment: anExperiment(analysis ? { analysis } : {}), ...of }))

const PROVIDERS = [
  { field: 'spec.analysis.metrics[0].provider', name: 'prometheus' },
  { field: 'spec.analysis.templates[0]', name: 'new-relic' },
]
const NONE = {} // nothing is limited, but for a promotion without proof

describe('the limits of a policy on analyses', () => {
  it('requireAnalysis: refuses an experiment without one', () => {
    const required = 'spec.analysis: required; set it; {} checks only the health of the fork (policy "limits")'
    expect(found({ requireAnalysis: true }, undefined)).to.deep.equal([required])
    expect(found({ requireAnalysis: true }, {})).to.deep.equal([])
    expect(found({ requireAnalysis: false }, undefined)).to.deep.equal([])
    expect(found(NONE, undefined)).to.deep.equal([])
  })

  it('allowedProviders: refuses another one, also of a template', () => {
    const said = (allowedProviders: readonly string[]) => found({ allowedProviders }, {}, { providers: PROVIDERS })
    expect(said(['new-relic', 'prometheus'])).to.deep.equal([])
    expect(said(['prometheus', 'other'])).to.deep.equal([
      'spec.analysis.templates[0]: provider "new-relic" is not allowed; use prometheus or other (policy "limits")',
    ])
    expect(said([])).to.deep.equal([
      'spec.analysis.metrics[0].provider: provider "prometheus" is not allowed; only kubernetes is allowed (policy "limits")',
    ])
    expect(found({ allowedProviders: [] }, {})).to.deep.equal([])
    expect(found(NONE, {}, { providers: PROVIDERS })).to.deep.equal([])
  })

  it('allowTimeoutPromotion: without it nothing is promoted without proof', () => {
    const refused = 'spec.analysis.onTimeout: Promote is not allowed; use RollBack or Keep (policy "limits")'
    expect(found(NONE, { onTimeout: 'Promote' })).to.deep.equal([refused])
    expect(found({ allowTimeoutPromotion: false }, { onTimeout: 'Promote' })).to.deep.equal([refused])
    expect(found({ allowTimeoutPromotion: true }, { onTimeout: 'Promote' })).to.deep.equal([])
    for (const onTimeout of ['RollBack', 'Keep'] as const) expect(found(NONE, { onTimeout })).to.deep.equal([])
  })
})
