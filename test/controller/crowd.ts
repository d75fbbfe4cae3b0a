import { CR_NAME } from '../../common/api/names.ts'
import { anExperiment } from '../builders.ts'
import { AVAILABLE, type ControllerWorld, PATHS, stored } from '../fakes/controller.ts'

const SERVICE = '/api/v1/namespaces/shop/services/cart'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices'
/** as the EndpointSlice controller fills them */
const PODS_IN_SLICE = 100

/** The Service that selects the source of `aController` and its forks. */
export const CART_SERVICE = {
  [SERVICE]: stored({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart', namespace: 'shop', uid: 'service' },
    spec: { selector: { app: 'cart' } },
  }),
}

const aSlice = (index: number, pods: readonly string[]) =>
  stored({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `cart-${index}`,
      namespace: 'shop',
      uid: `slice-${index}`,
      labels: { 'kubernetes.io/service-name': 'cart' },
    },
    endpoints: pods.map((name) => ({
      addresses: [name],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name, uid: name },
    })),
  })

/** What a cluster does with the forks in `world`: each gets a pod, which becomes an endpoint of the Service. */
class ForkPods {
  readonly #world: ControllerWorld
  readonly #slices: string[][] = [['cart-1', 'cart-2', 'cart-3']]
  readonly #seen = new Set<string>()
  /** forks in the order in which they get their pods */
  readonly #line: string[] = []

  constructor(world: ControllerWorld) {
    this.#world = world
  }

  /** Finds new forks. */
  #look(): void {
    for (const fork of this.#world.server.all(PATHS.deployments)) {
      if (fork.metadata.labels?.[CR_NAME] === undefined || this.#seen.has(fork.metadata.name)) continue
      this.#seen.add(fork.metadata.name)
      this.#line.push(fork.metadata.name)
    }
  }

  /** Starts the pods of the next `count` forks, in the order in which a cluster reports it. Returns of how many. */
  async serve(count: number): Promise<number> {
    this.#look()
    const next = this.#line.splice(0, count)
    const status = (name: string, of: object) =>
      this.#world.change(`${PATHS.deployments}/${name}`, () => ({ status: { observedGeneration: 99, ...of } }))
    for (const name of next) status(name, { replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 })
    await this.#world.pass(500)
    for (const name of next) this.#addEndpoint(`${name}-7975bcdf7b-6zpv7`)
    await this.#world.pass(300)
    for (const name of next) status(name, AVAILABLE)
    return next.length
  }

  #addEndpoint(pod: string): void {
    let slice = this.#slices.at(-1)
    if (slice === undefined || slice.length === PODS_IN_SLICE) {
      slice = []
      this.#slices.push(slice)
    }
    slice.push(pod)
    const index = this.#slices.length - 1
    this.#world.server.put(`${SLICES}/cart-${index}`, aSlice(index, slice))
  }
}

interface CrowdOptions {
  readonly count: number
  /** how many experiments are created, and how many forks get their pods, in a second */
  readonly perSecond: number
}

/**
 * Creates experiments in a running `world` whose forks get pods. Resolves when all are ready and all shares are
 * written.
 */
export async function growCrowd(world: ControllerWorld, { count, perSecond }: CrowdOptions): Promise<void> {
  const pods = new ForkPods(world)
  let created = 0
  for (let served = 0; served < count; ) {
    for (let each = 0; each < 4 * perSecond && created < count; each += 1, created += 1) {
      const name = `copy-${created}`
      world.server.put(`${PATHS.experiments}/${name}`, stored(anExperiment({ metadata: { name, uid: name } })))
    }
    served += await pods.serve(perSecond)
    await world.pass(200)
  }
  await world.pass(120_000)
}

/** How often the statuses of the crowd were written. */
export const statusWrites = ({ server }: ControllerWorld): number =>
  server.diary.filter((request) => /^apply .*\/copy-\d+\/status$/.test(request)).length
