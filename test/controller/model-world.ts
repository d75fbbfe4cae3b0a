/** A cluster in virtual time, whose controller meets with faults. */
import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, listOr, objectOr } from '../../common/json/json.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { Controller } from '../../controller/controller.ts'
import { aDeployment, anExperiment, imageOverride } from '../builders.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { NO_PROVIDERS } from './analysis/no-providers.ts'
import { FakeApiServer } from './fake-api-server.ts'
import { FaultyClient, type WriteFault } from './faulty-client.ts'
import { noMetrics } from './no-metrics.ts'
import { DEPLOYMENTS, EXPERIMENT, GROUP, versioned } from './running.ts'

const SOURCE = `${DEPLOYMENTS}/cart`
/** Longer than the longest waits of retries and of contested forks take together. */
const HEALED_MS = 600_000
/** How late Kubernetes may be. */
const TICK_MS = 5_000
/** What happens next. */
export type Step =
  | { readonly do: 'override' | 'source'; readonly tag: number }
  | { readonly do: 'scale' | 'foreign scale'; readonly replicas: number }
  | { readonly do: 'foreign field' | 'foreign deletion' | 'recreate' | 'delete' | 'lose events' | 'kill' }
  | { readonly do: 'pass'; readonly ms: number }

/** A cluster, in which one controller runs after the other. */
export class ModelWorld {
  readonly #time = new VirtualTime()
  readonly server = new FakeApiServer()
  readonly #faults: Iterator<WriteFault>
  readonly clients: FaultyClient[] = []
  #controller: Controller | undefined
  #uids = 0
  #isHealed = false
  #mustRestart = false
  /** the most forks that one experiment had at once */
  mostForks = 0

  constructor(faults: Iterator<WriteFault>) {
    this.#faults = faults
    this.server.put(SOURCE, versioned(aDeployment()))
    this.#create()
  }

  #create(spec: object = {}): void {
    this.#uids += 1
    const { metadata, ...experiment } = versioned(anExperiment())
    this.server.put(EXPERIMENT, {
      ...experiment,
      metadata: { ...metadata, uid: `u${this.#uids}` },
      spec: { ...objectOr(experiment.spec), ...spec },
    })
  }

  get forks(): readonly KubeObject[] {
    return this.server.all(DEPLOYMENTS).filter(({ metadata }) => metadata.name !== 'cart')
  }

  async start(): Promise<void> {
    this.clients.at(-1)?.kill()
    const client = new FaultyClient(this.server, () =>
      this.#isHealed ? 'none' : (this.#faults.next().value ?? 'none'),
    )
    this.clients.push(client)
    this.#controller = new Controller({
      client,
      workers: 2,
      kindProbeMs: 30_000,
      isPromotionInstalled: false,
      isGateInstalled: false,
      isCutOverInstalled: false,
      isAnalysisInstalled: false,
      http: NO_PROVIDERS,
      instance: 'pod-1',
      ownNamespace: 'experiment-controller-system',
      clock: () => new Date('2026-11-21T10:00:00Z'),
      timers: this.#time,
      random: () => 0.5,
      metrics: noMetrics(),
      log: diaryLog(),
    })
    await this.#controller.start()
    this.#controller.lead()
    await this.settle()
  }

  /** Lets everything run that needs no time, also what Kubernetes does. A controller that was killed starts again. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 30; turns += 1) await turn()
    if (this.clients.at(-1)?.isDead) return this.start()
    if (this.#kubernetes()) return this.settle()
  }

  /** Garbage collection, and the controller of Deployments. Returns whether anything changed. */
  #kubernetes(): boolean {
    const uid = this.server.at(EXPERIMENT)?.metadata.uid
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
    const spec = (of: object) => (found: KubeObject) => ({ ...found, spec: { ...objectOr(found.spec), ...of } })
    const ofFork = (change: (found: KubeObject) => KubeObject) => {
      for (const { metadata } of this.forks) this.server.change(`${DEPLOYMENTS}/${metadata.name}`, change)
    }
    const { server } = this
    if (step.do === 'pass') await this.#time.pass(step.ms)
    else if (step.do === 'override')
      server.change(EXPERIMENT, spec({ overrideSpec: imageOverride(`example/cart:rc${step.tag}`) }))
    else if (step.do === 'source')
      server.change(SOURCE, (found) => ({ ...found, spec: aDeployment({ image: `example/cart:${step.tag}` }).spec }))
    else if (step.do === 'scale') server.change(EXPERIMENT, spec({ replicas: step.replicas }))
    else if (step.do === 'foreign scale') ofFork(spec({ replicas: step.replicas }))
    else if (step.do === 'foreign field') ofFork(spec({ minReadySeconds: 7 }))
    else if (step.do === 'foreign deletion')
      for (const { metadata } of this.forks) server.remove(`${DEPLOYMENTS}/${metadata.name}`)
    else if (step.do === 'kill') await this.start()
    else if (step.do === 'lose events') this.#loseEvents()
    else {
      server.remove(EXPERIMENT)
      if (step.do === 'recreate') this.#create()
    }
    await this.settle()
  }

  #loseEvents(): void {
    this.#mustRestart = true
    for (const collection of [`${GROUP}/experimentdeployments`, '/apis/apps/v1/deployments'])
      this.server.frozen.add(collection)
  }

  /** Ends all faults. Events that were lost are not repeated, so a controller that missed some is replaced. */
  async heal(): Promise<void> {
    this.#isHealed = true
    this.server.frozen.clear()
    if (this.#mustRestart) await this.start()
    await this.pass(HEALED_MS)
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TICK_MS) {
      await this.#time.pass(Math.min(left, TICK_MS))
      await turn()
      if (this.#kubernetes()) await this.settle()
    }
    await this.settle()
  }

  /** The fork and the conditions, with neutral names. */
  get end(): unknown {
    const experiment = this.server.at(EXPERIMENT)
    const { uid = '' } = experiment?.metadata ?? {}
    const conditions = listOr(at(experiment?.status, 'conditions')).map((each) => [
      at(each, 'type'),
      at(each, 'status'),
      at(each, 'reason'),
    ])
    const text = JSON.stringify({
      conditions,
      forks: this.forks.map(({ metadata: { name }, spec }) => ({ name, spec })),
    })
    return JSON.parse(text.replaceAll(experimentId(uid), 'ID'))
  }

  async stop(): Promise<void> {
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

/** How it ends if nobody disturbs a controller that starts with the same experiment and source. */
export async function reference({ server }: ModelWorld): Promise<unknown> {
  const world = new ModelWorld(undisturbed())
  for (const path of [EXPERIMENT, SOURCE]) {
    const found = server.at(path)
    world.server.remove(path)
    if (found) world.server.put(path, { ...found, status: undefined })
  }
  await world.start()
  await world.pass(HEALED_MS)
  await world.stop()
  return world.end
}
