/** What happens to an experiment while its controller is killed. */
import { expect } from 'chai'
import { COMMAND, EXPERIMENT_POLICY, FORK_FINALIZER } from '../../../common/api/names.ts'
import { at } from '../../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { aSource, condition, DEADLINE_MS, forkOf, hasEndpoints, type Place } from '../../integration/product.ts'
import { policyName } from './oracles.ts'

/** Where the experiment `try` and its source `cart` are. */
export interface Scene {
  readonly own: Place
  /** of the source and the fork */
  readonly forks: Place
}

export interface Scenario {
  readonly name: string
  /** the source is in another namespace */
  readonly isApart?: boolean
  /** the controller has the rights and the setting of the component `promotion` */
  readonly mayPromote?: boolean
  /** the same of `gate` and `cut-over` */
  readonly mayCutOver?: boolean
  /** the same of `analysis` */
  readonly mayAnalyze?: boolean
  /** of the source; default: 1 */
  readonly replicas?: number
  /** creates the source; default: a Deployment with a Service and an endpoint */
  readonly source?: (scene: Scene) => Promise<void>
  /** what is there before the change */
  readonly before?: (scene: Scene) => Promise<void>
  /** what people do, with waits for what the controller does in between */
  readonly change: (scene: Scene) => Promise<void>
  /** @throws Error until the controller has done all that follows from the change */
  readonly isDone: (scene: Scene) => Promise<void>
  /** requests that a run need not make, although both undisturbed runs did */
  readonly optional?: readonly string[]
  /** paths of the end at which a run may differ from the undisturbed ones */
  readonly mayDiffer?: RegExp
  /** what is wrong in the end, beside what all scenarios are asked; default: nothing */
  readonly problems?: (scene: Scene) => Promise<readonly string[]>
  /** the longest time from the start of the next controller to the end; default: half a minute */
  readonly convergedMs?: number
}

/** The longest time from the change to the end without a crash. */
export const doneMs = ({ convergedMs = 0 }: Scenario): number => Math.max(DEADLINE_MS, convergedMs)

/** Many runs wait at once, and should not keep the API server busy. */
export const PATIENT = { pauseMs: 500 }

/** How long a finalizer of others may keep a fork, and a little longer. */
const HELD_MS = 65_000

const FOREIGN_FINALIZER = 'crash.example.com/held'

/** Creates the experiment. */
export const created = ({ own, forks }: Scene): Promise<void> =>
  own.experiment('try', {
    source: 'cart',
    overrideSpec: imageOverride('registry.example/cart:2'),
    ...(own.namespace === forks.namespace ? {} : { of: forks.namespace }),
  })

const patched = ({ own }: Scene, patch: object) => own.api.patch(own.path('experiments', 'try'), patch)

/** Says a word to the run of the experiment, as `kubectl annotate` does. */
export const say = async (scene: Scene, verb: string): Promise<void> => {
  await patched(scene, { metadata: { annotations: { [COMMAND]: verb } } })
}

/** @throws Error unless `try` is Ready for `reason`, with `image` in its fork, and its present share is known */
async function shows({ own, forks }: Scene, reason: string, image: string, share = '50%'): Promise<void> {
  const found = await own.experimentAt('try')
  expect(found.status?.observedGeneration).to.equal(found.metadata.generation)
  expect(condition(found, 'Ready')?.reason).to.equal(reason)
  expect(found.status?.share).to.equal(share)
  expect(JSON.stringify(await forks.deployment(forkOf(found)))).to.contain(image)
}

/** @throws Error unless the experiment is as it stays after its creation */
export const isAvailable = (scene: Scene) => shows(scene, 'Available', 'cart:2')

/** Changes the override. */
export const updated = async (scene: Scene): Promise<void> => {
  await patched(scene, { spec: { overrideSpec: imageOverride('registry.example/cart:3') } })
}

/** @throws Error unless the experiment is as it stays after its update */
export const isUpdated = (scene: Scene) => shows(scene, 'Available', 'cart:3')

/** Creates the experiment, and waits until it is as it will stay. */
async function available(scene: Scene): Promise<void> {
  await created(scene)
  await eventually('try to be available', DEADLINE_MS, () => isAvailable(scene), PATIENT)
}

async function isGone({ own, forks }: Scene): Promise<void> {
  expect(await own.api.list(own.path('experiments'))).to.deep.equal([])
  expect((await forks.api.list(forks.path('deployments'))).map(({ metadata }) => metadata.name)).to.deep.equal(['cart'])
}

/** Lets the experiment expire in two seconds. */
async function expires(scene: Scene): Promise<void> {
  const { metadata } = await scene.own.experimentAt('try')
  const ageSeconds = (Date.now() - Date.parse(metadata.creationTimestamp ?? '')) / 1_000
  await patched(scene, { spec: { ttlSeconds: Math.ceil(ageSeconds) + 2 } })
}

async function isExpired({ own, forks }: Scene): Promise<void> {
  expect(condition(await own.experimentAt('try'), 'Ready')?.reason).to.equal('Expired')
  expect(await forks.api.list(forks.path('deployments'))).to.have.length(1)
}

