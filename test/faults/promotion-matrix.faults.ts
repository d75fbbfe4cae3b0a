import { Semaphore } from '../../common/program/semaphore.ts'
import type { AuditTail } from '../../sandbox/audit.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesArgoRollouts } from '../integration/argo.ts'
import { aNamespace, usesControlPlane } from '../integration/fixture.ts'
import { placeIn, usesProduct } from '../integration/product.ts'
import { ALL, titleOf } from '../integration/promotions/cells.ts'
import { ourRequests, play } from '../integration/promotions/play.ts'
import { type Serving, startServing } from '../integration/promotions/serving.ts'
import { sideBySide } from './side-by-side.ts'

/** Each has up to twelve pods. */
const LANES = 10

describe('promotions of every source, by every override and word, on the real control plane', function () {
  this.timeout(600_000)
  const plane = usesControlPlane()
  usesArgoRollouts()
  usesProduct(WITH_PROMOTION)
  const lanes = new Semaphore(LANES)
  let stage: { readonly serving: Serving; readonly audit: AuditTail } | undefined
  before('everything that serves is counted', async () => {
    stage = { serving: await startServing(plane()), audit: ourRequests(plane().auditLog) }
  })
  after(() => stage?.serving.stop())

  const tests = ALL.map((cell) => {
    const run = async () => {
      if (!stage) throw new Error('everything is counted while tests run')
      await play(cell, { ...stage, place: await placeIn(await aNamespace()) })
    }
    return [`F36: ${titleOf(cell)}`, () => lanes.run(run, undefined)] as const
  })
  sideBySide(Object.fromEntries(tests))
})
