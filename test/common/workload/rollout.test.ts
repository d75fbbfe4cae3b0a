import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { forkHealth } from '../../../common/fork/health.ts'
import { watchedPart } from '../../../common/fork/watched.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { brokenRules } from '../../../common/override/rules.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, aFork } from '../../builders.ts'
import { HASH, stableReplicaSet } from './replica-set.ts'

const INSTANCE = 'argo-rollouts.argoproj.io/controller-instance-id'

const aRollout = (spec: JsonObject = {}, status: JsonObject = {}): KubeObject => ({
  ...aDeployment({
    image: 'cart:canary',
    spec: { strategy: { canary: { stableService: 'stable', maxSurge: 1, steps: [{ setWeight: 20 }] } }, ...spec },
    metadata: { labels: { [INSTANCE]: 'blue', team: 'red' }, annotations: { 'rollout.argoproj.io/revision': '4' } },
  }),
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  status,
})

const image = (spec: JsonObject): unknown => JSON.stringify(spec).match(/"image":"([^"]+)"/)?.[1]

const startOf = (source: KubeObject, referents: readonly KubeObject[] = []) =>
  baseOf(rollout, { source, referents, shape: NO_SHAPE })

const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation'

describe('rollout', () => {
  it('takes the template of the Rollout while there is no stable revision', () => {
    const based = startOf(aRollout())
    expect(based.is === 'base' && [image(based.base.spec), based.base.template]).to.deep.equal([
      'cart:canary',
      'Desired',
    ])
  })

  it('takes the template of the stable ReplicaSet, without its hash', () => {
    const based = startOf(aRollout({}, { stableRS: 'abc' }), [stableReplicaSet()])
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect([image(based.base.spec), based.base.template]).to.deep.equal(['cart:stable', 'Stable'])
    expect(JSON.stringify(based.base.spec)).not.to.contain(HASH)
  })

  it('takes the template of the object that a workloadRef names', () => {
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

  it('takes over maxSurge and maxUnavailable of the strategy', () => {
    const based = startOf(aRollout())
    if (based.is !== 'base') throw new Error(JSON.stringify(based))
    expect(based.base.spec).to.deep.include({ strategy: { canary: { maxSurge: 1 } } })
    const blueGreen = startOf(aRollout({ strategy: { blueGreen: { activeService: 'x' } } }))
    expect(blueGreen.is === 'base' && blueGreen.base.spec).to.deep.include({ strategy: { canary: {} } })
  })

  it('gives its fork the label by which Argo finds it, and no other', () => {
    const { labels, annotations } = aFork(aRollout()).metadata
    expect(labels)
      .to.include({ [INSTANCE]: 'blue', [IS_EXPERIMENT]: 'true' })
      .and.not.to.have.property('team')
    expect(annotations).to.equal(undefined)
  })

  it('bans Services, routes and workloadRef in an override', () => {
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

  it('changes its base fingerprint with all that the base depends on', () => {
    const fingerprints = [
      aRollout(),
      aRollout({}, { stableRS: 'abc' }),
      { ...aRollout(), metadata: { name: 'cart', generation: 1, annotations: { [WORKLOAD_GENERATION]: '2' } } },
      { ...aRollout(), metadata: { name: 'cart', generation: 2 } },
      { ...aRollout(), metadata: { name: 'cart', generation: 1, labels: { [INSTANCE]: 'green' } } },
    ].map(rollout.baseFingerprint)
    expect(new Set(fingerprints).size).to.equal(5)
    const watched = watchedPart(rollout, aRollout({}, { stableRS: 'abc', phase: 'Healthy' }))
    expect(rollout.baseFingerprint(watched)).to.equal(fingerprints[1])
    expect(watched.spec).to.deep.equal({ workloadRef: undefined })
  })
})

describe('the rollout of a Rollout', () => {
  const takesDown = (strategy: JsonObject) => rollout.takesDown(aRollout({ replicas: 4, strategy }))

  it('takes down maxUnavailable of a canary', () => {
    expect(takesDown({ canary: {} })).to.equal(1)
    expect(takesDown({ canary: { maxUnavailable: '50%' } })).to.equal(2)
    expect(takesDown({ canary: { maxUnavailable: 0, maxSurge: 0 } })).to.equal(1)
  })

  it('takes down nothing with blueGreen', () => expect(takesDown({ blueGreen: { activeService: 'cart' } })).to.equal(0))

  it('is held back while it is paused by its spec', () => {
    expect(rollout.holdsBack(aRollout({ paused: true }))).to.equal('spec.paused')
    expect(rollout.holdsBack(aRollout())).to.equal(undefined)
  })

  it('skips its steps by promoteFull, only once the pods of the change are under way, and once', () => {
    const skipping = (status: JsonObject) => rollout.skippingSteps?.(aRollout({}, status))
    expect(skipping({ currentPodHash: 'new', stableRS: 'old' })).to.deep.equal({ promoteFull: true })
    expect(skipping({ currentPodHash: 'new', stableRS: 'old', promoteFull: false })).to.deep.equal({
      promoteFull: true,
    })
    expect(skipping({ currentPodHash: 'new', stableRS: 'old', promoteFull: true })).to.equal(undefined)
    expect(skipping({ currentPodHash: 'old', stableRS: 'old' })).to.equal(undefined)
    expect(skipping({ currentPodHash: '', stableRS: 'old' })).to.equal(undefined)
    expect(skipping({ stableRS: 'old' })).to.equal(undefined)
    expect(skipping({})).to.equal(undefined)
  })
})

describe('the steps of a Rollout', () => {
  it('N5: hold it while the pods of a change are under way, unless they are skipped', () => {
    const held = (status: JsonObject) => rollout.heldBySteps?.(aRollout({}, status))
    expect(held({ currentPodHash: 'new', stableRS: 'old' })).to.equal(
      'its own steps may hold it: kubectl argo rollouts promote cart --namespace=shop --full skips them',
    )
    expect(held({ currentPodHash: 'new', stableRS: 'old', promoteFull: true })).to.equal(undefined)
    expect(held({ currentPodHash: 'old', stableRS: 'old' })).to.equal(undefined)
  })
})

describe('the health of a Rollout', () => {
  const applied = '2026-11-21T10:00:00Z'
  const managedFields = [{ manager: 'experiment-controller', operation: 'Apply', time: applied }]
  const seen = { observedGeneration: '2' }
  const cases: Record<string, { status: JsonObject; after?: number; is: string; reason: string; says?: string }> = {
    'is progressing while Argo is silent for less than 30 seconds': {
      status: {},
      after: 29,
      is: 'progressing',
      reason: 'Updating',
    },
    'is stalled if Argo is silent for 30 seconds': {
      status: {},
      after: 30,
      is: 'stalled',
      reason: 'NotReconciled',
      says: 'instance-id',
    },
    'is ready if the phase is Healthy and all pods are available': {
      status: { ...seen, phase: 'Healthy', availableReplicas: 2 },
      is: 'ready',
      reason: 'Available',
    },
    'is progressing if the phase is Healthy before the pods of the first revision are available': {
      status: { ...seen, phase: 'Healthy' },
      is: 'progressing',
      reason: 'PodsNotReady',
    },
    'is not ready while paused': { status: { ...seen, phase: 'Paused' }, is: 'unready', reason: 'Paused' },
    'is progressing while the phase is Progressing': {
      status: { ...seen, phase: 'Progressing', message: 'more' },
      is: 'progressing',
      reason: 'PodsNotReady',
      says: 'more',
    },
    'is stalled if the phase is Degraded': {
      status: { ...seen, phase: 'Degraded' },
      is: 'stalled',
      reason: 'ProgressDeadlineExceeded',
    },
    'is stalled if the spec is invalid': {
      status: { ...seen, phase: 'Degraded', conditions: [{ type: 'InvalidSpec', status: 'True', message: 'bad' }] },
      is: 'stalled',
      reason: 'InvalidSpec',
      says: 'bad',
    },
    'is stalled if a quota is exceeded, although the phase stays Progressing': {
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
