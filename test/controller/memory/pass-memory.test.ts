import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { namedReflectors } from '../../../controller/caches.ts'
import { createSubsystems, type Subsystems } from '../../../controller/subsystems.ts'
import { aDeployment, anExperiment, aPolicy, installing } from '../../builders.ts'
import { PATHS, stored } from '../../fakes/controller.ts'
import { ObjectStore } from '../../fakes/object-store.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'
import { NO_PROVIDERS } from '../analysis/no-providers.ts'
import { noMetrics } from '../no-metrics.ts'

const COUNT = 1_000
/** How many experiments each namespace has. */
const IN_NAMESPACE = 50
/** Longer than anything is kept of what is gone. */
const LONG_MS = 4 * 3_600_000

const STRATEGIES = {
  canary: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  blueGreen: { blueGreen: { activeService: 'cart' } },
} as const

/** How many entries the maps have that are about experiments, their namespaces, Services or forks. */
const entriesOf = (parts: Subsystems) => ({
  steps: parts.memory.steps.entryCount,
  unreported: parts.memory.unreported.size,
  refused: parts.memory.refused.size,
  statusWrites: parts.memory.sharePace.size,
  reservations: parts.reservations.entryCount,
  index: parts.index.entryCount,
  traffic: parts.traffic.entryCount,
  referrers: parts.referrers.size,
  forkPods: parts.forkPods.size,
  policies: parts.policies.entryCount,
  neighbours: parts.neighbours.size,
  analysis: parts.analysis?.entryCount,
  queue: parts.queue.entryCount,
  paced: parts.paced.size,
  written: parts.written.entryCount,
  events: parts.recorder.rememberedCount + parts.recorder.pendingCount,
})

/** A controller in virtual time that leads, and a policy that counts experiments. */
async function leading() {
  const time = new VirtualTime()
  const policy = `${PATHS.policies}/limits`
  const server = new ObjectStore({ [policy]: stored(aPolicy({ maxExperimentsPerSource: COUNT })) })
  const clock = () => new Date(Date.parse('2026-11-21T10:00:00Z') + time.now())
  const parts = createSubsystems(
    {
      client: server,
      workers: 16,
      kindProbeMs: 30_000,
      installed: installing('promotion', 'gate', 'cutOver', 'analysis'),
      http: NO_PROVIDERS,
      instance: 'pod-1',
      ownNamespace: 'ops',
      clock,
      timers: time,
      random: () => 0,
      metrics: noMetrics(),
      log: diaryLog(),
    },
    new AbortController().signal,
    () => true,
  )
  const reflectors = namedReflectors(parts.caches)
  for (const { reflector } of reflectors) reflector.start()
  await Promise.all([parts.schemas.refresh(), ...reflectors.map(({ reflector }) => reflector.synced())])
  parts.workers.start()
  parts.policies.startStatus()
  return {
    parts,
    server,
    pass: async (forMs: number) => {
      await time.pass(forMs)
      for (let turns = 0; turns < 30; turns += 1) await turn()
    },
    removePolicy: () => server.remove(policy),
    async stop() {
      parts.paced.stop()
      parts.neighbours.stop()
      await Promise.all([parts.workers.stop(), parts.policies.stop(), parts.recorder.stop(), parts.analysis?.stop()])
      await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
    },
  }
}

type World = Awaited<ReturnType<typeof leading>>

/** The names of the maps that are not empty. */
const filled = ({ parts }: World): readonly string[] =>
  Object.entries(entriesOf(parts)).flatMap(([name, entries]) => (entries === 0 ? [] : [name]))

/** Keeps the answers to some requests back until `release`. */
function held({ server }: World, isHeld: (request: KubeRequest) => boolean) {
  const request = server.request.bind(server)
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.request = async (each) => {
    if (isHeld(each)) {
      asked.resolve()
      await released.promise
    }
    return request(each)
  }
  return {
    asked: asked.promise,
    release: () => {
      server.request = request
      released.resolve()
    },
  }
}

