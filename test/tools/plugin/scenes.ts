/** Experiments in every state, made together on the control plane of the run: what the transcripts are about. */
import { ANALYSIS_RUN, COMMAND, EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { BlueGreenStrategy, CanaryStep } from '../../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { at, type JsonObject } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import type { State } from '../../../common/view/experiment-view.ts'
import { stateOf } from '../../../common/view/state.ts'
import { experimentId } from '../../../common/workload/identity.ts'
import { ApiError } from '../../../sandbox/api.ts'
import { startArgoRollouts } from '../../../sandbox/argo/argo-rollouts.ts'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { EVERYTHING } from '../../../sandbox/installation.ts'
import { QUICK } from '../../analyses/analyses.ts'
import { imageOverride } from '../../builders.ts'
import { aRollout } from '../../integration/argo.ts'
import { controlPlane, usesControlPlane } from '../../integration/fixture.ts'
import { aSource, DEADLINE_MS, installation, type Place, placeIn } from '../../integration/product.ts'
import { granted, grantedRights } from '../../integration/users.ts'
import { needs } from '../../needs.ts'
import type { Account } from './plugin.ts'

/** The namespace of the scenes. */
const MARKET = 'market'

/** Who looks at them, and what each may do there. */
export const ACCOUNTS = {
  admin: { user: 'admin', namespace: MARKET },
  /** has `edit` */
  alice: { user: 'alice', namespace: MARKET },
  /** has `view` */
  bob: { user: 'bob', namespace: MARKET },
  /** may read experiments, and nothing else */
  carol: { user: 'admin', as: 'carol', namespace: MARKET },
} as const satisfies Readonly<Record<string, Account>>

/** In a `describe`: the product runs with all components. Returns a function that returns the control plane. */
export function usesEverything(): () => ControlPlane {
  const plane = usesControlPlane()
  before('the product runs with all components', async function () {
    this.timeout(200_000)
    await installation(EVERYTHING.overlay, EVERYTHING.settings)
  })
  return plane
}

let making: Promise<Place> | undefined

/** In a `describe`: the scenes are there. The first one of a run makes them. Returns what returns their place. */
export function usesScenes(): () => Place {
  usesEverything()
  needs('argoRollouts', 'argoFiles')
  let place: Place | undefined
  before('the scenes', async function () {
    this.timeout(240_000)
    making ??= makeScenes()
    place = await making
  })
  return () => {
    if (!place) throw new Error('the scenes are there when tests run')
    return place
  }
}

interface Scene {
  readonly kind?: 'Deployment' | 'StatefulSet' | 'Rollout'
  /** of the source */
  readonly replicas?: number
  readonly image?: string
  readonly spec?: JsonObject
  /** what happens to it, one after the other, until it is as it shall be */
  readonly next?: readonly ((place: Place, name: string) => Promise<unknown>)[]
  readonly becomes: State
}

const LONG = 3_600

const canary = (...steps: readonly CanaryStep[]) => ({ strategy: { canary: { steps } } }) as unknown as JsonObject
const PAUSE: CanaryStep = { pause: {} }

const blueGreen = (name: string, of: Partial<BlueGreenStrategy> = {}) =>
  ({
    strategy: { blueGreen: { activeService: `cart-${name}`, scaleDownDelaySeconds: LONG, ...of } },
  }) as unknown as JsonObject

/** Waits for a state, and perhaps for the text in the column STEP. */
const reaches = (state: State, step?: string) => (place: Place, name: string) =>
  place.shows(name, step ?? state, (found) => is(state, found) && (!step || found.status?.strategy?.step === step))

const is = (state: State, found: ExperimentDeployment): boolean =>
  stateOf(found) === state && found.status?.observedGeneration === found.metadata.generation

/** Gives a command, as kubectl does. */
const says = (verb: string) => (place: Place, name: string) =>
  eventually(`${name} to be told ${verb}`, DEADLINE_MS, async () => {
    const { status } = await place.experimentAt(name)
    const word = verb === 'promote' ? `promote ${status?.strategy?.wholeRevision}` : verb
    const { code, text } = await place.kubectl(['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=${word}`])
    if (code !== 0) throw new Error(text)
  })

/** Makes the only container of each pod of the fork restart so often, as a kubelet reports it. */
async function restarts({ api, path, experimentAt }: Place, name: string): Promise<void> {
  const { metadata } = await experimentAt(name)
  const selector = `labelSelector=${EXPERIMENT_ID}=${experimentId(metadata.uid)}`
  for (const pod of await api.list(`${path('pods')}?${selector}`)) {
    const containerStatuses = [{ name: 'cart', restartCount: 60, ready: true, image: '', imageID: '' }]
    await api.patch(`${path('pods', pod.metadata.name)}/status`, { status: { containerStatuses } }, 'strategic')
  }
}

/** Waits for the first look of the analysis: what was before that does not count. */
const looks = (place: Place, name: string) =>
  eventually(`${name} to be looked at`, DEADLINE_MS, async () => {
    const { status } = await place.experimentAt(name)
    const run = resourcePath(ANALYSIS_RUN, { namespace: MARKET, name: status?.analysis?.run ?? 'none' })
    if (at((await place.api.get(run)).status, 'startedAt') === undefined) throw new Error('it has not begun')
  })

/** The scenes by the names of their experiments. The source of `paused` is `cart-paused`. */
const SCENES: Readonly<Record<string, Scene>> = {
  running: { replicas: 3, spec: { ttlSeconds: 7_200 }, becomes: 'Running' },
  paused: {
    replicas: 9,
    spec: canary({ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 50 }, PAUSE),
    becomes: 'Paused',
  },
  starting: { image: 'registry.example/cart:broken', becomes: 'Progressing' },
  stalled: {
    image: 'registry.example/cart:broken',
    spec: { progressDeadlineSeconds: 5 },
    becomes: 'Stalled',
  },
  aborted: {
    spec: canary({ setWeight: 50 }, PAUSE),
    next: [reaches('Paused'), says('abort')],
    becomes: 'Failed',
  },
  promoted: {
    spec: canary({ setWeight: 50 }, PAUSE),
    next: [reaches('Paused'), says('promote')],
    becomes: 'Ended',
  },
  preview: { replicas: 2, spec: blueGreen('preview', { autoPromotionEnabled: false }), becomes: 'Paused' },
  switched: {
    replicas: 2,
    spec: blueGreen('switched', { autoPromotionEnabled: true }),
    becomes: 'Paused',
  },
  measured: { replicas: 3, spec: { analysis: QUICK }, next: [reaches('Running'), looks], becomes: 'Running' },
  harmful: { replicas: 3, spec: { analysis: QUICK }, next: [reaches('Running'), looks, restarts], becomes: 'Failed' },
  stored: { kind: 'StatefulSet', replicas: 2, becomes: 'Running' },
  fronted: { kind: 'Rollout', replicas: 2, becomes: 'Running' },
  idle: { spec: { replicas: 0 }, becomes: 'Idle' },
  expired: { spec: { ttlSeconds: 5 }, becomes: 'Ended' },
}

/** The names of the scenes. */
export const SCENE_NAMES: readonly string[] = Object.keys(SCENES)

async function makeScenes(): Promise<Place> {
  const plane = await controlPlane()
  await plane.api.create('/api/v1/namespaces', { metadata: { name: MARKET } })
  const place = await placeIn(MARKET)
  await startArgoRollouts(plane)
  await grants()
  await Promise.all(Object.entries(SCENES).map(([name, scene]) => makeScene(place, name, scene)))
  return place
}

async function grants(): Promise<void> {
  await granted('alice', 'edit', MARKET)
  await granted('bob', 'view', MARKET)
  // as the installation of Argo Rollouts adds it to `edit`
  await grantedRights('alice', MARKET, { verbs: 'get,list,watch,create,patch', resources: 'rollouts.argoproj.io' })
  const resources = 'experimentdeployments.experimentcontroller.example.com'
  await grantedRights('carol', MARKET, { verbs: 'get,list,watch', resources })
}

async function makeScene(place: Place, name: string, scene: Scene): Promise<void> {
  const { kind = 'Deployment', replicas = 1, image = 'registry.example/cart:2', spec = {}, next = [], becomes } = scene
  const source = `cart-${name}`
  if (kind === 'Deployment') await aSource(place, source, { replicas })
  else if (kind === 'StatefulSet') await aStatefulSet(place, source, replicas)
  else await aRollout(place, source, { replicas })
  if (kind !== 'Deployment')
    await place.api.create(place.path('services'), {
      metadata: { name: source },
      spec: { selector: { app: source }, ports: [{ port: 80 }] },
    })
  const { progressDeadlineSeconds, ...others } = spec
  const overrideSpec = { ...imageOverride(image), ...(progressDeadlineSeconds ? { progressDeadlineSeconds } : {}) }
  await created(place, name, { source, kind, overrideType: 'Strategic', overrideSpec, ...others })
  for (const each of next) await each(place, name)
  await reaches(becomes)(place, name)
}

/** Creates an experiment. On a busy machine the webhook may be too slow for the API server. */
export async function created(place: Place, name: string, of: Parameters<Place['experiment']>[1]): Promise<void> {
  const refusal = await eventually(`experiment ${name} to be admitted`, DEADLINE_MS, () =>
    place.experiment(name, of).catch((error: unknown) => {
      if (error instanceof ApiError && error.status >= 500) throw error
      return error
    }),
  )
  if (refusal) throw refusal
}

async function aStatefulSet({ api, path }: Place, name: string, replicas: number): Promise<void> {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] } }
  const selector = { matchLabels: labels }
  await api.create(path('statefulSets'), {
    metadata: { name },
    spec: { replicas, serviceName: name, selector, template },
  })
}
