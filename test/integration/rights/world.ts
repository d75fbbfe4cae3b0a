/** The namespaces, experiments and answers that docs/rights.md speaks of. */
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { aNamespace } from '../fixture.ts'
import { aSource, DEADLINE_MS, forkOf, imagesOf, type Place, placeIn } from '../product.ts'
import { granted, grantedRights, ranAs } from '../users.ts'

/** The image of every source. */
export const FIRST_IMAGE = 'registry.example/cart:1'
/** The image that a user tries to have, where it must not be. */
export const EVIL = 'registry.example/evil:1'

/** A kind of user of the page, while she acts. */
export interface Actor {
  readonly name: string
  /** kubectl in `shop`, unless the arguments name another namespace; the answer is one of the page */
  readonly kubectl: (args: readonly string[], input?: object) => Promise<string>
}

/** An attempt of a user, by the words of the page. */
export type Action = (who: Actor, world: World) => Promise<string>

/** An experiment, its fork and where it is. */
export interface Running {
  readonly name: string
  readonly fork: string
  readonly beside: Place
}

/** The cluster in which the users of the page act. */
export class World {
  readonly shop: Place
  readonly stock: Place
  readonly yard: Place
  #count = 0

  constructor(places: Readonly<Record<'shop' | 'stock' | 'yard', Place>>) {
    this.shop = places.shop
    this.stock = places.stock
    this.yard = places.yard
  }

  /** Three namespaces with a workload each. That of `stock` is shared. */
  static async create(shop: Place): Promise<World> {
    const [stock, yard] = [await placeIn(await aNamespace()), await placeIn(await aNamespace())]
    await aSource(shop, 'web')
    await aSource(stock, 'cart')
    await aSource(yard, 'cart')
    const world = new World({ shop, stock, yard })
    await world.shares(stock, shop.namespace)
    await eventually('the consent', DEADLINE_MS, async () => {
      await world.experiment({ on: 'stock' })
    })
    return world
  }

  /** Lets experiments in the namespace `from` name sources of `place`. */
  async shares({ api, namespace }: Place, from: string): Promise<void> {
    const { metadata, spec, ...policy } = this.policy(namespace)
    const shared = { ...policy, metadata, spec: { ...Object(spec), allowSourcesFrom: [from] } }
    await api.apply(resourcePath(EXPERIMENT_POLICY, { name: metadata.name }), shared)
  }

