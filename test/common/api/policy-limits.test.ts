import { expect } from 'chai'
import type { ObjectMeta } from '../../../common/api/object.ts'
import type { ExperimentPolicySpec, Judged } from '../../../common/api/policy.ts'
import type { ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import { anExperiment } from '../../builders.ts'
import { aJudged, told } from './judged.ts'

const P = '(policy "limits")'
const other = (uid: string, { metadata, ...spec }: Partial<ExperimentDeploymentSpec> & Meta = {}) =>
  anExperiment({ metadata: { name: uid, uid, ...metadata }, ...spec })

interface Meta {
  readonly metadata?: Partial<ObjectMeta>
}

const created = (creationTimestamp: string) => ({ metadata: { creationTimestamp } })
const on = (name: string, namespace?: string) => ({
  sourceRef: { kind: 'Deployment', name, ...(namespace === undefined ? {} : { namespace }) },
})

const limits: Record<string, readonly [policy: ExperimentPolicySpec, judged: Judged, findings: readonly string[]]> = {
  'lets replicas reach their bound': [{ maxReplicas: 3 }, aJudged({ experiment: anExperiment({ replicas: 3 }) }), []],
  'tells of replicas beyond it': [
    { maxReplicas: 3 },
    aJudged({ experiment: anExperiment({ replicas: 4 }) }),
    [`spec.replicas: 4 is more than 3 ${P}`],
  ],
  'counts replicas that are not given as one': [
    { maxReplicas: 0 },
    aJudged(),
    [`spec.replicas: 1 is more than 0 ${P}`],
  ],
  'lets a lifetime reach its bound': [
    { maxTTLSeconds: 86_400 },
    aJudged({ experiment: anExperiment({ ttlSeconds: 86_400 }) }),
    [],
  ],
  'tells of a lifetime beyond it': [
    { maxTTLSeconds: 86_400 },
    aJudged({ experiment: anExperiment({ ttlSeconds: 172_800 }) }),
    [`spec.ttlSeconds: 172800 is more than 86400 ${P}`],
  ],
  'wants a lifetime where there is a bound': [
    { maxTTLSeconds: 86_400 },
    aJudged(),
    [`spec.ttlSeconds: required here; at most 86400 ${P}`],
  ],
  'lets a source come later': [{ sourceMissing: 'Warn' }, aJudged({ isSourceMissing: true, forks: undefined }), []],
  'wants the source first if a policy says so': [
    { sourceMissing: 'Deny' },
    aJudged({ isSourceMissing: true, forks: undefined }),
    [`spec.sourceRef: no deployment/cart in shop; create it first ${P}`],
  ],
  'counts this one among those of its source': [{ maxExperimentsPerSource: 2 }, aJudged({ others: [other('a')] }), []],
  'tells of one too many on a source': [
    { maxExperimentsPerSource: 2 },
    aJudged({ others: [other('a'), other('b', { ...on('cart', 'shop'), metadata: { namespace: 'dev' } })] }),
    [`spec.sourceRef: deployment/cart in shop has 2 other experiments; at most 2 ${P}`],
  ],
  'counts only those of the same source': [
    { maxExperimentsPerSource: 1 },
    aJudged({
      others: [
        other('a', on('pay')),
        other('b', { sourceRef: { kind: 'StatefulSet', name: 'cart' } }),
        other('c', { metadata: { namespace: 'dev' } }),
        other('d', on('cart', 'dev')),
      ],
    }),
    [],
  ],
  'counts neither dead ones nor itself': [
    { maxExperimentsPerSource: 1, maxExperimentsPerNamespace: 1 },
    aJudged({
      others: [
        anExperiment(),
        other('a', { ttlSeconds: 3_600, ...created('2026-11-21T11:00:00Z') }),
        other('b', { metadata: { deletionTimestamp: '2026-11-21T11:59:00Z' } }),
      ],
    }),
    [],
  ],
  'counts one that is over in a second': [
    { maxExperimentsPerSource: 1 },
    aJudged({ others: [other('a', { ttlSeconds: 3_601, ...created('2026-11-21T11:00:00Z') })] }),
    [`spec.sourceRef: deployment/cart in shop has 1 other experiment; at most 1 ${P}`],
  ],
  'counts all of a namespace, whatever their source': [
    { maxExperimentsPerNamespace: 2 },
    aJudged({
      others: [other('a', on('pay')), other('b', on('cart', 'dev')), other('c', { metadata: { namespace: 'dev' } })],
    }),
    [`metadata.namespace: shop has 2 other experiments; at most 2 ${P}`],
  ],
  'leaves counts out that are not known': [
    { maxExperimentsPerNamespace: 0, maxExperimentsPerSource: 0, maxShare: '1%' },
    aJudged({ others: undefined, endpoints: undefined }),
    [],
  ],
  'lets a share reach its bound': [{ maxShare: '25%' }, aJudged({ endpoints: [{ service: 'cart', ready: 3 }] }), []],
  'tells of a share beyond it, of the Service where it is largest': [
    { maxShare: '25%' },
    aJudged({
      endpoints: [
        { service: 'all', ready: 9 },
        { service: 'cart', ready: 2 },
      ],
    }),
    [`spec.replicas: 1 of 3 endpoints of service/cart would be experiments', more than 25% ${P}`],
  ],
  'counts the pods of every live experiment of the source towards its share': [
    { maxShare: '25%' },
    aJudged({
      others: [other('a', { replicas: 2 }), other('b', on('pay'))],
      endpoints: [{ service: 'cart', ready: 8 }],
    }),
    [`spec.replicas: 3 of 11 endpoints of service/cart would be experiments', more than 25% ${P}`],
  ],
  'lets an experiment without pods take nothing': [
    { maxShare: '1%' },
    aJudged({
      experiment: anExperiment({ replicas: 0 }),
      others: [other('a')],
      endpoints: [{ service: 'cart', ready: 1 }],
    }),
    [],
  ],
  'lets all requests go to experiments if a policy says so': [
    { maxShare: '100%' },
    aJudged({ endpoints: [{ service: 'cart', ready: 0 }] }),
    [],
  ],
  'knows no share without a Service': [{ maxShare: '1%' }, aJudged(), []],
}

describe('the limits of a policy', () => {
  for (const [sentence, [policy, judged, findings]] of Object.entries(limits))
    it(sentence, () => expect(told(policy, judged)).to.deep.equal(findings))
})
