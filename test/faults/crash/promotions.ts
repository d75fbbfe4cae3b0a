/** A canary, its promotion and the undo, while their controller is killed. */
import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { condition, DEADLINE_MS, imagesOf } from '../../integration/product.ts'
import { PATIENT, type Scenario, type Scene, say } from './scenarios.ts'

const REPLICAS = 2
const FORMER = 'registry.example/cart:1'
const PROMOTED = 'registry.example/cart:2'

/** Creates an experiment with two pauses. */
const created = ({ own }: Scene): Promise<void> =>
  own.experiment('try', {
    source: 'cart',
    overrideSpec: imageOverride(PROMOTED),
    strategy: {
      canary: {
        steps: [{ setWeight: 25 }, { pause: { duration: 2 } }, { setWeight: 50 }, { pause: {} }],
        scaleDownDelaySeconds: 1,
      },
    },
  })

/** @throws Error unless the run is at `step`: `3/7 Paused` */
async function isAt({ own }: Scene, step: string): Promise<void> {
  expect((await own.experimentAt('try')).status?.strategy?.step).to.equal(step)
}

const reaches = (scene: Scene, step: string): Promise<void> =>
  eventually(`the run to be at ${step}`, DEADLINE_MS, () => isAt(scene, step), PATIENT)

/** @throws Error unless the source has `image` in all of its pods, and a run ends at `step` as `reason` says */
async function hasEnded(scene: Scene, step: string, { reason, image }: { reason: string; image: string }) {
  await isAt(scene, step)
  const { own, forks } = scene
  const found = await own.experimentAt('try')
  expect(found.status?.observedGeneration).to.equal(found.metadata.generation)
  expect(condition(found, 'Ready')?.reason).to.equal(reason)
  const source = await forks.deployment('cart')
  expect(imagesOf(source)).to.deep.equal([image])
  expect(at(source, 'status', 'availableReplicas')).to.equal(REPLICAS)
  expect(at(source, 'status', 'updatedReplicas')).to.equal(REPLICAS)
}

const isPromoted = async (scene: Scene): Promise<void> => {
  await hasEnded(scene, '7/7 Promoted', { reason: 'Promoted', image: PROMOTED })
  const names = (await scene.forks.api.list(scene.forks.path('deployments'))).map(({ metadata }) => metadata.name)
  expect(names).to.deep.equal(['cart'])
}

async function promoted(scene: Scene): Promise<void> {
  await created(scene)
  await reaches(scene, '3/7 Paused')
  await say(scene, 'resume step=4') // the run may have come there just now
  await reaches(scene, '4/7 Paused')
  await say(scene, 'promote')
}

/** All need the component `promotion`. */
export const PROMOTIONS: readonly Scenario[] = [
  { name: 'promotion', mayPromote: true, replicas: REPLICAS, change: promoted, isDone: isPromoted },
  {
    name: 'undo',
    mayPromote: true,
    replicas: REPLICAS,
    before: async (scene) => {
      await promoted(scene)
      await eventually('try to be promoted', DEADLINE_MS, () => isPromoted(scene), PATIENT)
    },
    change: (scene) => say(scene, 'undo'),
    isDone: (scene) => hasEnded(scene, '2/2 Undone', { reason: 'Undone', image: FORMER }),
  },
]
