import type { KubeObject } from '../../common/api/object.ts'
import { objectOr } from '../../common/json/json.ts'
import { aDeployment, imageOverride } from '../builders.ts'
import { DEPLOYMENTS, PATHS, versioned } from '../fakes/controller.ts'
import type { ListFault, ViewName } from '../fakes/faults.ts'
import type { ModelWorld } from './model-world.ts'

/** The path of the source. */
export const SOURCE = `${DEPLOYMENTS}/cart`

/** What happens next. */
export type Step =
  | { readonly do: 'override' | 'source' | 'recreate source'; readonly tag: number }
  | { readonly do: 'scale' | 'foreign scale'; readonly replicas: number }
  | { readonly do: 'foreign field' | 'foreign deletion' | 'remove source' }
  | { readonly do: 'begin deletion' | 'delete' | 'recreate' | 'replace' }
  | { readonly do: 'lose events' | 'thaw' | 'kill' | 'remember' }
  | { readonly do: 'freeze' | 'kill onto the past'; readonly views: readonly ViewName[] }
  | { readonly do: 'bad list'; readonly view: ViewName; readonly how: ListFault; readonly count: number }
  | { readonly do: 'pass'; readonly ms: number }

type Doing = {
  readonly [Kind in Step['do']]: (world: ModelWorld, step: Extract<Step, { do: Kind }>) => unknown
}

/** A source with a base of its own for each tag. */
export const sourceOf = (tag: number, uid: string): KubeObject =>
  versioned(aDeployment({ podAnnotations: { tag: `${tag}` }, metadata: { uid } }))

const withSpec = (of: object) => (found: KubeObject) => ({ ...found, spec: { ...objectOr(found.spec), ...of } })

function changeForks({ forks, server }: ModelWorld, change: (found: KubeObject) => KubeObject): void {
  for (const { metadata } of forks) server.change(`${DEPLOYMENTS}/${metadata.name}`, change)
}

const DOING: Doing = {
  override: ({ server }, { tag }) =>
    server.change(PATHS.experiment, withSpec({ overrideSpec: imageOverride(`example/cart:rc${tag}`) })),
  scale: ({ server }, { replicas }) => server.change(PATHS.experiment, withSpec({ replicas })),
  source: ({ server }, { tag }) => server.change(SOURCE, withSpec(objectOr(sourceOf(tag, '').spec))),
  'remove source': ({ server }) => server.remove(SOURCE),
  'recreate source': (world, { tag }) => {
    world.server.remove(SOURCE)
    world.server.put(SOURCE, sourceOf(tag, world.nextUid()))
  },
  'foreign scale': (world, { replicas }) => changeForks(world, withSpec({ replicas })),
  'foreign field': (world) => changeForks(world, withSpec({ minReadySeconds: 7 })),
  'foreign deletion': ({ forks, server }) => {
    for (const { metadata } of forks) server.remove(`${DEPLOYMENTS}/${metadata.name}`)
  },
  'begin deletion': ({ server }) =>
    server.change(PATHS.experiment, (found) => ({
      ...found,
      metadata: { ...found.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' },
    })),
  delete: ({ server }) => server.remove(PATHS.experiment),
  recreate: (world) => {
    world.server.remove(PATHS.experiment)
    world.createExperiment()
  },
  // without an event of the deletion: an update with another uid
  replace: (world) => world.createExperiment(),
  'lose events': ({ reads }) => reads?.lose(),
  freeze: ({ reads }, { views }) => reads?.freeze(views),
  thaw: ({ reads }) => reads?.thaw(),
  'bad list': ({ reads }, { view, how, count }) => {
    reads?.failLists(view, how, count)
    reads?.expire(view)
  },
  kill: (world) => world.start(),
  remember: ({ history }) => history.remember(),
  'kill onto the past': (world, { views }) => world.start(views),
  pass: ({ time }, { ms }) => time.pass(ms),
}

/** Does what `step` says. */
export async function perform(world: ModelWorld, step: Step): Promise<void> {
  const doing = DOING[step.do] as (of: ModelWorld, step: Step) => unknown
  await doing(world, step)
}
