import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import { brokenRules } from '../../../common/api/rules.ts'
import { baseOf } from '../../../common/workload/base.ts'
import { forkHealth } from '../../../common/workload/health.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { NO_SHAPE } from '../../../common/workload/shape.ts'
import { aDeployment } from '../../builders.ts'

const INSTANCE = 'argo-rollouts.argoproj.io/controller-instance-id'
const HASH = 'rollouts-pod-template-hash'

const aRollout = (spec: JsonObject = {}, status: JsonObject = {}): KubeObject => ({
  ...aDeployment({
    image: 'cart:canary',
    spec: { strategy: { canary: { stableService: 'stable', maxSurge: 1, steps: [{ setWeight: 20 }] } }, ...spec },
    metadata: { annotations: { [INSTANCE]: 'blue', 'rollout.argoproj.io/revision': '4' } },
  }),
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  status,
})

const stableReplicaSet = (
  pod: JsonObject = {},
  of: { readonly owner?: string; readonly ephemeral?: string } = {},
): KubeObject => {
  const { spec } = aDeployment({
    image: 'cart:stable',
    podLabels: { [HASH]: 'abc', role: 'stable', team: 'shop' },
    podAnnotations: { note: 'x', weather: 'fine' },
    pod,
  })
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'cart-abc',
      labels: { [HASH]: 'abc' },
      ...(of.ephemeral ? { annotations: { 'rollout.argoproj.io/ephemeral-metadata': of.ephemeral } } : {}),
      ownerReferences: [
        { apiVersion: 'x', kind: 'Rollout', name: 'cart', uid: of.owner ?? 'uid-of-cart', controller: true },
      ],
    },
    spec,
  }
}

const image = (spec: JsonObject): unknown => JSON.stringify(spec).match(/"image":"([^"]+)"/)?.[1]

const startOf = (source: KubeObject, referents: readonly KubeObject[] = []) =>
  baseOf(rollout, { source, referents, shape: NO_SHAPE })

describe('what a Rollout’s fork starts from', () => {
  it('is the wanted template while nothing serves yet', () => {
    const based = startOf(aRollout())
    expect(based.is === 'base' && [image(based.base.spec), based.base.template]).to.deep.equal([
      'cart:canary',
      'Desired',
    ])
  })

  it('is the template of the stable ReplicaSet, without its hash', () => {
    const based = startOf(aRollout({}, { stableRS: 'abc' }), [stableReplicaSet()])
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect([image(based.base.spec), based.base.template]).to.deep.equal(['cart:stable', 'Stable'])
    expect(JSON.stringify(based.base.spec)).not.to.contain(HASH)
  })

  it('waits for a stable ReplicaSet that is not there, or is another Rollout’s', () => {
    const source = aRollout({}, { stableRS: 'abc' })
    expect(startOf(source).is).to.equal('missing')
    expect(startOf(source, [stableReplicaSet({}, { owner: 'other' })]).is).to.equal('missing')
  })

  it('No ephemeral label or injected anti-affinity is inherited', () => {
    const byHash = {
      labelSelector: { matchExpressions: [{ key: HASH, operator: 'NotIn', values: ['abc'] }] },
      topologyKey: 'h',
    }
    const own = { labelSelector: { matchLabels: { app: 'cart' } }, topologyKey: 'zone' }
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    const affinity = {
      podAntiAffinity: { [required]: [byHash, own], [preferred]: [{ weight: 1, podAffinityTerm: byHash }] },
    }
    const ephemeral = JSON.stringify({ labels: { role: 'stable' }, annotations: { weather: 'fine' } })
    const based = startOf(aRollout({}, { stableRS: 'abc' }), [stableReplicaSet({ affinity }, { ephemeral })])
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect(based.base.spec.template).to.deep.include({
      metadata: { labels: { app: 'cart', team: 'shop' }, annotations: { note: 'x' } },
    })
    expect(JSON.stringify(based.base.spec)).to.contain(
      `"affinity":{"podAntiAffinity":{"${required}":[${JSON.stringify(own)}]}}`,
    )
  })

  it('drops affinity that was Argo’s alone', () => {
    const byHash = { labelSelector: { matchLabels: { [HASH]: 'abc' } }, topologyKey: 'h' }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [byHash] } }
    const based = startOf(aRollout({}, { stableRS: 'abc' }), [stableReplicaSet({ affinity })])
    expect(JSON.stringify(based)).not.to.contain('affinity')
  })

  it('is, of a workloadRef, the template of the object it names', () => {
    const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const source = aRollout({ workloadRef: reference })
    expect(rollout.references(source)).to.have.length(1)
    const based = startOf(source, [aDeployment({ image: 'cart:referred' })])
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect(image(based.base.spec)).to.equal('cart:referred')
    expect(based.base.spec).not.to.have.property('workloadRef')
    const podTemplate = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'cart' },
      template: { spec: { x: 1 } },
    }
    expect(JSON.stringify(startOf(source, [podTemplate]))).to.contain('"x":1')
    expect(startOf(source)).to.deep.include({ is: 'missing' })
    expect(startOf(source, [{ ...podTemplate, template: undefined }])).to.deep.include({ is: 'missing' })
    expect(
      rollout.references(aRollout({ workloadRef: { apiVersion: 'v1', kind: 'Secret', name: 'x' } })),
    ).to.deep.equal([])
  })

  it('keeps of the strategy what every Rollout may have, and the instance id', () => {
    const based = startOf(aRollout())
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect(based.base.spec).to.deep.include({ strategy: { canary: { maxSurge: 1 } } })
    expect(based.base.annotations).to.deep.equal({ [INSTANCE]: 'blue' })
    const blueGreen = startOf(aRollout({ strategy: { blueGreen: { activeService: 'x' } } }))
    expect(blueGreen.is === 'base' && blueGreen.base.spec).to.deep.include({ strategy: { canary: {} } })
  })

  it('never lets an override name a Service, a route or another template', () => {
    const overrideSpec = {
      workloadRef: { name: 'x' },
      strategy: { blueGreen: {}, canary: { canaryService: 'x', trafficRouting: {}, maxSurge: 2 } },
    }
    expect(brokenRules({ overrideSpec }, rollout.bans).map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.workloadRef',
      'spec.overrideSpec.strategy.blueGreen',
      'spec.overrideSpec.strategy.canary.canaryService',
      'spec.overrideSpec.strategy.canary.trafficRouting',
    ])
    expect(brokenRules({ overrideSpec: { strategy: { blueGreen: null } } }, rollout.bans)).to.deep.equal([])
  })

  it('moves with its generation, its stable revision and the object it refers to', () => {
    const pulses = [
      aRollout(),
      aRollout({}, { stableRS: 'abc' }),
      {
        ...aRollout(),
        metadata: { name: 'cart', generation: 1, annotations: { 'rollout.argoproj.io/workload-generation': '2' } },
      },
      { ...aRollout(), metadata: { name: 'cart', generation: 2 } },
    ].map(rollout.pulse)
    expect(new Set(pulses).size).to.equal(4)
    const watched = rollout.watched?.(aRollout({}, { stableRS: 'abc', phase: 'Healthy' }))
    expect(watched && rollout.pulse(watched)).to.equal(pulses[1])
    expect(watched?.spec).to.deep.equal({ workloadRef: undefined })
  })

  it('knows the Services of its strategy', () => {
    expect(rollout.reach.pinnedServices(aRollout())).to.deep.equal(['stable'])
    expect(
      rollout.reach.pinnedServices(aRollout({ strategy: { blueGreen: { activeService: 'a', previewService: 'p' } } })),
    ).to.deep.equal(['a', 'p'])
  })
})

