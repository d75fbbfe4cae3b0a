import { expect } from 'chai'
import { ANALYSIS_PROVIDER, ANALYSIS_TEMPLATE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { at, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { DECIDED } from '../../analyses/analyses.ts'
import { aRollout } from '../../integration/argo.ts'
import { DEADLINE_MS, forkOf, type Place, placeIn } from '../../integration/product.ts'
import { usesPlugin } from './plugin.ts'
import { usesScenes } from './scenes.ts'

const FORGE = { user: 'admin', namespace: 'forge' } as const
const PROVIDER = 'forge'
const IMAGE = 'registry.example/cart:2.0.0'
const KINDS = { deployment: 'deployments', statefulset: 'statefulSets', rollout: 'rollouts' } as const
type Kind = keyof typeof KINDS

/** What a fork and its experiment must be, as the flags say. */
interface Wanted {
  readonly images?: Readonly<Record<string, string>>
  readonly env?: readonly (readonly [container: string, name: string, value: string])[]
  /** of the experiment */
  readonly spec?: JsonObject
  /** without a strategy the fork gets its pods at once */
  readonly pods?: number
}

interface Combination extends Wanted {
  readonly kind: Kind
  readonly flags: readonly string[]
}

const steps = (...all: readonly JsonObject[]) => ({ strategy: { canary: { steps: all } } }) as JsonObject

/** Of the flags, as the page has them, over the kinds. */
const COMBINATIONS: readonly Combination[] = (['deployment', 'statefulset', 'rollout'] as const).flatMap((kind) => [
  { kind, flags: ['--image', `cart=${IMAGE}`], images: { cart: IMAGE }, pods: 1 },
  {
    kind,
    flags: ['--image', `cart=${IMAGE}`, '--env', 'cart:FLAG=on', '--env', 'proxy:LOG=a=b c', '--replicas', '2'],
    images: { cart: IMAGE },
    env: [
      ['cart', 'FLAG', 'on'],
      ['proxy', 'LOG', 'a=b c'],
    ],
    spec: { replicas: 2 },
    pods: 2,
  },
  {
    kind,
    flags: ['--image', `cart=${IMAGE}`, '--image', 'warm=registry.example/warm:2', '--ttl', '1h30m'],
    images: { cart: IMAGE, warm: 'registry.example/warm:2' },
    spec: { ttlSeconds: 5_400 },
    pods: 1,
  },
  {
    kind,
    flags: ['--env', 'cart:FLAG=', '--steps', '50%,pause', '--ttl=2d'],
    env: [['cart', 'FLAG', '']],
    spec: { ttlSeconds: 172_800, ...steps({ setWeight: 50 }, { pause: {} }) },
  },
  {
    kind,
    flags: ['--image', `proxy=${IMAGE}`, '--steps=10%,1h,100%', '--analysis'],
    images: { proxy: IMAGE },
    spec: { analysis: {}, ...steps({ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 100 }) },
  },
  {
    kind,
    flags: ['--image', `cart=${IMAGE}@sha256:${'0a'.repeat(32)}`, '--analysis=quick', '--replicas=0'],
    images: { cart: `${IMAGE}@sha256:${'0a'.repeat(32)}` },
    spec: { replicas: 0, analysis: { templates: [{ name: 'quick', scope: 'Namespace' }] } },
    pods: 0,
  },
  { kind, flags: [], pods: 1 },
])

const POD = {
  initContainers: [{ name: 'warm', image: 'registry.example/warm:1' }],
  containers: [
    { name: 'cart', image: 'registry.example/cart:1', env: [{ name: 'FLAG', value: 'off' }] },
    { name: 'proxy', image: 'registry.example/proxy:1' },
  ],
}

async function sources(place: Place): Promise<void> {
  const { api, path } = place
  const labels = { app: 'cart' }
  const common = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: POD } }
  await api.create(path('deployments'), { metadata: { name: 'cart' }, spec: common })
  await api.create(path('statefulSets'), { metadata: { name: 'cart' }, spec: { ...common, serviceName: 'cart' } })
  await aRollout(place, 'cart', common)
}

