import { expect } from 'chai'
import { isEqual, type JsonObject } from '../../common/json/json.ts'
import { crds, EVERYTHING } from '../../sandbox/installation.ts'
import { DECIDED, QUICK, runsPlugin } from '../analyses/analyses.ts'
import { imageOverride } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { failedIn, LOST_BY_KUBE_PROXY, requestsIn, usesTraffic } from '../faults/asked.ts'
import { canariesIn } from '../integration/canaries.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import { imagesOf } from '../integration/product.ts'
import { IMAGE } from './blue-greens.ts'
import { usesCountedPods } from './counted-pods.ts'
import { usesDeployments } from './gated-forks.ts'
import { sizedSourcesIn } from './sized-sources.ts'
import { usesStories } from './told-at-once.ts'

/** While something happens, and at least. */
const REQUESTS = Number(process.env.REQUESTS ?? 2_000)
const BURST = 200
/** The stories that differ little from others are told only where this is set. */
const { WHOLE } = process.env
/** A dozen stories, three at once. */
const TIMEOUT_MS = 600_000 + 60 * REQUESTS
const SIZE = 5
/** The pods beside: 25 %, rounded up. */
const MOST = 7
const OWN_IMAGE = 'registry.example/cart:1'

const RECREATED = { strategy: { type: 'Recreate' } }
const AT_80 = [{ setWeight: 80 }, { pause: {} }]

