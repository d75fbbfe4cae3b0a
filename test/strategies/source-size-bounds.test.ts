import { expect } from 'chai'
import { SCALE_MANAGER } from '../../common/api/names.ts'
import type { CanaryStep } from '../../common/api/strategy.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { crds, EVERYTHING, install } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { type Place, placeAt } from '../integration/product.ts'
import { IMAGE } from './blue-greens.ts'
import { podsIn, STUCK, usesCountedPods } from './counted-pods.ts'
import { sizedSourcesIn } from './sized-sources.ts'
import { usesStories } from './told-at-once.ts'

const TIMEOUT_MS = 400_000
const PREFIX = 'sandbox.experiment-controller.example.com'
/** Pods that end late, as programs that end their requests first. A quota counts them until then. */
const ENDS = { [`${PREFIX}/ends`]: '3s' }
const SLOW = { ...ENDS, [`${PREFIX}/behavior`]: 'slow', [`${PREFIX}/after`]: '4s' }
const SIZE = 5
/** How many stories are told at once: most of their time they wait. */
const LANES = 6
/** 25 % of 5 are 2, rounded up. */
const MOST = 7
const stepsOf = (...weights: readonly number[]): readonly CanaryStep[] =>
  weights.flatMap((setWeight) => [{ setWeight }, { pause: {} }])

