import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, imagesOf } from '../integration/product.ts'
import { asksForForks } from './api-call.ts'
import { recovers } from './oracles.ts'
import type { Match } from './rules.ts'
import { inScene, type Scene } from './scene.ts'
import { usesProductAlone } from './scoped.ts'
import { sideBySide } from './side-by-side.ts'

const COMPONENTS = { PROMOTION: 'enabled', GATE: 'enabled', CUT_OVER: 'enabled' } as const

/**
 * The first of these writes fails. Before it does, somebody says `word`. The controller does not see that, because the
 * watch of experiments is frozen until the word is answered. Returns how often it has sent such a write by then.
 */
async function answers({ place, faults }: Scene, word: string, write: Match): Promise<number> {
  let count = 0
  let release: () => void = () => undefined
  faults.add({
    of: { ...write, method: 'PATCH' },
    onCall: async () => {
      count += 1
      if (count > 1) return undefined
      const frost = faults.freeze({ resource: EXPERIMENT_DEPLOYMENT.plural })
      release = frost.release
      await canariesIn(() => place).says('cart', word)
      await frost.holds
      return 'reset'
    },
  })
  await place.shows('cart', `the answer to ${word}`, ({ status }) => status?.strategy?.command?.verb === word)
  release()
  return count
}

async function pinned(scene: Scene): Promise<void> {
  const { place } = scene
  await place.experiment('cart', {
    source: 'cart',
    overrideSpec: imageOverride('registry.example/cart:2'),
    strategy: { blueGreen: { activeService: 'cart', autoPromotionEnabled: true, abortScaleDownDelaySeconds: 1 } },
  })
  expect(await answers(scene, 'abort', { resource: 'services' })).to.equal(1)
  await place.shows('cart', 'Aborted', ({ status }) => status?.strategy?.phase === 'Aborted')
  const service = await place.api.get(place.path('services', 'cart'))
  expect(at(service, 'spec', 'selector', EXPERIMENT_ID)).to.equal(undefined)
}

async function promoted(scene: Scene): Promise<void> {
  const { place } = scene
  await place.experiment('cart', {
    source: 'cart',
    overrideSpec: imageOverride('registry.example/cart:2'),
    strategy: { canary: { steps: [{ setWeight: 50 }], scaleDownDelaySeconds: 1 } },
    promotion: { mode: 'Automatic' },
  })
  expect(await answers(scene, 'undo', { resource: 'deployments', name: 'cart' })).to.equal(1)
  await place.shows('cart', 'Undone', ({ status }) => status?.strategy?.phase === 'Undone')
  const source = await place.deployment('cart')
  expect([imagesOf(source), source.metadata.generation]).to.deep.equal([['registry.example/cart:1'], 1])
}

/** A base is kept for good, so a cache that is late must not decide which one. */
async function kept({ place, faults }: Scene): Promise<void> {
  await place.experiment('follower', { source: 'cart' })
  await place.reaches('follower', 'Available') // so the controller has read the source
  const { release, holds } = faults.freeze({ resource: 'deployments' }, (call) => !asksForForks(call))
  const containers = [{ name: 'cart', image: 'registry.example/cart:2' }]
  await place.api.patch(
    place.path('deployments', 'cart'),
    { spec: { template: { spec: { containers } } } },
    'strategic',
  )
  await holds
  await place.experiment('cart', { source: 'cart', onSourceChange: 'Pin' })
  const { status } = await place.reaches('cart', 'Available')
  release()
  expect(status?.source).to.deep.include({ pinned: true, generation: 2 })
  expect(imagesOf(await place.deployment(status?.experimentResourceRef?.name ?? ''))).to.deep.equal([
    'registry.example/cart:2',
  ])
  await recovers(place, { cart: 'Available', follower: 'Available' })
}

describe('the controller has not seen what somebody wrote, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProductAlone(WITH_CUT_OVER)

  sideBySide({
    'F7: its Service is not pinned to the fork': () => inScene(pinned, { env: COMPONENTS }),
    'F9: the base that is pinned is the present one': () => inScene(kept),
    'F7: its source is not written': () => inScene(promoted, { env: COMPONENTS }),
  })
})