describe('a canary inside the size of its source, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  const place = usesDeployments(EVERYTHING, plane)
  const { answers } = runsPlugin(plane)
  const counted = usesCountedPods(plane)
  const { says, shows } = canariesIn(place)
  const { aSizedSource, inside, comeToSizes, isItselfAgain, sizesOf } = sizedSourcesIn(place)
  const { serves, askWhile } = usesTraffic(place, usesKubeProxy(plane))

  const isPromoted = (name: string) =>
    place().shows(name, 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
  const isGone = (name: string) =>
    place()
      .kubectl(['wait', '--for=delete', `expd/${name}`, '--timeout=180s'])
      .then(({ code, text }) => {
        expect(code, text).to.equal(0)
      })
  const remove = (cascade: string) => async (name: string) => {
    const { code, text } = await place().kubectl(['delete', `expd/${name}`, `--cascade=${cascade}`, '--wait=false'])
    expect(code, text).to.equal(0)
    await isGone(name)
  }
  const edit = (name: string, spec: object) => place().api.patch(place().path('experiments', name), { spec })
  const comesTo80 = async (name: string) => {
    await shows(name, '1/6 Paused')
    await comeToSizes(name, [4, 1])
  }

  interface Story {
    /** default: a rolling update */
    readonly source?: object
    readonly steps?: readonly object[]
    /** more of the experiment */
    readonly of?: JsonObject
    readonly ends: (name: string) => Promise<unknown>
    /** the image of the source afterwards; default: its own */
    readonly image?: string
    /** the pods that may be missing while the source is written; default: none */
    readonly missing?: number
    /** the most pods; default: the bound of the canary */
    readonly most?: number
  }

  const promoted = async (name: string) => {
    await says(name, 'promote')
    await isPromoted(name)
  }
  const aborted = async (name: string) => {
    await says(name, 'abort')
    await shows(name, '1/1 Aborted')
  }
  /** What ends a canary at 80 %. */
  const at80 = (end: (name: string) => Promise<unknown>) => async (name: string) => {
    await comesTo80(name)
    await end(name)
  }
  const BY_STEPS = [20, 40, 60, 80].flatMap((setWeight) => [{ setWeight }, { pause: { duration: 1 } }])

  const STORIES: Record<string, Story> = {
    'steps-promoted': {
      steps: BY_STEPS,
      ends: async (name) => {
        await shows(name, '8/12 Paused')
        await comeToSizes(name, [4, 1])
        await promoted(name)
      },
      image: IMAGE,
    },
    aborted: { ends: at80(aborted) },
    'promoted-recreated': {
      source: RECREATED,
      ends: at80(promoted),
      image: IMAGE,
    },
    'aborted-recreated': { source: RECREATED, ends: at80(aborted) },
    'rolled-back': {
      steps: [{ setWeight: 80 }, { analysis: {} }, { setWeight: 90 }],
      of: { analysis: { ...QUICK, metrics: [DECIDED] } },
      ends: async (name) => {
        await comeToSizes(name, [4, 1])
        answers.set(name, { decision: 'Fail', message: 'worse' })
        await place().shows(name, 'RolledBack', ({ status }) => status?.analysis?.verdict === 'Fail')
      },
    },
    undone: {
      most: 2 * SIZE, // the undo is a rolling update of the source alone, which does not count the pods that end
      ends: at80(async (name) => {
        await promoted(name)
        await isItselfAgain(name)
        await says(name, 'undo')
        await place().shows(name, 'Undone', ({ status }) => status?.strategy?.phase === 'Undone')
      }),
    },
    expired: {
      ends: async (name) => {
        await comesTo80(name)
        await edit(name, { ttlSeconds: 1 })
        await place().reaches(name, 'Expired')
      },
    },
    'deleted-background': { ends: at80(remove('background')) },
    'deleted-foreground': { ends: at80(remove('foreground')) },
    'deleted-orphan': { ends: at80(remove('orphan')) },
    edited: {
      ends: async (name) => {
        await comesTo80(name)
        await edit(name, {
          overrideSpec: imageOverride('registry.example/cart:3'),
          strategy: strategyOf([{ setWeight: 20 }, { pause: {} }]),
        })
        await shows(name, '1/6 Paused')
        await comeToSizes(name, [1, 4])
        await aborted(name)
      },
    },
    followed: {
      ends: async (name) => {
        await comesTo80(name)
        const template = { metadata: { annotations: { base: 'second' } } }
        await place().api.patch(place().path('deployments', name), { spec: { template } })
        await place().shows(name, 'a second run', ({ status }) => (status?.strategy?.attempt ?? 0) > 0)
        await comesTo80(name)
        await aborted(name)
      },
    },
  }
  /** Not the undo of a promotion: no fork serves while it creates all pods of the source again. */
  const AGAIN = ['rolled-back', 'expired', 'deleted-background', 'deleted-foreground', 'deleted-orphan', 'edited']
  if (WHOLE) {
    for (const name of AGAIN) STORIES[`${name}-recreated`] = { ...(STORIES[name] as Story), source: RECREATED }
    // the person's edit makes Kubernetes delete the pod that the source has at 80 %, before it creates another one
    STORIES['followed-recreated'] = { ...(STORIES.followed as Story), source: RECREATED, missing: 1 }
  }
  const strategyOf = (steps: readonly object[]) => ({
    canary: { scaleDownSource: true, scaleDownDelaySeconds: 0, steps },
  })

  async function isTold(
    name: string,
    { source = {}, steps = AT_80, of = {}, ends, image, missing = 0, most = MOST }: Story,
  ) {
    await aSizedSource(name, { spec: source as never })
    await serves(name, SIZE)
    const watched = counted().serving(place().namespace, name)
    const story = async () => {
      await inside(name, steps as never, of)
      await ends(name)
      await isItselfAgain(name)
      await serves(name, SIZE)
    }
    const bursts = await askWhile(story(), name, { least: REQUESTS, burst: BURST })
    const sent = bursts.reduce((sum, { answers }) => sum + requestsIn(answers), 0)
    const failed = bursts.reduce((sum, { answers }) => sum + failedIn(answers), 0)
    const pods = watched()
    const how = JSON.stringify(bursts.map(({ answers }) => answers.failures).filter((each) => !isEqual(each, {})))
    console.log(`      ${name}: ${sent} requests, ${failed} lost ${how}, ${pods.least} to ${pods.most} pods`)
    expect(failed, `${name}: lost of ${sent}: ${how}`).to.be.at.most(Math.ceil(sent * LOST_BY_KUBE_PROXY))
    expect(pods.least, `${name}: the least pods that serve`).to.be.at.least(SIZE - missing)
    expect(pods.most, `${name}: the most pods`).to.be.at.most(most)
    expect(imagesOf(await place().deployment(name))).to.deep.equal([image ?? OWN_IMAGE])
    expect((await sizesOf(name)).fork).to.equal(0)
  }

  const told = usesStories({
    names: Object.keys(STORIES),
    tell: async (name) => isTold(name, STORIES[name] as Story),
    lanes: 3,
  })
  for (const name of Object.keys(STORIES)) it(`loses no request, and keeps its bounds: ${name}`, () => told(name))
})