  /** A policy that shares `namespace` with `shop`. */
  policy(namespace: string): KubeObject {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
    return {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `rights-${namespace}` },
      spec: { namespaceSelector, allowSourcesFrom: [this.shop.namespace] },
    }
  }

  async unshares({ api, namespace }: Place): Promise<void> {
    await api.delete(resourcePath(EXPERIMENT_POLICY, { name: `rights-${namespace}` }))
  }

  /** The manifest of another experiment, on the workload of a namespace. */
  manifest(on: 'shop' | 'stock' | 'yard', source = on === 'shop' ? 'web' : 'cart'): KubeObject {
    this.#count += 1
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const sourceRef = { kind: 'Deployment', name: source, namespace: this[on].namespace }
    return { apiVersion, kind, metadata: { name: `e${this.#count}` }, spec: { sourceRef, overrideSpec: {} } }
  }

  /** An experiment that an admin created, with its fork. */
  async experiment({
    on = 'shop',
    ...spec
  }: {
    on?: 'shop' | 'stock'
    onSourceChange?: string
  } = {}): Promise<Running> {
    const { spec: wanted, ...manifest } = this.manifest(on)
    return this.#running({ ...manifest, spec: { ...Object(wanted), ...spec } }, on)
  }

  /** An experiment with a source of its own, called `source`. */
  async experimentOn(on: 'shop' | 'stock', source: string): Promise<Running> {
    await aSource(this[on], source)
    return this.#running(this.manifest(on, source), on)
  }

  async #running(manifest: KubeObject, on: 'shop' | 'stock'): Promise<Running> {
    await this.shop.api.create(this.shop.path('experiments'), manifest)
    const { name } = manifest.metadata
    return { name, fork: forkOf(await this.shop.reaches(name, 'Available')), beside: this[on] }
  }

  async changeSource(on: 'shop' | 'stock', source: string, image: string): Promise<void> {
    await this[on].api.patch(this[on].path('deployments', source), { spec: imageOverride(image) })
  }

  /** The answer to `attempt` while `stock` shares its workloads with another namespace only. */
  async withoutConsent({ name }: Running, attempt: () => Promise<string>): Promise<string> {
    const other = await this.experiment({ on: 'stock' })
    await this.shares(this.stock, this.yard.namespace)
    for (const each of [name, other.name]) await this.shop.reaches(each, 'SourceNotAllowed')
    const answer = await attempt()
    await this.shares(this.stock, this.shop.namespace)
    await this.shop.reaches(other.name, 'Available') // both programs see the consent again
    await eventually('the consent', DEADLINE_MS, () => this.experiment({ on: 'stock' }))
    return answer
  }

  /** Waits until the fork has `replicas`. */
  hasReplicas = ({ fork, beside }: Running, replicas: number): Promise<string> =>
    becomes(`${fork} to have ${replicas} replicas`, 'done', async () => {
      const found = replicasOf(await beside.deployment(fork))
      if (found !== replicas) throw new Error(`it has ${found}`)
    })

  /** Waits until the fork has `image`. */
  getsImage = ({ fork, beside }: Running, image: string): Promise<string> =>
    becomes(`${fork} to have ${image}`, 'done', async () => {
      const found = imagesOf(await beside.deployment(fork)).join()
      if (found !== image) throw new Error(`it has ${found}`)
    })

  /** Waits until the experiment says why its fork stays as it is. */
  refuses = async ({ name, fork, beside }: Running, reason: string, replicas = 1): Promise<string> => {
    await this.shop.reaches(name, reason)
    const found = await beside.deployment(fork)
    return replicasOf(found) === replicas && !imagesOf(found).includes(EVIL) ? `controller: ${reason}` : 'done'
  }

  /** Waits until the fork is gone. */
  isGone = ({ fork, beside }: Running, answer: 'done' | 'undone', withinMs = DEADLINE_MS): Promise<string> => {
    const isGone = async () => {
      const forks = await beside.api.list(beside.path('deployments'))
      if (forks.some(({ metadata }) => metadata.name === fork)) throw new Error('it is there')
    }
    return becomes(`${fork} to be gone`, answer, isGone, withinMs)
  }

  /** The names of this run, as on the page. */
  onPage = (text: string): string =>
    [this.shop, this.stock, this.yard]
      .reduce((said, { namespace }, at) => said.replaceAll(namespace, ['shop', 'stock', 'yard'][at] ?? ''), text)
      .replaceAll(/-experiment-[0-9a-f]{10}\b/g, '-experiment-ID')

  /** A user who has exactly the permissions of a line of the page, each written as `WHAT` in `NAMESPACE`. */
  async actor(name: string, rights: string): Promise<Actor> {
    const all = [...rights.matchAll(/`([^`]+)` in (?:`(\w+)`|all namespaces)/g)]
    for (const [, what = '', where] of all) {
      const namespace = where === undefined ? undefined : this[where as 'shop'].namespace
      const [verbs = '', resources] = what.split(' ')
      if (resources === undefined) await granted(name, what, namespace)
      else await grantedRights(name, namespace, { verbs, resources })
      const proof =
        resources === undefined
          ? ['get', 'experimentdeployments']
          : [verbs.split(',')[0] ?? '', resources.split(',')[0] ?? '']
      const can = ['auth', 'can-i', ...proof, ...(namespace === undefined ? [] : ['-n', namespace])]
      await eventually(`${name} to have ${what}`, DEADLINE_MS, async () => {
        const { text } = await ranAs(name, can)
        if (!/^yes$/m.test(text)) throw new Error(text)
      })
    }
    return this.named(name)
  }

  /** A user by her name alone. */
  named(name: string): Actor {
    const kubectl = async (args: readonly string[], input?: object) => {
      const place = args.includes('-n') ? [] : ['-n', this.shop.namespace]
      const { code, text } = await ranAs(name, [...place, ...args], input)
      return code === 0 ? 'done' : this.onPage(refusal(text))
    }
    return { name, kubectl }
  }
}

async function becomes(
  what: string,
  answer: string,
  holds: () => Promise<void>,
  withinMs = DEADLINE_MS,
): Promise<string> {
  await eventually(what, withinMs, holds)
  return answer
}

/** The answer of the page for what kubectl prints about a refused request. */
function refusal(text: string): string {
  if (/is forbidden: User "[^"]+" cannot /.test(text)) return 'RBAC'
  const [, policy, said] =
    /ValidatingAdmissionPolicy 'experiment-(?:controller-)?(\w+)' .*denied request: (.+)/.exec(text) ?? []
  if (policy) return `${policy} policy: ${said}`
  const [, denied] = /denied the request: (.+)/.exec(text) ?? []
  const [, invalid] = /is invalid: (?:\[)?(.+)/.exec(text) ?? []
  return (denied ?? invalid) ? `webhook: ${denied ?? invalid}` : text
}

/** An override with another image. */
export const evilPatch = JSON.stringify({ spec: { overrideSpec: imageOverride(EVIL) } })