describe('the health of a Rollout', () => {
  it('counts silence from the last write by anybody', () => {
    const managedFields = [
      { manager: 'experiment-controller', operation: 'Apply', time: '2026-11-21T09:00:00Z' },
      { manager: 'kubectl-edit', operation: 'Update', time: '2026-11-21T10:00:00Z' },
      { manager: 'rollouts-controller', operation: 'Update', subresource: 'status', time: '2026-11-21T10:01:00Z' },
    ]
    const fork = { ...aRollout({ replicas: 2 }), metadata: { name: 'x', generation: 2, managedFields }, status: {} }
    const at = (time: string) => forkHealth(rollout, fork, new Date(time)).reason
    expect(at('2026-11-21T10:00:29Z')).to.equal('Updating')
    expect(at('2026-11-21T10:00:30Z')).to.equal('NotReconciled')
  })

  it('is patient where nobody knows when it was written', () => {
    const fork = { ...aRollout({ replicas: 2 }), metadata: { name: 'x', generation: 2 }, status: {} }
    expect(forkHealth(rollout, fork, new Date(0)).reason).to.equal('Updating')
  })

  const applied = '2026-11-21T10:00:00Z'
  const managedFields = [{ manager: 'experiment-controller', operation: 'Apply', time: applied }]
  const seen = { observedGeneration: '2' }
  const cases: Record<string, { status: JsonObject; after?: number; is: string; reason: string; says?: string }> = {
    'waits for Argo for half a minute': { status: {}, after: 29, is: 'progressing', reason: 'Updating' },
    'stalls when Argo is silent': {
      status: {},
      after: 30,
      is: 'stalled',
      reason: 'NotReconciled',
      says: 'instance-id',
    },
    'is available when Healthy with all its pods': {
      status: { ...seen, phase: 'Healthy', availableReplicas: 2 },
      is: 'ready',
      reason: 'Available',
    },
    'waits for the pods of a first deploy, which is called Healthy early': {
      status: { ...seen, phase: 'Healthy' },
      is: 'progressing',
      reason: 'PodsNotReady',
    },
    'is not ready while paused': { status: { ...seen, phase: 'Paused' }, is: 'unready', reason: 'Paused' },
    'waits while Progressing': {
      status: { ...seen, phase: 'Progressing', message: 'more' },
      is: 'progressing',
      reason: 'PodsNotReady',
      says: 'more',
    },
    'stalls when Degraded': {
      status: { ...seen, phase: 'Degraded' },
      is: 'stalled',
      reason: 'ProgressDeadlineExceeded',
    },
    'stalls on an invalid spec': {
      status: { ...seen, phase: 'Degraded', conditions: [{ type: 'InvalidSpec', status: 'True', message: 'bad' }] },
      is: 'stalled',
      reason: 'InvalidSpec',
      says: 'bad',
    },
    'stalls on a quota, though its phase stays Progressing': {
      status: {
        ...seen,
        phase: 'Progressing',
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'quota' }],
      },
      is: 'stalled',
      reason: 'ReplicaFailure',
    },
  }
  for (const [sentence, { status, after = 1, is, reason, says }] of Object.entries(cases))
    it(sentence, () => {
      const fork = { ...aRollout({ replicas: 2 }), metadata: { name: 'x', generation: 2, managedFields }, status }
      const health = forkHealth(rollout, fork, new Date(Date.parse(applied) + after * 1_000))
      expect([health.is, health.reason]).to.deep.equal([is, reason])
      if (says) expect(health.message).to.contain(says)
    })
})
