import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, REQUESTED_BY } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { imageOverride } from '../builders.ts'
import { configured } from '../integration/admission-webhook.ts'
import { aNamespace, controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, forkOf, installation, type Place, placeIn, usesProduct } from '../integration/product.ts'
import { aReplica, aSecret, aService } from '../integration/webhook-process.ts'
import type { AnswerFate } from './api-call.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { converges, recovers } from './oracles.ts'
import { aShop } from './proxied.ts'
import { reviewCall, startReviewProxy } from './review-proxy.ts'
import { between, Rules, type When } from './rules.ts'
import { oneByOne, sideBySide } from './side-by-side.ts'

/** Longer than the timeouts of all webhooks, and than a request to the API server may take with two of them. */
const STALL_MS = 13_000
const AT_ONCE = 60
const CONCURRENT = 200
/** The review during which a replica is killed: it has begun others by then. */
const DEADLY = 20
const NOT_VALIDATED = 'failed calling webhook "validate.experimentcontroller.example.com"'

const FAULTS: Readonly<Record<string, () => AnswerFate | Promise<AnswerFate>>> = {
  'is reset on its way': () => 'cut',
  'takes 13 s': () => pause(STALL_MS, 'pass'),
}

const namesIn = async ({ api, path }: Place) =>
  (await api.list(path('experiments'))).map(({ metadata }) => metadata.name).toSorted()

/** Creates all at once. Returns the errors by name. */
async function createAll(place: Place, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>()
  const create = (name: string) => place.experiment(name, { source: 'none' })
  await Promise.all(names.map((name) => create(name).catch((error) => void errors.set(name, String(error)))))
  return errors
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `try-${1_000 + index}`)

describe('answers of the webhook are lost, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProduct()
  const rules = new Rules()
  let proxy: FaultProxy | undefined
  before('all reviews pass a proxy', async () => {
    proxy = await startReviewProxy()
    proxy.interfere(rules.interference)
  })
  after('they go to the webhook again, which is ready', async () => {
    await proxy?.close()
    const { healthPorts } = await installation()
    expect((await fetch(`http://127.0.0.1:${healthPorts.webhook}/readyz`)).status).to.equal(200)
  })

  /** Makes the answers to reviews go wrong while `story` goes on, which is faster than an answer that is late. */
  async function during(of: object, fate: (typeof FAULTS)[string], story: () => Promise<unknown>): Promise<void> {
    const fates: (AnswerFate | Promise<AnswerFate>)[] = []
    const onAnswer = () => {
      const next = fate()
      fates.push(next)
      return next
    }
    const end = rules.add({ of, onAnswer })
    const sinceMs = performance.now()
    await story()
    expect(performance.now() - sinceMs).to.be.below(STALL_MS)
    end()
    expect(fates).not.to.deep.equal([])
    await Promise.all(fates) // late answers change nothing either
  }

  async function isNotValidated(fate: (typeof FAULTS)[string]): Promise<void> {
    const [place, elsewhere] = [await aShop(), await aShop()]
    for (const name of ['steady', 'other']) await place.experiment(name, { source: 'cart' })
    await converges(place, { steady: 'Available', other: 'Available' }, DEADLINE_MS)
    const overrideSpec = imageOverride('registry.example/cart:2')
    await during({ path: '/validate', namespace: place.namespace }, fate, async () => {
      const errors = Promise.all([
        place.experiment('late', { source: 'cart' }).then(() => 'created', String),
        place.api.patch(place.path('experiments', 'steady'), { spec: { overrideSpec } }).then(() => 'changed', String),
      ])
      const kubectl = async (...args: readonly string[]) => {
        const { code, text } = await place.kubectl(args)
        expect(code, text).to.equal(0)
      }
      await kubectl('scale', 'expd', 'steady', '--replicas=2')
      await kubectl('label', 'expd', 'steady', 'a=b')
      await kubectl('delete', 'expd', 'other', '--wait=false')
      for (const error of await errors) expect(error).to.contain(NOT_VALIDATED)
      // not before: reviews share connections, and one that is reset takes others with it
      await elsewhere.experiment('canary', { source: 'cart' })
    })
    await converges(elsewhere, { canary: 'Available' })
    expect(await namesIn(place)).to.deep.equal(['steady'])
    const steady = await place.experimentAt('steady')
    expect(steady.spec.overrideSpec).to.deep.equal({})
    await place.experiment('late', { source: 'cart' })
    await recovers(place, { steady: 'Available', late: 'Available' })
    expect(at((await place.deployment(forkOf(steady))).spec, 'replicas')).to.equal(2)
  }

  async function isNotDefaulted(fate: (typeof FAULTS)[string]): Promise<void> {
    const place = await aShop()
    await during({ path: '/mutate', namespace: place.namespace }, fate, async () => {
      const overrideSpec = { replicas: 2 }
      const [, error] = await Promise.all([
        place.experiment('canary', { source: 'cart' }),
        place.experiment('wrong', { source: 'cart', overrideSpec }).then(() => 'created', String),
      ])
      expect(error).to.contain('spec.overrideSpec.replicas')
    })
    expect(await namesIn(place)).to.deep.equal(['canary'])
    const { metadata } = await place.experimentAt('canary')
    expect(metadata.annotations?.[REQUESTED_BY]).to.equal(undefined)
    await recovers(place, { canary: 'Available' })
  }

  async function isPolicy(fate: (typeof FAULTS)[string]): Promise<void> {
    const { api, namespace } = await aShop()
    const { apiVersion, kind } = EXPERIMENT_POLICY
    const [name, path] = [`lost-${namespace}`, resourcePath(EXPERIMENT_POLICY)]
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
    const spec = { namespaceSelector, allowSourcesFrom: [namespace] }
    await during({ path: '/validate', name }, fate, () =>
      api.create(path, { apiVersion, kind, metadata: { name }, spec }),
    )
    expect((await api.get(`${path}/${name}`)).spec).to.deep.include(spec)
    await api.delete(`${path}/${name}`)
  }

  async function loseSome(): Promise<void> {
    const place = await aShop()
    const { namespace } = place
    let [reviewed, lost] = [0, 0]
    const third: When = () => {
      reviewed += 1
      return reviewed % 3 === 0
    }
    const end = rules.add({
      of: { path: '/validate', namespace, resource: EXPERIMENT_DEPLOYMENT.plural },
      when: third,
      onAnswer: () => {
        lost += 1
        return 'cut'
      },
    })
    const names = numbered(AT_ONCE)
    const errors = await createAll(place, names)
    end()
    expect(reviewed).to.equal(AT_ONCE)
    expect(lost).to.equal(AT_ONCE / 3)
    expect(errors.size).to.equal(lost)
    for (const error of errors.values()) expect(error).to.contain(NOT_VALIDATED)
    expect(await namesIn(place)).to.deep.equal(names.filter((name) => !errors.has(name)))
    expect(await createAll(place, [...errors.keys()])).to.deep.equal(new Map())
    await recovers(place, Object.fromEntries(names.map((name) => [name, 'SourceNotFound'])))
  }

  const stories = Object.entries(FAULTS).flatMap(([what, fate]) => [
    [
      `F32: validation ${what}: nothing is created or changed; what needs no review goes on`,
      () => isNotValidated(fate),
    ],
    [`F32: the review of defaults ${what}: it is done without, and validated nevertheless`, () => isNotDefaulted(fate)],
    [`F32: the review of a policy ${what}: the policy is admitted`, () => isPolicy(fate)],
  ])
  sideBySide({
    ...Object.fromEntries(stories),
    'F32: every third answer is reset on its way: only these calls are lost': loseSome,
  })
})

