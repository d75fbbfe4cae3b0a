/** What users try with experiments, by the words of docs/rights.md. */
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT, REQUESTED_BY, REVIEWED_REPLICAS } from '../../../common/api/names.ts'
import { HEALTH } from '../analysis-manifests.ts'
import { condition } from '../product.ts'
import { created, patchOf, scale, stored } from './attempt.ts'
import { type Action, EVIL, evilPatch, type Running, type World } from './world.ts'

type Place = 'shop' | 'stock'

/** A minute, and two sweeps. */
const HELD_MS = 150_000

const create =
  (on: Place | 'yard', source?: string): Action =>
  (who, world) => {
    const manifest = world.manifest(on, source)
    return stored(created(who, manifest), async () => {
      await world.shop.reaches(manifest.metadata.name, 'Available')
      return 'done'
    })
  }

/** A canary that makes its source smaller. */
const shrink =
  (on: Place): Action =>
  (who, world) => {
    const { spec, ...manifest } = world.manifest(on)
    const strategy = { canary: { scaleDownSource: true, steps: [{ setWeight: 50 }] } }
    return created(who, { ...manifest, spec: { ...Object(spec), strategy } })
  }

const changeOverride =
  (on: Place): Action =>
  async (who, world) => {
    const running = await world.experiment({ on })
    const change = ['patch', `expd/${running.name}`, '--type=merge', '-p', evilPatch]
    return stored(who.kubectl(change), () => world.getsImage(running, EVIL))
  }

const changeWithoutConsent: Action = async (who, world) => {
  const running = await world.experiment({ on: 'stock' })
  return world.withoutConsent(running, () =>
    who.kubectl(['patch', `expd/${running.name}`, '--type=merge', '-p', evilPatch]),
  )
}

const shrinkWithoutConsent: Action = async (who, world) => {
  const running = await world.experiment({ on: 'stock' })
  return world.withoutConsent(running, () =>
    stored(who.kubectl(scale(running, 0)), () => world.hasReplicas(running, 0)),
  )
}

/** Nobody asks for permissions when an experiment is scaled, so one on `stock` does not grow. */
const grows = (world: World, on: Place, running: Running): Promise<string> =>
  on === 'shop' ? world.hasReplicas(running, 3) : world.refuses(running, 'ScaleNotReviewed')

const scaleUp =
  (on: Place): Action =>
  async (who, world) => {
    const running = await world.experiment({ on })
    return stored(who.kubectl(scale(running, 3)), () => grows(world, on, running))
  }

const scaleDown: Action = async (who, world) => {
  const running = await world.experiment({ on: 'stock' })
  return stored(who.kubectl(scale(running, 0)), () => world.hasReplicas(running, 0))
}

const patchUp =
  (on: Place): Action =>
  async (who, world) => {
    const running = await world.experiment({ on })
    const patch = patchOf(`expd/${running.name}`, { spec: { replicas: 3 } })
    return stored(who.kubectl(patch), () => world.hasReplicas(running, 3))
  }

const autoscale: Action = async (who, world) => {
  const running = await world.experiment()
  const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
  const target = { type: 'Utilization', averageUtilization: 50 }
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: running.name },
    spec: {
      scaleTargetRef: { apiVersion, kind, name: running.name },
      minReplicas: 3,
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  }
  return stored(created(who, autoscaler), () => world.hasReplicas(running, 3))
}

const remove =
  (on: Place): Action =>
  async (who, world) => {
    const running = await world.experiment({ on })
    return stored(who.kubectl(['delete', `expd/${running.name}`, '--wait=false']), () => world.isGone(running, 'done'))
  }

const writeStatus: Action = async (who, world) => {
  const { name } = await world.experiment()
  const forged = patchOf(`expd/${name}`, { status: { conditions: [], share: '99%' } })
  return stored(who.kubectl([...forged, '--subresource=status']), async () => {
    await world.shop.shows(
      name,
      'its status again',
      (found) => condition(found, 'Ready') !== undefined && found.status?.share !== '99%',
    )
    return 'undone'
  })
}

/** The date means that the ten seconds, after which a policy takes the pods, never end. */
const stayAlone: Action = async (who, world) => {
  const { name } = await world.experiment({ on: 'stock' })
  return who.kubectl([
    ...patchOf(`expd/${name}`, { status: { aloneSince: '2099-01-01T00:00:00Z' } }),
    '--subresource=status',
  ])
}

