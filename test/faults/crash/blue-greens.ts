/** A blue-green, its cut-over and its ways back, while their controller is killed. */
import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { at, objectOr } from '../../../common/json/json.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { condition, DEADLINE_MS, forkOf, hasEndpoints, imagesOf } from '../../integration/product.ts'
import { PATIENT, type Scenario, type Scene, say } from './scenarios.ts'

const REPLICAS = 2
const IMAGE = 'registry.example/cart:2'
const PREVIEW = 'cart-preview'

/** Creates an experiment that cuts over by itself, and its preview. */
async function created({ own }: Scene): Promise<void> {
  const spec = { selector: { app: 'cart' }, ports: [{ port: 80 }] }
  await own.api.create(own.path('services'), { metadata: { name: PREVIEW }, spec })
  await own.experiment('try', {
    source: 'cart',
    overrideSpec: imageOverride(IMAGE),
    strategy: {
      blueGreen: {
        activeService: 'cart',
        previewService: PREVIEW,
        previewReplicaCount: 1,
        autoPromotionEnabled: true,
        scaleDownDelaySeconds: 1,
        abortScaleDownDelaySeconds: 1,
      },
    },
  })
}

/** The selectors of both Services. */
const selectorsOf = ({ forks }: Scene) =>
  Promise.all(
    ['cart', PREVIEW].map(async (name) =>
      objectOr(at((await forks.api.get(forks.path('services', name))).spec, 'selector')),
    ),
  )

/** @throws Error unless the run is at `step`, and the status is of the present generation */
async function isAt({ own }: Scene, step: string, reason: string) {
  const found = await own.experimentAt('try')
  expect(found.status?.strategy?.step).to.equal(step)
  expect(found.status?.observedGeneration).to.equal(found.metadata.generation)
  expect(condition(found, 'Ready')?.reason).to.equal(reason)
  return found
}

async function isCutOver(scene: Scene): Promise<void> {
  const found = await isAt(scene, '5/9 Paused', 'Available')
  const id = forkOf(found).slice(-10)
  const pinned = { app: 'cart', [EXPERIMENT_ID]: id }
  expect(await selectorsOf(scene)).to.deep.equal([pinned, pinned])
  expect(found.status?.share).to.equal('100%')
}

async function isBack(scene: Scene): Promise<void> {
  expect(await selectorsOf(scene)).to.deep.equal([{ app: 'cart' }, { app: 'cart' }])
  await hasEndpoints(scene.forks, 'cart', REPLICAS)
}

async function cutOver(scene: Scene): Promise<void> {
  await created(scene)
  await eventually('try to be cut over', DEADLINE_MS, () => isCutOver(scene), PATIENT)
}

const ALLOWED = { mayPromote: true, mayCutOver: true, replicas: REPLICAS } as const

/** All need the components `gate`, `cut-over` and `promotion`. */
export const BLUE_GREENS: readonly Scenario[] = [
  { ...ALLOWED, name: 'cut-over', change: created, isDone: isCutOver },
  {
    ...ALLOWED,
    name: 'promotion behind the pin',
    before: cutOver,
    change: (scene) => say(scene, 'promote'),
    // on a busy machine, the delay of one second is over before the pods are shut, and the fork is deleted at once
    optional: ['patch pods/status cart-experiment-ID-POD #1'],
    isDone: async (scene) => {
      await isAt(scene, '9/9 Promoted', 'Promoted')
      expect(imagesOf(await scene.forks.deployment('cart'))).to.deep.equal([IMAGE])
      await isBack(scene)
    },
  },
  {
    ...ALLOWED,
    name: 'way back',
    before: cutOver,
    change: (scene) => say(scene, 'abort'),
    isDone: async (scene) => {
      await isAt(scene, '4/4 Aborted', 'Aborted')
      await isBack(scene)
    },
  },
  {
    ...ALLOWED,
    name: 'deletion of what serves',
    before: cutOver,
    change: async ({ own }) => {
      await own.api.delete(own.path('experiments', 'try'))
    },
    isDone: async (scene) => {
      const { own, forks } = scene
      expect(await own.api.list(own.path('experiments'))).to.deep.equal([])
      const names = (await forks.api.list(forks.path('deployments'))).map(({ metadata }) => metadata.name)
      expect(names).to.deep.equal(['cart'])
      await isBack(scene)
    },
  },
  {
    ...ALLOWED,
    name: 'deletion of the fork that serves',
    before: cutOver,
    change: async ({ own, forks }) => {
      await forks.api.delete(forks.path('deployments', forkOf(await own.experimentAt('try'))))
    },
    isDone: async (scene) => {
      await isAt(scene, '4/4 Aborted', 'Aborted')
      await isBack(scene)
    },
  },
]