describe('a replica of the webhook fails, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProduct()
  const undoing: (() => unknown)[] = []
  afterEach('everything is removed', async () => {
    for (const undo of undoing.splice(0).reverse()) await undo()
  })

  oneByOne(
    `F32: it is killed at ${CONCURRENT} concurrent creates: calls fail as documented, and then none`,
    async () => {
      const plane = await controlPlane()
      const place = await placeIn(await aNamespace())
      const [secret, service] = [await aSecret(), await aService()]
      undoing.push(secret.remove, service.close)
      const [doomed, other] = await Promise.all([aReplica(plane, secret), aReplica(plane, secret)])
      undoing.push(() => other.process.stop())
      const proxy = await startFaultProxy({
        server: `https://127.0.0.1:${doomed.port}`,
        ca: secret.pair.ca,
        callOf: reviewCall,
      })
      const [before, behind] = [{ ...doomed, port: proxy.port }, other]
      for (const replica of [before, behind]) service.add(replica)
      undoing.push(await configured(plane, place.namespace, { port: service.port, ca: secret.pair.ca + proxy.ca }))

      const [rules, killed] = [new Rules(), Promise.withResolvers<void>()]
      proxy.interfere(rules.interference)
      rules.add({
        of: { path: '/validate', isWrite: true },
        when: between(DEADLY, DEADLY),
        onCall: async () => {
          await doomed.process.stop('SIGKILL')
          killed.resolve(proxy.close())
          return 'reset' as const
        },
      })
      const names = numbered(CONCURRENT)
      const errors = await createAll(place, names)
      await killed.promise
      service.remove(before)
      expect(errors.size).to.be.within(1, CONCURRENT - 1)
      for (const error of errors.values()) expect(error).to.contain(NOT_VALIDATED)
      expect(await namesIn(place)).to.deep.equal(names.filter((name) => !errors.has(name)))
      expect(await createAll(place, [...errors.keys()])).to.deep.equal(new Map())
      expect(await namesIn(place)).to.deep.equal(names)
    },
  )
})