/** The containers of a fork by name. */
const containersOf = (fork: KubeObject): ReadonlyMap<string, Readonly<Record<string, unknown>>> =>
  new Map(
    ['initContainers', 'containers'].flatMap((list) =>
      listOr(at(fork, 'spec', 'template', 'spec', list)).map(
        (each) => [`${at(each, 'name')}`, objectOr(each)] as const,
      ),
    ),
  )

/** Kubernetes leaves out a value that is empty, but for a kind of others. */
const variablesOf = (container: unknown): ReadonlyMap<unknown, unknown> =>
  new Map(listOr(at(container, 'env')).map((each) => [at(each, 'name'), at(each, 'value') ?? '']))

/** Without what names the fork, and without empty values: Argo leaves them out when it writes a Rollout. */
const comparable = (fork: KubeObject): unknown =>
  JSON.parse(
    JSON.stringify(fork.spec, (key, value) => (key === 'value' && value === '' ? undefined : value))
      .replaceAll(/\b[\da-f]{10}\b/g, 'ID')
      .replaceAll(/\bcart-\d+-[ab]\b/g, 'NAME'),
  )

describe('the experiments that the plugin creates, on the real control plane', function () {
  this.timeout(2 * DEADLINE_MS)
  const scenes = usesScenes() // its Rollouts are reconciled
  const plugin = usesPlugin()
  let place: Place
  before('a source of each kind, and a template', async () => {
    const { api } = scenes()
    await api.create('/api/v1/namespaces', { metadata: { name: FORGE.namespace } })
    place = await placeIn(FORGE.namespace)
    await sources(place)
    await api.create(resourcePath(ANALYSIS_PROVIDER), {
      apiVersion: ANALYSIS_PROVIDER.apiVersion,
      kind: ANALYSIS_PROVIDER.kind,
      metadata: { name: PROVIDER },
      spec: { type: 'Plugin', address: 'http://127.0.0.1:9', namespaceSelector: {} },
    })
    await api.create(resourcePath(ANALYSIS_TEMPLATE, { namespace: FORGE.namespace }), {
      apiVersion: ANALYSIS_TEMPLATE.apiVersion,
      kind: ANALYSIS_TEMPLATE.kind,
      metadata: { name: 'quick' },
      spec: { metrics: [{ ...DECIDED, provider: PROVIDER }] },
    })
  })

  const hasFork = (name: string) => place.shows(name, 'a fork', ({ status }) => !!status?.experimentResourceRef)
  const fork = async (of: ExperimentDeployment, kind: Kind) => place.api.get(place.path(KINDS[kind], forkOf(of)))

  for (const [index, { kind, flags, images = {}, env = [], spec = {}, pods }] of COMBINATIONS.entries())
    it(`is ${kind}/cart with ${flags.join(' ')}, also applied by kubectl`, async () => {
      const [mine, applied] = [`cart-${index}-a`, `cart-${index}-b`]
      const words = ['experiment', 'create', `${kind}/cart`, ...flags]
      const made = await plugin().kubectl([...words, `--name=${mine}`], { as: FORGE })
      expect(made.code, made.stderr).to.equal(0)
      const { stdout } = await plugin().kubectl([...words, `--name=${applied}`, '--dry-run=client', '-o', 'yaml'], {
        as: FORGE,
      })
      const said = await plugin().kubectl(['apply', '-f', '-'], { as: FORGE, input: stdout })
      expect(said.code, said.stderr).to.equal(0)
      const [one, other] = [await hasFork(mine), await hasFork(applied)]
      expect(other.spec).to.deep.equal(one.spec)
      const { analysis, ...others } = spec
      expect(one.spec).to.deep.include(others)
      if (analysis) expect(one.spec.analysis).to.deep.include(analysis)
      const forks = [await fork(one, kind), await fork(other, kind)] as const
      expect(comparable(forks[1])).to.deep.equal(comparable(forks[0]))
      const containers = containersOf(forks[0])
      for (const [name, image] of Object.entries(images)) expect(containers.get(name)).to.include({ image })
      for (const [name, key, value] of env) expect(variablesOf(containers.get(name)).get(key)).to.equal(value)
      if (pods !== undefined) expect(at(forks[0], 'spec', 'replicas')).to.equal(pods)
      expect(containers.size).to.equal(3)
      await Promise.all([mine, applied].map((name) => place.api.delete(place.path('experiments', name))))
    })
})
