/** A cluster in virtual time, whose controller meets with faults. */
import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, listOr } from '../../common/json/json.ts'
import { experimentId } from '../../common/workload/identity.ts'
import type { Controller } from '../../controller/controller.ts'
import { anExperiment } from '../builders.ts'
import { controllerOf, DEPLOYMENTS, PATHS, settle, versioned } from '../fakes/controller.ts'
import { ClusterHistory, FaultyClient, FaultyReads, type ViewName, type WriteFault } from '../fakes/faults.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { turn, VirtualTime } from '../virtual-time.ts'
import { perform, SOURCE, type Step, sourceOf } from './model-steps.ts'
import { StatusOracle } from './status-oracle.ts'

/** Longer than the longest waits of retries and of contested forks take together. */
const HEALED_MS = 600_000
/** How late Kubernetes may be. */
const TICK_MS = 5_000

/** A cluster, in which one controller runs after the other. */
export class ModelWorld {
  readonly time = new VirtualTime()
  readonly server = new ObjectStore()
  readonly history = new ClusterHistory(this.server)
  readonly oracle = new StatusOracle()
  readonly #faults: Iterator<WriteFault>
  readonly clients: FaultyClient[] = []
  #controller: Controller | undefined
  #uids = 0
  #isHealed = false
  /** the most forks that one experiment had at once */
  mostForks = 0

  constructor(faults: Iterator<WriteFault>) {
    this.#faults = faults
    this.server.onEvent = (path, event) => {
      this.history.add(path, event)
      if (path === SOURCE) this.oracle.sourceChanged(event)
      if (path === PATHS.experiment) this.oracle.experimentChanged(event)
    }
    this.server.put(SOURCE, sourceOf(0, this.nextUid()))
    this.createExperiment()
  }

  nextUid(): string {
    this.#uids += 1
    return `u${this.#uids}`
  }

  createExperiment(): void {
    this.server.put(PATHS.experiment, versioned(anExperiment({ metadata: { uid: this.nextUid() } })))
  }

  /** The lists and watches of the process that runs. */
  get reads(): FaultyReads | undefined {
    return this.clients.at(-1)?.reads
  }

  get forks(): readonly KubeObject[] {
    return this.server.all(DEPLOYMENTS).filter(({ metadata }) => metadata.name !== 'cart')
  }

  /** Starts a controller in place of the one before. Its first lists of `outdated` are old, their watches silent. */
  async start(outdated: readonly ViewName[] = []): Promise<void> {
    if (this.clients.length === 0) await this.history.remember()
    this.clients.at(-1)?.kill()
    const { server, history, time: timers } = this
    const reads = new FaultyReads({ server, history, timers })
    reads.freeze(outdated)
    for (const view of outdated) reads.failLists(view, 'past', 1)
    const nextFault = () => (this.#isHealed ? 'none' : (this.#faults.next().value ?? 'none'))
    this.clients.push(new FaultyClient(server, reads, nextFault))
    this.#controller = controllerOf(this.clients.at(-1) ?? server, timers)
    await this.#controller.start()
    this.#controller.lead()
    await this.settle()
  }

  /** Lets everything run that needs no time, also what Kubernetes does. A controller that was killed starts again. */
  async settle(): Promise<void> {
    await settle()
    if (this.clients.at(-1)?.isDead) return this.start()
    if (this.#kubernetes()) return this.settle()
  }

  /** Garbage collection, and the controller of Deployments. Returns whether anything changed. */
  #kubernetes(): boolean {
    const uid = this.server.at(PATHS.experiment)?.metadata.uid
    const isOrphan = ({ metadata }: KubeObject) => metadata.ownerReferences?.some((owner) => owner.uid !== uid)
    const orphans = this.forks.filter(isOrphan)
    this.mostForks = Math.max(this.mostForks, this.forks.length - orphans.length)
    for (const { metadata } of orphans) this.server.remove(`${DEPLOYMENTS}/${metadata.name}`)
    const late = this.server.all(DEPLOYMENTS).filter((each) => !isEqual(each.status, statusOf(each)))
    for (const { metadata } of late)
      this.server.change(`${DEPLOYMENTS}/${metadata.name}`, (found) => ({ ...found, status: statusOf(found) }))
    return orphans.length + late.length > 0
  }

  async perform(step: Step): Promise<void> {
    await perform(this, step)
    await this.settle()
  }

  /** Ends all faults. A controller that missed events for good is replaced. A deletion that has begun is completed. */
  async heal(): Promise<void> {
    this.#isHealed = true
    if (this.server.at(PATHS.experiment)?.metadata.deletionTimestamp) this.server.remove(PATHS.experiment)
    if (this.reads?.hasLost) await this.start()
    this.reads?.heal()
    await this.pass(HEALED_MS)
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TICK_MS) {
      await this.time.pass(Math.min(left, TICK_MS))
      await turn()
      if (this.#kubernetes()) await this.settle()
    }
    await this.settle()
  }

  /** The fork and the conditions, with neutral names. */
  get end(): unknown {
    const experiment = this.server.at(PATHS.experiment)
    const { uid = '' } = experiment?.metadata ?? {}
    const status = experiment?.status
    const conditions = listOr(at(status, 'conditions')).map((each) => [
      at(each, 'type'),
      at(each, 'status'),
      at(each, 'reason'),
    ])
    const text = JSON.stringify({
      conditions,
      source: this.server.at(SOURCE) && [at(status, 'source', 'uid'), at(status, 'source', 'templateHash')],
      forks: this.forks.map(({ metadata: { name }, spec }) => ({ name, spec })),
    })
    return JSON.parse(text.replaceAll(experimentId(uid), 'ID'))
  }

  async stop(): Promise<void> {
    this.reads?.end()
    await this.#controller?.stop()
  }
}

/** What the controller of Deployments says when all is done. */
function statusOf({ metadata, spec }: KubeObject): object {
  const replicas = Number(at(spec, 'replicas') ?? 1)
  const observedGeneration = metadata.generation ?? 0
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas }
  return { observedGeneration, ...(replicas > 0 ? counts : {}) }
}

const undisturbed = (): Iterator<WriteFault> => [][Symbol.iterator]()

/**
 * How it ends if nobody disturbs a controller that starts with the same experiment and source. Without a source, a fork
 * stays as it is.
 */
export async function reference({ server, forks }: ModelWorld): Promise<unknown> {
  const world = new ModelWorld(undisturbed())
  const kept = server.at(SOURCE) ? [] : forks
  for (const path of [PATHS.experiment, SOURCE]) {
    const found = server.at(path)
    world.server.remove(path)
    if (found) world.server.put(path, { ...found, status: undefined })
  }
  for (const fork of kept) world.server.put(`${DEPLOYMENTS}/${fork.metadata.name}`, fork)
  await world.start()
  await world.pass(HEALED_MS)
  await world.stop()
  return world.end
}
