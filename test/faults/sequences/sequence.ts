import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { isEqual, type JsonObject } from '../../../common/json/json.ts'
import { type Api, ApiError } from '../../../sandbox/api.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import type { Opened } from '../../fuzz/admission/court.ts'
import { condition } from '../../integration/product.ts'
import { Experiment, type Spec } from './experiment.ts'
import { type Shape, type Snapshot, Source } from './source.ts'
import { type Content, contentOf, differs, mustBe, wantedFork } from './wanted.ts'

/** What all sequences share. */
export interface Ground {
  readonly api: Api
  readonly opened: Opened
  /** how long everything may take to be as wanted */
  readonly limitMs: () => number
  /** Ends the controller as `signal` does, and starts another one. */
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>
  /** counts what a step came to */
  readonly count: (what: Outcome) => void
}

/** `merged`: the fork is as it must be; `refused`: nothing changed; `held`: told in the status, and the fork stayed. */
export type Outcome = 'merged' | 'refused' | 'held' | 'refused, though meant to be valid'

/** Where a sequence takes place. The source has the name. */
export interface SequenceOf {
  readonly namespace: string
  readonly name: string
  readonly shape: Shape
}

/** An experiment and its source, and the laws that hold whatever happens to them. */
export class Sequence {
  readonly source: Source
  readonly experiment: Experiment
  readonly #ground: Ground
  readonly #of: SequenceOf
  /** the base of a fork that does not follow its source */
  #pinned: Snapshot | undefined
  /** of the fork, and of the experiment, when they last were as wanted */
  #content: Content | undefined
  #good: Spec | undefined

  constructor(ground: Ground, of: SequenceOf) {
    const { namespace, name, shape } = of
    const kind = shape === 'RolloutOfDeployment' ? 'Rollout' : shape
    const { spec } = ground.opened.court.sources[kind]
    this.#ground = ground
    this.#of = of
    this.source = new Source({ api: ground.api, namespace, name, shape, spec })
    this.experiment = this.#called(`${name}-x`)
  }