/** A namespace with the source `cart`, its Service and experiments. */
class Shop {
  readonly #world: World
  readonly #namespace: string
  readonly #paths: Readonly<Record<'namespace' | 'experiments' | 'deployments' | 'source' | 'service', string>>

  constructor(world: World, namespace: string) {
    this.#world = world
    this.#namespace = namespace
    const here = (path: string) => path.replace('/shop/', `/${namespace}/`)
    const path = `/api/v1/namespaces/${namespace}`
    this.#paths = {
      namespace: path,
      service: `${path}/services/cart`,
      source: here(PATHS.source),
      deployments: here(PATHS.deployments),
      experiments: here(PATHS.experiments),
    }
    const named = { apiVersion: 'v1', metadata: { name: 'cart', namespace, uid: namespace } }
    world.server.put(path, stored({ ...named, kind: 'Namespace', metadata: { name: namespace, labels: {} } }))
    world.server.put(this.#paths.service, stored({ ...named, kind: 'Service', spec: { selector: { app: 'cart' } } }))
    world.server.put(this.#paths.source, stored(aDeployment({ metadata: named.metadata })))
  }

  create(name: string, strategy: keyof typeof STRATEGIES = 'canary'): void {
    const metadata = { name, namespace: this.#namespace, uid: `${this.#namespace}-${name}` }
    const experiment = anExperiment({ metadata, strategy: STRATEGIES[strategy] })
    this.#world.server.put(`${this.#paths.experiments}/${name}`, stored(experiment))
  }

  /** Changes the source, so that the next pass of each experiment reads it. */
  update(): void {
    this.#world.server.change(this.#paths.source, ({ metadata }) => stored(aDeployment({ image: 'cart:3', metadata })))
  }

  /** Deletes an experiment while its pass, which `begin` causes, waits for an answer about `read`. */
  async deleteDuringPass(name: string, read: 'source' | 'service', begin: () => void): Promise<void> {
    const { server, pass } = this.#world
    const answer = held(this.#world, ({ verb, path }) => verb === 'get' && path === this.#paths[read])
    begin()
    await pass(100)
    await answer.asked
    server.remove(`${this.#paths.experiments}/${name}`)
    await pass(0)
    answer.release()
    await pass(0)
  }

  /** Everything in it is deleted; forks by garbage collection. Returns how many experiments there were. */
  async close(): Promise<number> {
    const { server, pass } = this.#world
    const remove = (collection: string) => {
      const all: readonly KubeObject[] = server.all(collection)
      for (const { metadata } of all) server.remove(`${collection}/${metadata.name}`)
      return all.length
    }
    const count = remove(this.#paths.experiments)
    remove(this.#paths.deployments)
    for (const path of [this.#paths.service, this.#paths.namespace]) server.remove(path)
    await pass(1_000)
    return count
  }
}

describe('the memory of the controller', function () {
  this.timeout(300_000) // ten seconds on an idle machine

  it('is empty once 1,000 canaries came and went, also those that were deleted during a pass', async () => {
    const world = await leading()
    const first = new Shop(world, 'first')
    await first.deleteDuringPass('at-first', 'source', () => first.create('at-first'))
    for (const name of ['later', 'other']) first.create(name)
    await world.pass(1_000)
    await first.deleteDuringPass('later', 'source', () => first.update())
    await first.deleteDuringPass('switched', 'service', () => first.create('switched', 'blueGreen'))
    expect(filled(world), 'while there are experiments').to.include.members(['steps', 'index', 'traffic'])
    let gone = 3 + (await first.close())
    while (gone < COUNT) {
      const shop = new Shop(world, `shop-${gone}`)
      for (let index = 0; index < IN_NAMESPACE; index += 1) shop.create(`canary-${index}`)
      await world.pass(1_000)
      gone += await shop.close()
    }
    world.removePolicy()
    await world.pass(LONG_MS)
    const left = filled(world)
    await world.stop()
    expect(left, 'when all are gone').to.deep.equal([])
  })
})