/** Waits until all pods of the source have its present template. */
const hasRolledOut = ({ forks }: Scene): Promise<void> =>
  eventually(
    'cart to be rolled out',
    DEADLINE_MS,
    async () => {
      const cart = await forks.deployment('cart')
      expect(at(cart, 'status', 'observedGeneration')).to.equal(cart.metadata.generation)
      expect(at(cart, 'status', 'updatedReplicas')).to.equal(at(cart, 'spec', 'replicas'))
    },
    PATIENT,
  )

/** Lets experiments of one namespace have sources in the other. */
async function consented({ own, forks }: Scene): Promise<void> {
  const { apiVersion, kind } = EXPERIMENT_POLICY
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': forks.namespace } }
  const spec = { namespaceSelector, allowSourcesFrom: [own.namespace] }
  await own.api.create(resourcePath(EXPERIMENT_POLICY), {
    apiVersion,
    kind,
    metadata: { name: policyName(own.namespace) },
    spec,
  })
}

/** Creates the source, with an endpoint, and in another namespace the consent to fork it. */
export async function withSource(scene: Scene, replicas = 1): Promise<void> {
  if (scene.own.namespace !== scene.forks.namespace) await consented(scene)
  await aSource(scene.forks, 'cart', { replicas })
  await hasEndpoints(scene.forks, 'cart', replicas)
}

/** Each run takes a minute longer than others. */
export const HELD_EXPIRY: Scenario = {
  name: 'expiry of a fork that a finalizer keeps',
  before: async (scene) => {
    const { own, forks } = scene
    await available(scene)
    const fork = forks.path('deployments', forkOf(await own.experimentAt('try')))
    await forks.api.patch(fork, { metadata: { finalizers: [FOREIGN_FINALIZER] } })
  },
  change: expires,
  isDone: isExpired,
  convergedMs: 2 * HELD_MS,
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'create', change: created, isDone: isAvailable },
  {
    name: 'update',
    before: available,
    change: updated,
    isDone: isUpdated,
  },
  {
    name: 'follow',
    before: async (scene) => {
      await scene.own.experiment('try', { source: 'cart', overrideSpec: { minReadySeconds: 1 } })
      await eventually('try to be available', DEADLINE_MS, () => shows(scene, 'Available', 'cart:1'), PATIENT)
    },
    change: async ({ forks }) => {
      await forks.api.patch(forks.path('deployments', 'cart'), { spec: imageOverride('registry.example/cart:4') })
    },
    isDone: (scene) => shows(scene, 'Available', 'cart:4'),
  },
  {
    name: 'scale',
    before: available,
    change: async (scene) => {
      await patched(scene, { spec: { replicas: 3 } })
    },
    isDone: (scene) => shows(scene, 'Available', 'cart:2', '75%'),
  },
  {
    name: 'delete',
    before: async (scene) => {
      await available(scene)
      await patched(scene, { metadata: { finalizers: [FOREIGN_FINALIZER] } })
    },
    change: async (scene) => {
      const { own, forks } = scene
      await own.api.delete(own.path('experiments', 'try'))
      await eventually('the fork to be gone', DEADLINE_MS, async () =>
        expect(await forks.api.list(forks.path('deployments'))).to.have.length(1),
      )
      await patched(scene, { metadata: { finalizers: [] } })
    },
    isDone: isGone,
  },
  {
    name: 'expiry',
    before: available,
    change: expires,
    isDone: isExpired,
  },
  {
    name: 'pin',
    change: async (scene) => {
      const { own, forks } = scene
      const overrideSpec = { minReadySeconds: 1 }
      await own.experiment('try', { source: 'cart', overrideSpec, onSourceChange: 'Pin' })
      await eventually('try to be available', DEADLINE_MS, () => shows(scene, 'Available', 'cart:1'), PATIENT)
      await forks.api.patch(forks.path('deployments', 'cart'), { spec: imageOverride('registry.example/cart:4') })
      await hasRolledOut(scene)
      await eventually('try to be as before', DEADLINE_MS, () => shows(scene, 'Available', 'cart:1'), PATIENT)
      await patched(scene, { spec: { onSourceChange: 'Follow' } })
    },
    isDone: async (scene) => {
      await shows(scene, 'Available', 'cart:4')
      const { forks } = scene
      const revisions = await forks.api.list(resourcePath(RESOURCES.ControllerRevision, { namespace: forks.namespace }))
      expect(revisions).to.deep.equal([])
    },
  },
  {
    name: 'other namespace',
    isApart: true,
    change: (scene) => eventually('consent to be seen', DEADLINE_MS, () => created(scene)),
    isDone: isAvailable,
  },
  {
    name: 'deletion in another namespace',
    isApart: true,
    before: async (scene) => {
      await eventually('consent to be seen', DEADLINE_MS, () => created(scene))
      await eventually('try to be available', DEADLINE_MS, () => isAvailable(scene), PATIENT)
      expect((await scene.own.experimentAt('try')).metadata.finalizers).to.deep.equal([FORK_FINALIZER])
    },
    change: ({ own }) => own.api.delete(own.path('experiments', 'try')),
    isDone: isGone,
  },
]
