import { expect } from 'chai'
import { crds, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { addressesOf, type Burst, failedIn, LOST_BY_KUBE_PROXY, requestsIn, usesTraffic } from '../faults/asked.ts'
import { canariesIn } from '../integration/canaries.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import { IMAGE, previewOf } from './blue-greens.ts'
import { ALL_KINDS, gatedForksIn, type Kind, usesAllKinds } from './gated-forks.ts'

const SIZE = 3
/** While something happens, and at least. */
const REQUESTS = Number(process.env.REQUESTS ?? 2_000)
const BURST = 100

/** Three kinds side by side. */
const TIMEOUT_MS = 300_000

type Addresses = readonly string[]
/** Nothing happens while requests are sent. */
const NOTHING = Promise.resolve()

/**
 * How many pods answered at one moment, at most. A pod is open between two bursts if it answered before and after. In
 * one burst, a pod may answer whose place another one takes before it ends.
 */
const atOnce = (bursts: readonly Addresses[]): number =>
  Math.max(
    ...bursts.slice(1).map((_, index) => {
      const [before, after] = [bursts.slice(0, index + 1), bursts.slice(index + 1)].map((part) => new Set(part.flat()))
      return [...(before ?? [])].filter((address) => after?.has(address)).length
    }),
  )

describe('requests while a fork becomes gated, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  const place = usesAllKinds(WITH_CUT_OVER, plane)
  const { says, shows } = canariesIn(place)
  const { aSource, aService, comesTo } = gatedForksIn(place)
  const { ask, serves, askWhile } = usesTraffic(place, usesKubeProxy(plane))

  const edit = (name: string, spec: object) => place().api.patch(place().path('experiments', name), { spec })

  /** Sends requests until `work` is done, and enough. Returns which pods of the fork answered each burst. */
  async function forksAnswering(name: string, work: Promise<unknown>): Promise<readonly Addresses[]> {
    const source = addressesOf(place, name)
    await source.look()
    const answering: Addresses[] = []
    const afterEach = async (burst: Burst) => {
      await source.look()
      answering.push(Object.keys(source.othersIn(burst)))
    }
    const bursts = await askWhile(work, name, { least: REQUESTS, burst: BURST, afterEach })
    const sent = bursts.reduce((sum, { answers }) => sum + requestsIn(answers), 0)
    const failed = bursts.reduce((sum, { answers }) => sum + failedIn(answers), 0)
    console.log(`      ${name}: ${sent} requests, ${failed} lost`)
    expect(failed, `${name}: lost of ${sent}`).to.be.at.most(Math.ceil(sent * LOST_BY_KUBE_PROXY))
    return answering
  }

  async function becomesGated(name: string, kind: Kind): Promise<void> {
    await aSource(kind, name, SIZE)
    await aService(previewOf(name), name)
    await place().experiment(name, { source: name, kind, replicas: 1, overrideSpec: imageOverride(IMAGE) })
    await serves(name, SIZE + 1)
    expect(atOnce(await forksAnswering(name, NOTHING))).to.equal(1)
    const blueGreen = { activeService: name, previewService: previewOf(name), abortScaleDownDelaySeconds: 1 }
    const gated = edit(name, { strategy: { blueGreen } }).then(async () => {
      await shows(name, '2/10 Paused')
      await serves(name, SIZE)
    })
    // the share of one pod, and then of none
    expect(atOnce(await forksAnswering(name, gated))).to.be.at.most(1)
    expect((await forksAnswering(name, NOTHING)).flat()).to.eql([])
  }

  /** To a weight, and without a gate. */
  async function goesOn(name: string): Promise<void> {
    await says(name, 'abort')
    await shows(name, '4/4 Aborted')
    const ungated = edit(name, { strategy: null, replicas: 2 }).then(() => serves(name, SIZE + 2))
    expect(atOnce(await forksAnswering(name, ungated))).to.be.at.most(2)
    expect(atOnce(await forksAnswering(name, NOTHING))).to.equal(2)
    const strategy = { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } }
    const weighed = edit(name, { strategy, traffic: { mode: 'Gated' } }).then(async () => {
      await shows(name, '1/5 Paused')
      await comesTo(name, { open: 1, listed: 1 })
      await serves(name, SIZE + 1)
    })
    expect(atOnce(await forksAnswering(name, weighed))).to.be.at.most(2)
    const { byPod } = await ask(name, BURST)
    expect(Object.keys(byPod)).to.have.length(SIZE + 1)
  }

  it('N2: reach the fork no more than before, and then not at all', () =>
    Promise.all(ALL_KINDS.map((kind) => becomesGated(`first-${kind.toLowerCase()}`, kind))).then(() => undefined))

  it('N2: reach it without a gate again, and then never more pods than before, until a weight opens one', () =>
    Promise.all(ALL_KINDS.map((kind) => goesOn(`first-${kind.toLowerCase()}`))).then(() => undefined))
})
