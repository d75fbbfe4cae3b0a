import { expect } from 'chai'
import { SCALE_MANAGER, SCALED } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, EVERYTHING, type Installation, install } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, DEADLINE_MS, imagesOf, type Place, placeAt } from '../integration/product.ts'
import { IMAGE } from './blue-greens.ts'
import { sizedSourcesIn } from './sized-sources.ts'
import { backupOf, hpaOf, manifestOf } from './source-manifests.ts'
import { usesStories } from './told-at-once.ts'

const TIMEOUT_MS = 400_000
const SIZE = 5
const LANES = 6 // most of their time, stories wait
/** A sweep needs four looks that are half a minute apart, and autoscalers are looked at every minute. */
const LATE_MS = 200_000
const STEPS = [{ setWeight: 80 }, { pause: {} }]
const LABEL = 'uid.5.1'

describe('other hands on a source that is smaller, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  let product: Installation | undefined
  before('the product runs', async () => {
    product = await install(plane(), { ...EVERYTHING, kindProbeSeconds: 2 })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  })
  const place = (): Place => placeAt(plane().api, plane().kubectl, 'shop')
  const { says, shows, setStatus, fork } = canariesIn(place)
  const { aSizedSource, inside, sizesOf, comeToSizes, isItselfAgain } = sizedSourcesIn(place)

  const told = async (args: readonly string[], input?: string) => {
    const { code, text } = await place().kubectl(args, input)
    expect(code, text).to.equal(0)
  }
  const source = (name: string) => place().deployment(name)
  const labelOf = async (name: string) => (await source(name)).metadata.labels?.[SCALED]
  const isHeld = (name: string) =>
    place().shows(name, 'SourceScaled', (found) => condition(found, 'Paused')?.reason === 'SourceScaled')
  const aborted = async (name: string, size = SIZE) => {
    await says(name, 'abort')
    await shows(name, '1/1 Aborted')
    await isItselfAgain(name, size)
    expect((await sizesOf(name)).fork).to.equal(0)
  }
  const comesTo80 = async (name: string) => {
    await shows(name, '1/6 Paused')
    await comeToSizes(name, [4, 1])
    expect((await sizesOf(name)).label).to.equal(LABEL)
  }
  const resumedTo = async (name: string, sizes: readonly [number, number]) => {
    await says(name, 'resume')
    await comeToSizes(name, sizes)
  }
  /** The run is held at the present size, goes on at 80 % of 5 pods, and ends. */
  const goesOn = async (name: string) => {
    await isHeld(name)
    await comeToSizes(name, [2, SIZE]) // with 5 pods of the source, 2 are a surge of 25 %
    await resumedTo(name, [4, 1])
    await aborted(name)
  }
  const isSwept = (name: string, size = SIZE) =>
    eventually(`${name} to be swept`, LATE_MS, async () => {
      const { label, isOwned, source: replicas } = await sizesOf(name)
      expect({ label, isOwned, replicas }).to.deep.equal({ label: undefined, isOwned: false, replicas: size })
    })

  const autoscaler = (name: string, least: number) =>
    place().api.create('/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers', hpaOf(name, least))

  interface Story {
    readonly what: string
    /** creates the source; default: with a Service */
    readonly source?: (name: string) => Promise<unknown>
    /** what happens at 80 %; afterwards there is nothing of us on the source */
    readonly tell: (name: string) => Promise<unknown>
  }

  /** By the name of the experiment and its source. Those that last longest begin first. */
  const STORIES: Readonly<Record<string, Story>> = {
    lost: {
      what: 'gives the source its pods back by a sweep when the experiment is gone, then deletes the fork',
      tell: async (name) => {
        const { api, path } = place()
        await api.delete(path('experiments', name))
        await api.patch(path('experiments', name), { metadata: { finalizers: null } })
        await isSwept(name)
        await eventually('the fork to be gone', LATE_MS, async () => {
          const names = (await api.list(path('deployments'))).map(({ metadata }) => metadata.name)
          expect(names.filter((each) => each.startsWith(`${name}-experiment-`))).to.deep.equal([])
        })
      },
    },
    alone: {
      what: 'gives a restored backup its pods back by a sweep when the experiment is gone',
      tell: async (name) => {
        const backup = backupOf(await source(name))
        await told(['delete', `expd/${name}`])
        await isItselfAgain(name)
        await told(['delete', `deployment/${name}`])
        await told(['create', '-f', '-'], backup)
        await isSwept(name)
      },
    },
    copied: {
      what: 'takes only the label from a copy of the source',
      tell: async (name) => {
        const found = await source(name)
        const copy = backupOf({ ...found, metadata: { ...found.metadata, name: 'copy' } })
        await told(['create', '-f', '-'], copy.replaceAll(`"app":"${name}"`, '"app":"copy"'))
        await isSwept('copy', 1)
        expect((await sizesOf(name)).label).to.equal(LABEL)
        await aborted(name)
      },
    },
    'quiet-hpa': {
      what: 'gives the source its pods back when an HPA appears that writes nothing, and waits until it is removed',
      tell: async (name) => {
        await autoscaler(name, 1)
        await eventually('the HPA to be seen', LATE_MS, () => place().reaches(name, 'SourceIsAutoscaled'))
        await isItselfAgain(name)
        await told(['delete', `hpa/${name}`])
        await comeToSizes(name, [4, 1])
        await aborted(name)
      },
    },
    hpa: {
      what: 'takes the number of an HPA that appears as the size, and waits until it is removed',
      tell: async (name) => {
        await autoscaler(name, 7)
        await eventually('the run to wait for the HPA', LATE_MS, async () => {
          // its number is another hand, unless it is seen before it writes
          if (condition(await place().experimentAt(name), 'Paused')?.reason === 'SourceScaled')
            await says(name, 'resume')
          await place().reaches(name, 'SourceIsAutoscaled')
          expect((await sizesOf(name)).source).to.equal(7)
        })
        await told(['delete', `hpa/${name}`])
        await comeToSizes(name, [6, 1])
        await aborted(name, 7)
      },
    },
    scaled: {
      what: 'takes the number of kubectl scale as the size, and waits; resume goes on from it',
      tell: async (name) => {
        await told(['scale', `deployment/${name}`, '--replicas=7'])
        const found = await isHeld(name)
        expect(condition(found, 'Paused')?.message).to.contain('had 1 pod, and its size is 7 now')
        await comeToSizes(name, [2, 7]) // 7 and 25 %, rounded up, are 9
        await resumedTo(name, [6, 1])
        await aborted(name, 7)
      },
    },
    applied: {
      what: 'takes the number of a client-side apply of the old manifest as the size',
      source: (name) => told(['apply', '-f', '-'], manifestOf(name)),
      tell: async (name) => {
        await told(['apply', '-f', '-'], manifestOf(name))
        await goesOn(name)
      },
    },
    server: {
      what: 'is a conflict for a server-side apply of the old manifest, and with force another hand',
      tell: async (name) => {
        const apply = ['apply', '--server-side', '-f', '-']
        const { code, text } = await place().kubectl(apply, manifestOf(name))
        expect(code, text).not.to.equal(0)
        expect(text).to.contain('conflict with "experiment-controller-scale"').and.to.contain('.spec.replicas')
        expect((await sizesOf(name)).source).to.equal(1)
        await told([...apply, '--force-conflicts'], manifestOf(name))
        await isHeld(name)
        await comeToSizes(name, [2, SIZE])
        await says(name, 'resume')
        await place().reaches(name, 'SourceIsDeclared') // they own the field now, so nothing gets smaller
        expect((await sizesOf(name)).source).to.equal(SIZE)
        await aborted(name)
      },
    },
    former: {
      what: 'keeps its label at kubectl rollout undo at 80 %, and begins again with the new base',
      source: async (name) => {
        await aSizedSource(name, { annotations: {} })
        const template = { metadata: { annotations: { round: '2' } } }
        await place().api.patch(place().path('deployments', name), { spec: { template } })
        await told(['rollout', 'status', `deployment/${name}`])
      },
      tell: async (name) => {
        await told(['rollout', 'undo', `deployment/${name}`])
        expect(await labelOf(name), 'the label just afterwards').to.match(/\.5\.\d$/)
        await place().shows(name, 'a second run', ({ status }) => (status?.strategy?.attempt ?? 0) > 0)
        await comesTo80(name)
        await aborted(name)
        expect(JSON.stringify(await source(name))).not.to.contain('"round"')
      },
    },
    later: {
      what: 'leaves the size alone at kubectl rollout undo after the promotion',
      tell: async (name) => {
        await says(name, 'promote')
        await place().shows(name, 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
        await isItselfAgain(name)
        expect(imagesOf(await source(name))).to.deep.equal([IMAGE])
        await told(['rollout', 'undo', `deployment/${name}`])
        await told(['rollout', 'status', `deployment/${name}`])
        await isItselfAgain(name)
        expect(imagesOf(await source(name))).to.deep.equal(['registry.example/cart:1'])
      },
    },
    restored: {
      what: 'gives a restored backup of its source its pods back after the end',
      tell: async (name) => {
        const backup = backupOf(await source(name))
        await aborted(name)
        await told(['delete', `deployment/${name}`])
        await told(['create', '-f', '-'], backup)
        await isItselfAgain(name)
      },
    },
    unlabelled: {
      what: 'gives the source its pods back at once when the label is removed by hand, and waits',
      tell: async (name) => {
        await told(['label', `deployment/${name}`, `${SCALED}-`])
        await goesOn(name)
      },
    },
    stateless: {
      what: 'begins again with the size of the label when the status is emptied',
      tell: async (name) => {
        await setStatus(name, null)
        await comesTo80(name)
        await aborted(name)
      },
    },
    both: {
      what: 'takes the present number as the size when both the label and the status are gone',
      tell: async (name) => {
        await product?.controller().stop('SIGKILL')
        await told(['label', `deployment/${name}`, `${SCALED}-`])
        await setStatus(name, null)
        await product?.startController()
        await shows(name, '1/6 Paused')
        await comeToSizes(name, [1, 1])
        await aborted(name, 1)
        await told(['scale', `deployment/${name}`, `--replicas=${SIZE}`])
        await isItselfAgain(name)
      },
    },
    again: {
      what: 'takes the number of a source that was created again as the size, and waits',
      tell: async (name) => {
        await told(['delete', `deployment/${name}`])
        expect(replicasOf(await fork(name))).to.equal(4)
        await told(['create', '-f', '-'], manifestOf(name))
        await goesOn(name)
      },
    },
    zeroed: {
      what: 'takes 0 as the size: the pods of the fork go, too',
      tell: async (name) => {
        await told(['scale', `deployment/${name}`, '--replicas=0'])
        await isHeld(name)
        await comeToSizes(name, [0, 0])
        await told(['scale', `deployment/${name}`, `--replicas=${SIZE}`])
        await resumedTo(name, [4, 1])
        await aborted(name)
      },
    },
    green: {
      what: 'is of its own size for a blue-green of another experiment, which cuts over when the source has its pods',
      tell: async (name) => {
        const [preview, blue] = [`${name}-preview`, 'blue']
        const spec = { selector: { app: name }, ports: [{ port: 80 }] }
        await place().api.create(place().path('services'), { metadata: { name: preview }, spec })
        const blueGreen = { activeService: name, previewService: preview, autoPromotionEnabled: true }
        await place().experiment(blue, {
          source: name,
          overrideSpec: imageOverride('registry.example/cart:3'),
          strategy: { blueGreen: { ...blueGreen, abortScaleDownDelaySeconds: 1 } },
        })
        await place().reaches(blue, 'SourceIsBusy')
        expect(replicasOf(await fork(blue))).to.equal(SIZE)
        await aborted(name)
        await shows(blue, '4/9 Paused')
        await says(blue, 'abort')
        await isItselfAgain(name)
      },
    },
  }

  async function isTold(name: string): Promise<void> {
    const story = STORIES[name]
    if (!story) return twoAtOnce()
    await (story.source?.(name) ?? aSizedSource(name, { annotations: {} }))
    await inside(name, STEPS)
    await comesTo80(name)
    await story.tell(name)
  }

  /** Of two experiments on a source: one wins. */
  async function twoAtOnce(): Promise<void> {
    await aSizedSource('shared', { annotations: {} })
    await Promise.all(['one', 'two'].map((name) => inside(name, STEPS, { source: 'shared' })))
    const winner = await eventually('one of both to win', DEADLINE_MS, async () => {
      const label = await labelOf('shared')
      const [one, two] = await Promise.all(['one', 'two'].map((name) => place().experimentAt(name)))
      const won = [one, two].find((each) => each && label?.startsWith(each.metadata.uid))
      if (!won) throw new Error(`the label is ${label}`)
      return won.metadata.name
    })
    const loser = winner === 'one' ? 'two' : 'one'
    await shows(winner, '1/6 Paused')
    await place().reaches(loser, 'SourceIsBusy')
    expect((await sizesOf('shared')).source).to.equal(1)
    await says(winner, 'abort')
    await shows(loser, '1/6 Paused')
    expect((await sizesOf('shared')).source).to.equal(1)
    await says(loser, 'abort')
    await isItselfAgain('shared')
  }

  const story = usesStories({ names: [...Object.keys(STORIES), 'shared'], tell: isTold, lanes: LANES })

  for (const [name, { what }] of Object.entries(STORIES)) it(what, () => story(name))

  it('lets one of two experiments on a source win, and the other one wait', () => story('shared'))

  it('has left nothing of us on any source', async () => {
    const left = (await place().api.list<KubeObject>(place().path('deployments'))).filter(
      ({ metadata: { labels, managedFields = [] } }) =>
        labels?.[SCALED] !== undefined || managedFields.some(({ manager }) => manager === SCALE_MANAGER),
    )
    expect(left.map(({ metadata }) => metadata.name)).to.deep.equal([])
  })
})
