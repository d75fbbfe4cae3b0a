import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import { PROMOTION_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionSpec, PromotionStatus } from '../../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { DesiredFork } from '../../../common/assess/assess.ts'
import { promote } from '../../../common/run/promote.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aRollout, imageOverride } from '../../builders.ts'
import { runState } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment } from '../plan/some-run.ts'

/** A Rollout that has the change, and whose own canary is paused at its first step. */
function paused(labels = {}): KubeObject {
  const released = aRollout({ replicas: 10, ...imageOverride('example/cart:2') })
  const status = { observedGeneration: '2', phase: 'Paused', stableRS: 'aaa', currentPodHash: 'bbb' }
  return { ...released, metadata: { ...released.metadata, generation: 2, resourceVersion: '20', labels }, status }
}

const withStatus = (experiment: ExperimentDeployment, status: object) =>
  ({ ...experiment, status }) as ExperimentDeployment

/** What the step that promotes writes to the status of the Rollout. `promotion`: what the run has done so far. */
function skipped(spec: PromotionSpec, promotion: PromotionStatus | undefined, source = paused()) {
  const experiment = aRunExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' }, promotion: spec })
  const facts = {
    ...someFacts({ experiment, kind: known(rollout), source }),
    promotion: { source: known(source), record: ABSENT },
  }
  const state = runState(facts, undefined)
  if (!state) throw new Error('there is a run')
  const status = { strategy: state.run, ...(promotion ? { promotion } : {}) }
  const found = promote({ ...facts, experiment: withStatus(experiment, status) }, WANTED, state)
  return found?.writes.map((write) => 'patch' in write && write.patch.status)
}

/** Only its kind matters once the source has the change. */
const WANTED = { kind: rollout } as DesiredFork
const RECORDED = { mode: 'Manual', record: { name: 'cart-promotion', hash: 'abc' } } as const
const WRITTEN = { ...RECORDED, written: { uid: 'uid-of-cart', generation: 2 } }

/** The paused Rollout, whose spec `managers` wrote, one second after the other. */
function writtenBy(...managers: readonly string[]): KubeObject {
  const { metadata, ...others } = paused()
  const managedFields = managers.map((manager, second) => ({
    manager,
    operation: 'Update',
    time: `2026-11-21T10:00:0${second}Z`,
    fieldsV1: { 'f:spec': {} },
  }))
  return { ...others, metadata: { ...metadata, managedFields } }
}

describe('the own steps of a Rollout that is promoted', () => {
  it('are skipped if the promotion began them, and only if it shall skip them', () => {
    expect(skipped({ mode: 'Manual', skipSteps: true }, WRITTEN)).to.deep.equal([{ promoteFull: true }])
    expect(skipped({ mode: 'Manual' }, WRITTEN)).to.deep.equal([])
  })

  it('are left alone if somebody else made the change', () => {
    for (const mode of ['Manual', 'Automatic', 'Export'] as const)
      expect(skipped({ mode, skipSteps: true }, undefined), mode).to.deep.equal([])
  })

  it('are left alone if somebody else made the change once the record was stored', () => {
    for (const managers of [[], ['kubectl'], [PROMOTION_MANAGER, 'kubectl']])
      expect(skipped({ mode: 'Manual', skipSteps: true }, RECORDED, writtenBy(...managers))).to.deep.equal([])
  })

  it('are skipped after the reply to the write was lost', () => {
    const source = writtenBy('kubectl', PROMOTION_MANAGER)
    expect(skipped({ mode: 'Manual', skipSteps: true }, RECORDED, source)).to.deep.equal([{ promoteFull: true }])
  })

  it('are left alone where somebody else declares the source', () => {
    const source = paused({ 'app.kubernetes.io/managed-by': 'Helm' })
    expect(skipped({ mode: 'Manual', skipSteps: true }, WRITTEN, source)).to.deep.equal([])
  })
})
