/** A canary inside the size of its source, its promotion and its abort, while their controller is killed. */
import { expect } from 'chai'
import { SCALE_MANAGER, SCALED } from '../../../common/api/names.ts'
import { at } from '../../../common/json/json.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { condition, imagesOf } from '../../integration/product.ts'
import { PATIENT, type Scenario, type Scene, say } from './scenarios.ts'

const REPLICAS = 3
/** Each move waits for pods and for nodes, in two rounds. */
const CONVERGED_MS = 150_000
const FORMER = 'registry.example/cart:1'
const PROMOTED = 'registry.example/cart:2'

/** Creates an experiment that has two of three pods, and one of the source. Each move has two rounds. */
const created = ({ own }: Scene): Promise<void> =>
  own.experiment('try', {
    source: 'cart',
    overrideSpec: imageOverride(PROMOTED),
    strategy: {
      canary: { scaleDownSource: true, scaleDownDelaySeconds: 1, steps: [{ setWeight: 66 }, { pause: {} }] },
    },
  })

/** @throws Error unless the run is at `step`, and the source has so many pods */
async function isAt({ own, forks }: Scene, step: string, replicas: number): Promise<void> {
  expect((await own.experimentAt('try')).status?.strategy?.step).to.equal(step)
  expect(replicasOf(await forks.deployment('cart'))).to.equal(replicas)
}

/** Waits until the source is as small as the weight wants it. */
async function small(scene: Scene): Promise<void> {
  await created(scene)
  await eventually('the run to be at 1/6 Paused', CONVERGED_MS, () => isAt(scene, '1/6 Paused', 1), PATIENT)
}

/** @throws Error unless the source has all of its pods, with `image`, and a run ends at `step` as `reason` says */
async function hasEnded(scene: Scene, step: string, { reason, image }: { reason: string; image: string }) {
  await isAt(scene, step, REPLICAS)
  const { own, forks } = scene
  const found = await own.experimentAt('try')
  expect(found.status?.observedGeneration).to.equal(found.metadata.generation)
  expect(found.status?.strategy?.scaled).to.equal(undefined)
  expect(condition(found, 'Ready')?.reason).to.equal(reason)
  const source = await forks.deployment('cart')
  expect(imagesOf(source)).to.deep.equal([image])
  expect(at(source, 'status', 'availableReplicas')).to.equal(REPLICAS)
}

/** What is left of us on the source. */
async function leftOnSource({ forks }: Scene): Promise<readonly string[]> {
  const { labels = {}, managedFields = [] } = (await forks.deployment('cart')).metadata
  return [
    ...(labels[SCALED] === undefined ? [] : [`the source has the label ${labels[SCALED]}`]),
    ...managedFields.filter(({ manager }) => manager === SCALE_MANAGER).map(() => 'the source has fields of ours'),
  ]
}

const ALLOWED = {
  mayPromote: true,
  replicas: REPLICAS,
  problems: leftOnSource,
  // how many rounds a move has depends on how fast pods become available
  mayDiffer: /\/(generation|observedGeneration)$/,
  convergedMs: CONVERGED_MS,
} as const

/** All need the component `promotion`. */
export const INSIDE: readonly Scenario[] = [
  {
    ...ALLOWED,
    name: 'promotion inside its source',
    change: async (scene) => {
      await small(scene)
      await say(scene, 'promote')
    },
    isDone: (scene) => hasEnded(scene, '6/6 Promoted', { reason: 'Promoted', image: PROMOTED }),
  },
  {
    ...ALLOWED,
    name: 'abort inside its source',
    before: small,
    change: (scene) => say(scene, 'abort'),
    isDone: (scene) => hasEnded(scene, '1/1 Aborted', { reason: 'Aborted', image: FORMER }),
  },
]
