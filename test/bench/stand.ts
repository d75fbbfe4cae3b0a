import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, PROGRAMS } from '../../build/bundle.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import type { Program } from '../../sandbox/bundles.ts'
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { crds, type Installation, type InstallOptions, install } from '../../sandbox/installation.ts'
import { inParallel } from '../in-parallel.ts'
import { inTime } from '../in-time.ts'
import { shippedCommand } from '../manifests/shipped.ts'
import { type CrowdWatch, watchCrowd } from './crowd-watch.ts'
import { prepare, type Side } from './forks.ts'

/** concurrent requests of the client that creates a crowd */
const LANES = 32

/** A control plane of its own: what an earlier measurement left behind would slow down a later one. */
export interface Stand {
  readonly plane: ControlPlane
  readonly client: KubeClient
}

/** Runs `measure` in a new control plane without the product. */
export async function onPlane<T>(tell: (line: string) => void, measure: (stand: Stand) => Promise<T>): Promise<T> {
  const plane = await startControlPlane({ say: tell, crds: await crds() })
  const { kubeconfig } = plane
  const client = kubeClient({ kubeconfig, userAgent: 'bench', timers: realTimers(), random: Math.random })
  try {
    return await measure({ plane, client })
  } finally {
    await client.close()
    await plane.stop()
  }
}

/** The flags of Node for measuring, for example `--cpu-prof`, which are given to the controller. */
const EXTRA_FLAGS = (process.env.BENCH_CONTROLLER_FLAGS ?? '').split(' ').filter((flag) => flag !== '')

/** How the product is installed, and more flags of Node for the controller. */
interface ProductOptions extends Pick<InstallOptions, 'overlay' | 'settings'> {
  readonly controllerFlags?: readonly string[]
}

/** Runs `measure` in a new control plane with the product, started from its bundles as the manifests start it. */
export async function withProduct<T>(
  tell: (line: string) => void,
  measure: (stand: Stand & { readonly product: Installation }) => Promise<T>,
  { controllerFlags = [], ...options }: ProductOptions = {},
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'experiment-bench-'))
  try {
    await bundle(PROGRAMS, folder)
    const argsOf = (name: Program) => {
      const { flags, file } = shippedCommand(name)
      return [...flags, ...(name === 'controller' ? [...controllerFlags, ...EXTRA_FLAGS] : []), join(folder, file)]
    }
    return await onPlane(tell, async (stand) =>
      measure({ ...stand, product: await install(stand.plane, { argsOf, ...options }) }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Creation {
  readonly side: Side
  readonly namespace: string
  readonly count: number
  readonly deadlineMs: number
}

/** Objects that were created and are ready, and their watch. */
export interface Created {
  readonly watch: CrowdWatch
  /** how many requests the client repeated because a webhook did not answer in time; on a busy machine only */
  readonly repeated: number
  /** from the first request until the last object was ready */
  readonly seconds: number
}

/** Creates `count` objects of a side, on one source behind one Service in a new namespace, until all are ready. */
export async function createCrowd({ plane, client }: Stand, of: Creation): Promise<Created> {
  const { side, namespace, count, deadlineMs } = of
  const source = await prepare(plane, namespace)
  const isReady = (object: KubeObjectOf) => object.metadata.name !== source.metadata.name && side.isReady(object)
  const watch = await watchCrowd({ client, path: side.path(namespace), isReady })
  const objects = Array.from({ length: count }, (_, index) => side.object(index, namespace, source))
  const startedMs = performance.now()
  let repeated = 0
  const create = (object: object): Promise<unknown> =>
    inTime(
      () => plane.api.create(side.path(namespace), object),
      () => {
        repeated += 1
      },
    )
  await inParallel(LANES, objects, create)
  await watch.ready(count, deadlineMs)
  return { watch, repeated, seconds: (watch.crowd.changedMs - startedMs) / 1_000 }
}

type KubeObjectOf = Parameters<Side['isReady']>[0]
