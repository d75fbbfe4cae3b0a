import { EXPERIMENT_DEPLOYMENT, IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import type { Api } from '../../sandbox/api.ts'
import { type Dice, diceOf } from '../fuzz/admission/dice.ts'

const NAMESPACES = ['soak-0', 'soak-1', 'soak-2', 'soak-3']
const SOURCES = ['cart', 'stock']
/** experiments at a time in each namespace */
const SLOTS = 12
/** What does not fit after this time was missed: the bound of a convergence. */
const LATE_MS = 30_000

interface Source {
  readonly namespace: string
  readonly name: string
  version: number
  changedMs: number
}

interface Wanted {
  readonly source: Source
  readonly name: string
  readonly uid: string
  image: string
  replicas: number
  changedMs: number
  isMissed: boolean
}

/** Creates, changes, scales and deletes experiments and changes their sources, and knows what the forks must become. */
export class Churn {
  readonly #api: Api
  readonly #dice: Dice
  readonly #sources: readonly Source[]
  readonly #wanted: Wanted[] = []
  /** forks without an experiment, by uid, since when */
  readonly #left = new Map<string, number>()
  #made = 0
  /** changes that did not reach a fork in time */
  missed = 0
  /** what was done, by kind */
  readonly done: Record<string, number> = {}

  constructor(api: Api, seed: number) {
    this.#api = api
    this.#dice = diceOf(seed)
    this.#sources = NAMESPACES.flatMap((namespace) =>
      SOURCES.map((name) => ({ namespace, name, version: 0, changedMs: performance.now() })),
    )
  }

  /** Creates the namespaces, the sources with their Services, and as many experiments as there will be at a time. */
  async prepare(): Promise<void> {
    for (const name of NAMESPACES) await this.#api.create('/api/v1/namespaces', { metadata: { name } })
    for (const { namespace, name } of this.#sources) {
      const labels = { app: name }
      await this.#api.create(`/api/v1/namespaces/${namespace}/services`, {
        metadata: { name },
        spec: { selector: labels, ports: [{ port: 80 }] },
      })
      const template = { metadata: { labels }, spec: { containers: [containerOf(0)] } }
      const spec = { replicas: 2, selector: { matchLabels: labels }, template }
      await this.#api.create(resourcePath(deployment, { namespace }), { metadata: { name }, spec })
    }
    while (this.#wanted.length < NAMESPACES.length * SLOTS) await this.#create()
  }

  /** Does one thing. */
  async step(): Promise<void> {
    const room = NAMESPACES.length * SLOTS - this.#wanted.length
    const roll = this.#dice.below(100)
    if (this.#wanted.length === 0 || (room > 0 && roll < 30)) await this.#create()
    else if (roll < 50) await this.#delete(this.#dice.pick(this.#wanted))
    else if (roll < 72) await this.#change(this.#dice.pick(this.#wanted), { image: `cart:${this.#dice.below(9)}` })
    else if (roll < 94) await this.#change(this.#dice.pick(this.#wanted), { replicas: this.#dice.below(4) })
    else await this.#changeSource(this.#dice.pick(this.#sources))
  }

  /** Compares the forks, read from the API server, with what they must be. Returns how many still differ. */
  async check(): Promise<number> {
    const asked = performance.now()
    const forks = await this.#api.list(
      `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent(`${IS_EXPERIMENT}=true`)}`,
    )
    const byOwner = new Map(forks.map((fork) => [fork.metadata.ownerReferences?.[0]?.uid, fork]))
    const late = this.#wanted.filter((wanted) => !fits(byOwner.get(wanted.uid), wanted))
    for (const wanted of late) {
      const sinceMs = Math.max(wanted.changedMs, wanted.source.changedMs)
      if (asked - sinceMs <= LATE_MS || wanted.isMissed) continue
      wanted.isMissed = true
      this.missed += 1
    }
    return late.length + this.#checkLeft(byOwner, asked)
  }

  /** The forks whose experiment is gone. */
  #checkLeft(byOwner: ReadonlyMap<string | undefined, KubeObject>, asked: number): number {
    const uids = new Set<string | undefined>(this.#wanted.map(({ uid }) => uid))
    const left = [...byOwner.keys()].filter((uid) => !uids.has(uid)).map(String)
    for (const uid of this.#left.keys()) if (!left.includes(uid)) this.#left.delete(uid)
    for (const uid of left) {
      const since = this.#left.get(uid) ?? asked
      if (asked - since > LATE_MS) this.missed += 1
      this.#left.set(uid, asked - since > LATE_MS ? Number.POSITIVE_INFINITY : since)
    }
    return left.length
  }

  async #create(): Promise<void> {
    const source = this.#dice.pick(this.#sources)
    const [name, image] = [`e${this.#made}`, `cart:${this.#dice.below(9)}`]
    this.#made += 1
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const { metadata } = await this.#api.create(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: source.namespace }), {
      ...{ apiVersion, kind, metadata: { name } },
      spec: {
        sourceRef: { kind: 'Deployment', name: source.name },
        replicas: 1,
        overrideType: 'Strategic', // Merge would replace the environment that comes from the source
        overrideSpec: overrideOf(image),
      },
    })
    const uid = metadata.uid ?? ''
    this.#wanted.push({ source, name, uid, image, replicas: 1, changedMs: performance.now(), isMissed: false })
    this.#count('created')
  }

  async #delete(wanted: Wanted): Promise<void> {
    await this.#api.delete(this.#path(wanted))
    this.#wanted.splice(this.#wanted.indexOf(wanted), 1)
    this.#count('deleted')
  }

  async #change(wanted: Wanted, to: { readonly image: string } | { readonly replicas: number }): Promise<void> {
    const spec = 'image' in to ? { overrideSpec: overrideOf(to.image) } : to
    await this.#api.patch(this.#path(wanted), { spec })
    Object.assign(wanted, to, { changedMs: performance.now(), isMissed: false })
    this.#count('image' in to ? 'changed' : 'scaled')
  }

  async #changeSource(source: Source): Promise<void> {
    const { namespace, name } = source
    const version = source.version + 1
    const spec = { template: { spec: { containers: [containerOf(version)] } } }
    await this.#api.patch(resourcePath(deployment, { namespace, name }), { spec })
    Object.assign(source, { version, changedMs: performance.now() })
    for (const wanted of this.#wanted) if (wanted.source === source) wanted.isMissed = false
    this.#count('sources changed')
  }

  #path = ({ source: { namespace }, name }: Wanted) => resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name })

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1
  }
}

const containerOf = (version: number) => ({
  name: 'app',
  image: 'registry.example/app:1',
  env: [{ name: 'VERSION', value: `${version}` }],
})

const overrideOf = (image: string) => ({
  template: { spec: { containers: [{ name: 'app', image: `registry.example/${image}` }] } },
})

/** Whether a fork has the replicas and the image of its experiment, and the rest of its source. */
function fits(fork: KubeObject | undefined, { image, replicas, source }: Wanted): boolean {
  const [container] = listOr(at(fork, 'spec', 'template', 'spec', 'containers'))
  return (
    at(fork, 'spec', 'replicas') === replicas &&
    at(container, 'image') === `registry.example/${image}` &&
    JSON.stringify(at(container, 'env')) === JSON.stringify([{ name: 'VERSION', value: `${source.version}` }])
  )
}