const writeAnalysisRun: Action = async (who, world) => {
  const { name } = await world.experiment()
  const { apiVersion, kind } = ANALYSIS_RUN
  const spec = {
    experiment: { name, uid: 'u', generation: 1 },
    subject: '0123456789',
    ...{ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
    metrics: [{ ...HEALTH, dryRun: false }],
  }
  return created(who, { apiVersion, kind, metadata: { name: `${name}-forged` }, spec })
}

/** The webhook may replace the value before it is stored. */
const annotate =
  (on: Place, annotation: string, value: string): Action =>
  async (who, world) => {
    const { name } = await world.experiment({ on })
    return stored(who.kubectl(['annotate', '--overwrite', `expd/${name}`, `${annotation}=${value}`]), async () =>
      (await world.shop.experimentAt(name)).metadata.annotations?.[annotation] === value ? 'done' : 'undone',
    )
  }

const removeFinalizer: Action = async (who, world) => {
  const { name } = await world.experiment({ on: 'stock' })
  return stored(who.kubectl(patchOf(`expd/${name}`, { metadata: { finalizers: null } })), async () => {
    await world.shop.shows(name, 'its finalizer again', ({ metadata }) => metadata.finalizers?.length === 1)
    return 'undone'
  })
}

const keepByFinalizer: Action = async (who, world) => {
  const running = await world.experiment()
  const change = (finalizers: readonly string[]) =>
    who.kubectl(patchOf(`expd/${running.name}`, { metadata: { finalizers } }))
  return stored(change(['example.com/mine']), async () => {
    await who.kubectl(['delete', `expd/${running.name}`, '--wait=false'])
    await world.isGone(running, 'undone')
    return (await change([])) === 'done' ? 'undone' : 'the experiment is still there'
  })
}

/** For a minute she can. */
const keepByFinalizerOfFork: Action = async (who, world) => {
  const running = await world.experiment()
  const patch = patchOf(`deployment/${running.fork}`, { metadata: { finalizers: ['example.com/mine'] } })
  return stored(who.kubectl(patch), async () => {
    await who.kubectl(['delete', `expd/${running.name}`, '--wait=false'])
    return world.isGone(running, 'undone', HELD_MS)
  })
}

const followWithoutPermission: Action = async (_who, world) => {
  const running = await world.experimentOn('stock', 'followed')
  const image = 'registry.example/cart:2'
  await world.changeSource('stock', 'followed', image)
  return world.getsImage(running, image)
}

const readStatus: Action = async (who, world) => {
  const { name } = await world.experiment({ on: 'stock' })
  await world.shop.shows(name, 'a share', ({ status }) => status?.services?.[0]?.share !== undefined)
  return who.kubectl(['get', `expd/${name}`, '--output=yaml'])
}

export const WITH_EXPERIMENTS: Readonly<Record<string, Action>> = {
  'create an experiment in `shop`': create('shop'),
  'read the experiments of `shop`': (who) => who.kubectl(['get', 'expd']),
  'fork a workload of `shop`': create('shop'),
  'fork the shared workload of `stock`': create('stock'),
  'fork a workload that `stock` does not have': create('stock', 'nothing'),
  'fork a workload of `yard`': create('yard'),
  'make a workload of `shop` smaller by a canary': shrink('shop'),
  'make the shared workload of `stock` smaller by a canary': shrink('stock'),
  'change the override of an experiment on `stock`': changeOverride('stock'),
  'change the override of an experiment on `stock` after the consent was withdrawn': changeWithoutConsent,
  'change the override of an experiment in `shop`': changeOverride('shop'),
  'give an experiment on `stock` more pods with `kubectl scale`': scaleUp('stock'),
  'give an experiment in `shop` more pods with `kubectl scale`': scaleUp('shop'),
  'give an experiment on `stock` fewer pods with `kubectl scale`': scaleDown,
  'give an experiment on `stock` fewer pods after the consent was withdrawn': shrinkWithoutConsent,
  'give an experiment on `stock` more pods with `kubectl patch`': patchUp('stock'),
  'give an experiment in `shop` more pods with `kubectl patch`': patchUp('shop'),
  'give an experiment in `shop` more pods with an autoscaler': autoscale,
  'raise the reviewed replicas of an experiment on `stock` by hand': annotate('stock', REVIEWED_REPLICAS, '300'),
  'write another name into the annotation `requested-by`': annotate('shop', REQUESTED_BY, 'root'),
  'write the status of an experiment': writeStatus,
  'let a fork stay alone behind a Service of `stock`, against a policy, by a forged status': stayAlone,
  'write an analysis run, whose verdict may promote': writeAnalysisRun,
  'remove the finalizer of an experiment on `stock`': removeFinalizer,
  'keep the fork of a deleted experiment with a finalizer of her own': keepByFinalizer,
  'keep the fork of a deleted experiment with a finalizer on the fork': keepByFinalizerOfFork,
  'delete an experiment on `stock`': remove('stock'),
  'delete an experiment in `shop`': remove('shop'),
  'delete the experiment of `shop` that has a fork here': remove('stock'),
  'have an experiment on `stock` follow its source after she lost her permissions there': followWithoutPermission,
  'read the image, the Services and the share of an experiment on `stock`': readStatus,
}
