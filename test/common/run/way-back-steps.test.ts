import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import { PROMOTION_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionStatus } from '../../../common/api/strategy.ts'
import type { Components } from '../../../common/facts/facts.ts'
import { recordIdOf } from '../../../common/situation/promotion.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aRollout, imageOverride, installing } from '../../builders.ts'
import { restore, runState } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment } from '../plan/some-run.ts'

const IMAGE = { path: 'template.spec.containers[cart].image', before: 'example/cart:1', after: 'example/cart:2' }
const RECORD: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'cart-promotion' },
  data: { forward: {}, inverse: {}, changes: [IMAGE] },
}
const RESTORED: PromotionStatus = {
  mode: 'Manual',
  record: recordIdOf(RECORD),
  restored: { uid: 'uid-of-cart', generation: 3 },
}

interface Given {
  readonly generation?: number
  readonly promotion?: PromotionStatus
  readonly installed?: Components
  readonly manager?: string
  readonly image?: string
  /** the generation that Argo has seen */
  readonly seen?: string
}

/** What an undo does when the Rollout has its former values, and its own canary is paused at its first step. */
function restoring({
  generation = 3,
  promotion = RESTORED,
  installed = installing('promotion'),
  manager,
  image = 'example/cart:1',
  seen = `${generation}`,
}: Given = {}) {
  const former = aRollout({ replicas: 10, ...imageOverride(image) })
  const status = { observedGeneration: seen, phase: 'Paused', stableRS: 'aaa', currentPodHash: 'bbb' }
  const managedFields =
    manager === undefined
      ? []
      : [{ manager, operation: 'Update', time: '2026-11-21T10:00:00Z', fieldsV1: { 'f:spec': {} } }]
  const source = {
    ...former,
    metadata: { ...former.metadata, generation, resourceVersion: '20', managedFields },
    status,
  }
  const experiment = {
    ...aRunExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' }, promotion: { mode: 'Manual' } }),
    status: { promotion },
  }
  const facts = {
    ...someFacts({ experiment, kind: known(rollout), source, installed }),
    promotion: { source: known(source), record: known(RECORD) },
  }
  const state = runState(facts, undefined)
  if (!state) throw new Error('there is a run')
  const found = restore(facts, { kind: rollout }, { ...state, isReserveReady: true })
  const skips = found?.writes.map((write) => 'patch' in write && write.patch.status)
  return { skips, reason: found?.decision?.reason, message: found?.decision?.message }
}

const HELD = 'its own steps may hold it: kubectl argo rollouts promote cart --namespace=shop --full skips them'

describe('the own steps of a Rollout that is undone', () => {
  it('N5: are skipped, whether or not the promotion skips them', () =>
    expect(restoring()).to.deep.include({ skips: [{ promoteFull: true }], reason: 'Undoing' }))

  it('N5: are skipped after the reply to the write was lost', () => {
    const { restored: _lost, ...promotion } = RESTORED
    expect(restoring({ promotion, manager: PROMOTION_MANAGER }).skips).to.deep.equal([{ promoteFull: true }])
  })

  it('N5: are left to another experiment that has promoted a newer value since', () => {
    const { restored: _none, ...promotion } = RESTORED
    const given = { promotion, manager: PROMOTION_MANAGER, image: 'example/cart:3' }
    expect(restoring(given)).to.deep.include({ skips: [], reason: 'Undoing' })
  })

  it('N5: are skipped only once Argo has seen the write', () =>
    expect(restoring({ seen: '2' }).skips).to.deep.equal([]))

  it('N5: are told, with what a person can do, where the controller may not skip them', () => {
    const { skips, message } = restoring({ installed: installing() })
    expect([skips, message?.endsWith(`; ${HELD}`)]).to.deep.equal([[], true])
  })

  it('N5: are left to others who have written the Rollout since, or have taken the change back', () => {
    const { restored: _none, ...promotion } = RESTORED
    for (const given of [{ generation: 4 }, { promotion, manager: 'kubectl' }]) {
      const { skips, reason, message } = restoring(given)
      expect([skips, reason, message?.endsWith(`; ${HELD}`)]).to.deep.equal([[], 'Undoing', true])
    }
  })
})