  #called(name: string): Experiment {
    return new Experiment({ api: this.#ground.api, namespace: this.#of.namespace, name, kind: this.source.kind })
  }

  /** Creates the source, and an experiment that overrides nothing. */
  async begin(): Promise<void> {
    await this.source.create()
    const sourceRef = { kind: this.source.kind, name: this.#of.name }
    await this.experiment.create({ sourceRef, replicas: 0, overrideSpec: {} })
    await this.settles()
  }

  /** Deletes the experiment, and waits until its fork is gone. */
  async end(): Promise<void> {
    await this.#deletes(this.experiment)
    await this.source.delete()
  }

  get isPinned(): boolean {
    return this.#pinned !== undefined
  }

  /** Follows or pins from now on. The base of a pinned fork is its source as it is now. */
  async toggle(): Promise<void> {
    const onSourceChange = this.#pinned ? 'Follow' : 'Pin'
    const snapshot = await this.source.read()
    if (!(await this.experiment.patch({ spec: { onSourceChange } }))) throw new Error(`${onSourceChange} was refused`)
    this.#pinned = this.#pinned ? undefined : snapshot
    await this.settles()
  }

  /** Deletes the experiment and creates it again under its name, with `more` in its override. */
  async again(more: JsonObject): Promise<void> {
    const before = await this.experiment.read()
    if (!(await this.#goesWithSource(before))) return
    await this.experiment.delete()
    const overrideSpec = { ...before.spec.overrideSpec, ...more }
    const snapshot = await this.source.read()
    await this.experiment.create({ ...before.spec, overrideSpec })
    if (this.#pinned) this.#pinned = snapshot
    await this.settles()
    await this.#isGone(this.experiment.forkPath(before))
  }

  /** The source is deleted: the status must say so, and the fork must stay. Then it is created again. */
  async vanishes(): Promise<void> {
    const before = await this.experiment.fork(await this.experiment.read())
    const snapshot = await this.source.read()
    await this.source.vanish()
    await this.#eventually('miss its source', async () => {
      const now = await this.experiment.read()
      const { status, reason } = condition(now, 'SourceResolved') ?? {}
      if (status !== 'False' || reason !== 'SourceNotFound') throw new Error(`${status} ${reason}`)
      const { metadata } = await this.experiment.fork(now)
      if (metadata.uid !== before.metadata.uid || metadata.generation !== before.metadata.generation)
        throw new Error('the fork has changed')
    })
    await this.source.comeBack(snapshot)
    await this.settles()
  }

  /** Creates another experiment with the present spec: the way to a resource does not matter. */
  async rival(): Promise<void> {
    const present = await this.experiment.read()
    if (!(await this.#goesWithSource(present))) return
    const { spec } = present
    const rival = this.#called(`${this.#of.name}-rival`)
    await rival.create({ ...spec })
    const settled = await this.#settles(rival, await this.source.read())
    if ('refusal' in settled) throw new Error(`another one cannot have a fork: ${settled.refusal}`)
    const fork = await rival.fork(await rival.read())
    // one that is pinned has another base, if the source has changed since
    if (!this.#pinned && this.#content) differs('another way gives', contentOf(fork.spec), this.#content)
    await this.#deletes(rival)
  }

  /**
   * Whether a new experiment with that spec is admitted. A pinned one keeps a base that its source has no longer, and
   * its override may not go with the present one.
   */
  async #goesWithSource(experiment: ExperimentDeployment): Promise<boolean> {
    if (!this.#pinned) return true
    return !('refusal' in (await this.#wanted(experiment, await this.source.read())))
  }

  #wanted(experiment: ExperimentDeployment, snapshot: Snapshot): ReturnType<typeof wantedFork> {
    const { api, opened } = this.#ground
    return wantedFork({ api, court: opened.court, namespace: this.#of.namespace }, experiment, snapshot)
  }

  /**
   * Waits until the fork is as it must be. If the API server does not take that, the status must say so and the fork
   * must stay as it was.
   */
  async settles(): Promise<'merged' | 'held'> {
    const settled = await this.#settles(this.experiment, this.#pinned ?? (await this.source.read()))
    if ('refusal' in settled) return this.isHeld(settled.refusal)
    if (settled.isHeld) return this.#held()
    this.#content = settled.content
    this.#good = settled.spec
    this.#ground.count('merged')
    return 'merged'
  }

  /** Or why there can be no such fork. */
  async #settles(
    experiment: Experiment,
    snapshot: Snapshot,
  ): Promise<
    { readonly content: Content; readonly spec: Spec; readonly isHeld: boolean } | { readonly refusal: string }
  > {
    const written = await experiment.read()
    const wanted = await this.#wanted(written, snapshot)
    if ('refusal' in wanted) return wanted
    const isHeld = await this.#eventually('be as it must', async () => {
      const now = await experiment.read()
      isSeen(now)
      const fork = await experiment.fork(now)
      // the product may notice before Argo does that no pods can be created
      if (wanted.podRefusal !== undefined && isStalled(now) && this.#isUnchanged(fork)) return true
      mustBe(fork, now, wanted)
      const isPinned = now.status?.source?.pinned === true
      if (isPinned !== (now.spec.onSourceChange === 'Pin')) throw new Error(`pinned: ${isPinned}`)
      return false
    })
    return { content: wanted.content, spec: written.spec, isHeld }
  }

  #isUnchanged({ spec }: KubeObject): boolean {
    return this.#content !== undefined && isEqual(contentOf(spec), this.#content)
  }

  /** The status must say that no such fork can be, and the fork must be as it was when it last was as wanted. */
  async isHeld(because: string): Promise<'held'> {
    const content = this.#content
    if (!content) throw new Error(`the first fork cannot be made: ${because}`)
    await this.#eventually(`be held (${because})`, async () => {
      const now = await this.experiment.read()
      isSeen(now)
      if (!isStalled(now)) throw new Error(JSON.stringify(now.status?.conditions))
      differs('the fork that must stay has', contentOf((await this.experiment.fork(now)).spec), content)
    })
    return this.#held()
  }

  #held(): 'held' {
    this.#ground.count('held')
    return 'held'
  }

  /** Writes the last spec with which the fork was as wanted. It must be so again. */
  async heal(): Promise<void> {
    if (!this.#good || !(await this.experiment.put(this.#good))) throw new Error('the last good experiment is refused')
    if ((await this.settles()) !== 'merged') throw new Error('the last good experiment does not heal it')
  }

  async #deletes(experiment: Experiment): Promise<void> {
    const fork = experiment.forkPath(await experiment.read())
    await experiment.delete()
    await this.#isGone(fork)
  }

  #isGone(path: string): Promise<void> {
    return this.#eventually('leave no fork', async () => {
      const found = await this.#ground.api.get(path).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      })
      if (found) throw new Error(`${found.metadata.name} is there`)
    })
  }

  #eventually<T>(what: string, look: () => Promise<T>): Promise<T> {
    const { namespace, name, shape } = this.#of
    return eventually(`${shape} ${namespace}/${name} to ${what}`, this.#ground.limitMs(), look, { pauseMs: 200 })
  }
}

/** Without Argo, every Rollout is stalled after some time. */
function isStalled(experiment: ExperimentDeployment): boolean {
  const stalled = condition(experiment, 'Stalled')
  return stalled?.status === 'True' && stalled.reason !== 'NotReconciled'
}

function isSeen({ metadata, status }: ExperimentDeployment): void {
  if (status?.observedGeneration !== metadata.generation) throw new Error('the controller has not seen it')
}