describe('the bounds of a canary inside the size of its source, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  before('the product runs', () => install(plane(), { ...EVERYTHING, kindProbeSeconds: 2 }))
  const counted = usesCountedPods(plane)

  /** Functions for the source `name` in a namespace of its own: a quota counts all pods of a namespace. */
  async function aPlaceFor(name: string) {
    const place: Place = placeAt(plane().api, plane().kubectl, name)
    await plane().api.create('/api/v1/namespaces', { metadata: { name } })
    const { says, shows } = canariesIn(() => place)
    const sized = sizedSourcesIn(() => place)
    return {
      ...{ place, ...sized },
      says: (word: string) => says(name, word),
      comesTo: async (step: number, steps: number, sizes: readonly [number, number]) => {
        await shows(name, `${step}/${steps} Paused`)
        await sized.comeToSizes(name, sizes)
      },
      promoted: async () => {
        await says(name, 'promote')
        await place.shows(name, 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
      },
      aborted: async (size = SIZE) => {
        await says(name, 'abort')
        await shows(name, '1/1 Aborted')
        await sized.isItselfAgain(name, size)
        expect((await sized.sizesOf(name)).fork).to.equal(0)
      },
    }
  }

  interface Bounded {
    readonly annotations?: JsonObject
    readonly spec?: JsonObject
    readonly canary?: JsonObject
    /** the most pods that a quota counts at one moment, and the least that serve */
    readonly bounds: readonly [most: number, least: number]
  }

  /** 20 and 80 %, an abort, and after `retry` the promotion. */
  async function runsInBounds(name: string, { annotations = ENDS, spec = {}, canary = {}, bounds }: Bounded) {
    const { place, aSizedSource, inside, comesTo, says, aborted, promoted, isItselfAgain } = await aPlaceFor(name)
    const [most, least] = bounds
    await aSizedSource(name, { annotations, spec })
    await place.api.create(place.path('quotas'), { metadata: { name: 'told' }, spec: { hard: { pods: `${most}` } } })
    const watched = counted().serving(name, name)
    await inside(name, stepsOf(20, 80), { canary })
    await comesTo(1, 8, [1, 4])
    await says('resume')
    await comesTo(3, 8, [4, 1])
    await aborted()
    await says('retry')
    await comesTo(1, 8, [1, 4])
    await says('resume')
    await comesTo(3, 8, [4, 1])
    // the source's own rollout does not wait for pods that end
    expect(await podsIn(place).refused(), 'what the quota has refused').to.deep.equal([])
    await promoted()
    await isItselfAgain(name)
    expect(watched().least, 'the least pods that serve').to.be.at.least(least)
    expect(await counted().most(name), 'the most pods that a quota counts').to.be.at.most(most)
  }

  async function neverReady(): Promise<void> {
    const { place, aSizedSource, inside, aborted, sizesOf } = await aPlaceFor('stuck')
    await aSizedSource('stuck', { spec: { progressDeadlineSeconds: 5 } })
    const watched = counted().serving('stuck', 'stuck')
    await inside('stuck', stepsOf(80), { overrideSpec: { template: { metadata: { annotations: STUCK } } } })
    await place.reaches('stuck', 'ProgressDeadlineExceeded')
    const { source, fork, label } = await sizesOf('stuck')
    expect({ source, fork, label }).to.deep.equal({ source: SIZE, fork: MOST - SIZE, label: undefined })
    await aborted()
    expect(watched()).to.deep.equal({ least: SIZE, most: MOST })
  }

  async function single(): Promise<void> {
    const { aSizedSource, inside } = await aPlaceFor('single')
    await aSizedSource('single', { replicas: 1 })
    const asked = inside('single', stepsOf(50), { canary: { maxSurge: 0, maxUnavailable: 1 } })
    const refusal = await asked.then(() => 'accepted', String)
    expect(refusal).to.contain('maxSurge')
  }

  const WEIGHTS = [5, 50, 95] as const
  /** Of the fork and the source, by the size of the source. */
  const SIZES: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
    1: [[1, 1], [1, 1], [1, 1]], // biome-ignore format: pairs
    3: [[1, 2], [1, 2], [3, 1]], // biome-ignore format: pairs
    5: [[1, 4], [2, 3], [5, 1]], // biome-ignore format: pairs
    10: [[1, 9], [5, 5], [9, 1]], // biome-ignore format: pairs
  }

  async function atWeights(size: number): Promise<void> {
    const name = `of-${size}`
    const { aSizedSource, inside, comesTo, says, aborted } = await aPlaceFor(name)
    await aSizedSource(name, { replicas: size, annotations: {} })
    const watched = counted().serving(name, name)
    await inside(name, stepsOf(...WEIGHTS))
    for (const [index, pair] of (SIZES[size] ?? []).entries()) {
      if (index > 0) await says('resume')
      await comesTo(2 * index + 1, 2 * WEIGHTS.length + 4, pair)
    }
    await aborted(size)
    expect(watched().least).to.be.at.least(size)
    expect(watched().most).to.be.at.most(size + Math.ceil(size / 4))
  }

  const manifest = (name: string, spec: object) =>
    JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec })
  const template = (name: string) => ({
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'cart', image: IMAGE }] } },
  })
  const NEXT = { overrideSpec: imageOverride('registry.example/cart:3') }
  const told = async ({ kubectl }: Place, args: readonly string[], input: string) => {
    const { code, text } = await kubectl([...args, '-f', '-'], input)
    expect(code, text).to.equal(0)
  }

  /** The size of a source is in Git first, and handed over as the guide says. */
  async function handedOver(name: string, apply: readonly string[], handOver: (place: Place) => Promise<void>) {
    const { place, inside, comesTo, aborted, sizesOf } = await aPlaceFor(name)
    await told(place, apply, manifest(name, { replicas: SIZE, ...template(name) }))
    const watched = counted().serving(name, name)
    await place.kubectl(['rollout', 'status', `deployment/${name}`])
    await handOver(place)
    await told(place, apply, manifest(name, template(name))) // the line is deleted in Git
    expect(replicasOf(await place.deployment(name))).to.equal(SIZE)
    await inside(name, stepsOf(80), NEXT)
    await comesTo(1, 6, [4, 1])
    await told(place, apply, manifest(name, template(name)))
    expect((await sizesOf(name)).source).to.equal(1)
    await aborted()
    expect(watched().most).to.be.at.most(MOST)
  }

  const byServer = (name: string) =>
    handedOver(name, ['apply', '--server-side'], async (place) => {
      const asked = sizedSourcesIn(() => place).inside(name, stepsOf(80), NEXT)
      expect(await asked.then(() => 'accepted', String)).to.contain('hand the field over first')
      const apply = ['apply', '--server-side', `--field-manager=${SCALE_MANAGER}`]
      await told(place, apply, manifest(name, { replicas: SIZE }))
    })
  // as `kubectl apply edit-last-applied` does with an editor
  const byClient = (name: string) =>
    handedOver(name, ['apply'], (place) => told(place, ['apply', 'set-last-applied'], manifest(name, template(name))))

  interface Story {
    readonly name: string
    readonly tell: (name: string) => Promise<void>
  }
  const inBounds = (name: string, of: Bounded): Story => ({ name, tell: () => runsInBounds(name, of) })
  /** Those that last longest begin first. */
  const STORIES: Readonly<Record<string, Story>> = {
    'hold for slow pods': inBounds('slow', { annotations: SLOW, bounds: [MOST, SIZE] }),
    'hold for pods that are available after minReadySeconds': inBounds('min-ready', {
      spec: { minReadySeconds: 3 },
      bounds: [MOST, SIZE],
    }),
    'hold for a quota of exactly as many pods, whose pods end late': inBounds('quota', { bounds: [MOST, SIZE] }),
    'hold without a surge, where the side that gets smaller goes first': inBounds('no-surge', {
      // the source's own rollout has the same bounds
      spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
      canary: { maxSurge: 0, maxUnavailable: 1 },
      bounds: [SIZE, SIZE - 1],
    }),
    ...Object.fromEntries(
      [10, 5, 3, 1].map((size) => [
        `hold for ${size} pods at ${WEIGHTS.join(', ')} %`,
        { name: `of-${size}`, tell: () => atWeights(size) },
      ]),
    ),
    'hold for a new version that never gets ready: the source keeps its pods, and an abort ends it': {
      name: 'stuck',
      tell: neverReady,
    },
    'are refused for 1 pod without a surge': { name: 'single', tell: single },
    'hold after a server-side apply of the size alone under the name of our field manager': {
      name: 'server',
      tell: byServer,
    },
    'hold after the size was taken out of what was applied last': { name: 'client', tell: byClient },
  }
  const all = new Map(Object.values(STORIES).map(({ name, tell }) => [name, tell]))
  const story = usesStories({
    names: [...all.keys()],
    tell: (name) => all.get(name)?.(name) ?? Promise.resolve(),
    lanes: LANES,
  })
  for (const [what, { name }] of Object.entries(STORIES)) it(what, () => story(name))
})
