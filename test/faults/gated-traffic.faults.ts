import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { Strategy } from '../../common/api/strategy.ts'
import { isEqual } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { gatedForksIn, KINDS } from '../strategies/gated-forks.ts'
import { addressesOf, answeredIn, type Burst, REQUESTS, usesTraffic } from './asked.ts'
import { oneByOne } from './side-by-side.ts'

const SIZE = 3
const LARGER = SIZE + 2
/** After each event, and after the start that follows each kill. */
const KILLS_MS = [0, 250, 900]
const image = (tag: string) => `registry.example/cart:${tag}`

const EVENTS = [
  'it comes up',
  'it is updated',
  'its pods are deleted',
  'its source grows',
  'its source shrinks',
] as const

interface Story {
  readonly name: string
  readonly kind: 'Deployment' | 'StatefulSet'
  readonly strategy: Strategy
  /** where it waits without an open pod, and where it waits after `resume` */
  readonly shut: string
  readonly open: string
}
const canary = {
  strategy: { canary: { steps: [{ pause: {} }, { setWeight: 50 }, { pause: {} }] } },
  shut: '0/6 Paused',
  open: '2/6 Paused',
}
const blueGreen = (name: string) => ({
  strategy: { blueGreen: { activeService: name, previewService: `${name}-preview`, scaleDownDelaySeconds: 3_600 } },
  shut: '2/10 Paused',
  open: '5/10 Paused',
})
const STORIES: readonly Story[] = [
  { name: 'canary', kind: 'Deployment', ...canary },
  { name: 'canary-set', kind: 'StatefulSet', ...canary },
  { name: 'blue', kind: 'Deployment', ...blueGreen('blue') },
  { name: 'blue-set', kind: 'StatefulSet', ...blueGreen('blue-set') },
]

describe('requests while a fork is shut, on the real control plane', function () {
  this.timeout(600_000)
  const place = usesProduct(WITH_CUT_OVER)
  const { says, shows } = canariesIn(place)
  const { aSource, aService, idOf, comesTo } = gatedForksIn(place)
  const { ask, serves, askWhile } = usesTraffic(place)

  /** Kills the controller at several moments, and starts it again each time. */
  async function killed(): Promise<void> {
    const { controller, startController } = await installation()
    for (const afterMs of KILLS_MS) {
      await pause(afterMs)
      await controller().stop('SIGKILL')
      await startController()
    }
  }

  const podsOf = async (name: string) =>
    place().api.list(`${place().path('pods')}?labelSelector=${EXPERIMENT_ID}=${await idOf(name)}`)

  async function deletePods(name: string): Promise<void> {
    const former = new Set<string>()
    for (const { metadata } of await podsOf(name)) {
      former.add(metadata.uid ?? '')
      await place().api.delete(place().path('pods', metadata.name))
    }
    expect(former.size).to.equal(SIZE)
    await eventually(`other pods of ${name}`, DEADLINE_MS, async () => {
      const left = (await podsOf(name)).filter(({ metadata }) => former.has(metadata.uid ?? ''))
      expect(left).to.deep.equal([])
    })
  }

  /** A shut fork that somebody does things to, and everybody else who answers requests to its source. */
  async function aShutFork({ name, kind, strategy, shut, open }: Story) {
    const { api, path } = place()
    const isBlueGreen = strategy.blueGreen !== undefined
    await aSource(kind, name, SIZE)
    if (isBlueGreen) await aService(`${name}-preview`, name)
    await serves(name, SIZE)
    const source = addressesOf(place, name)
    await source.look()
    let answered = 0
    const strays: unknown[] = []

    const events: Readonly<Record<(typeof EVENTS)[number], () => Promise<unknown>>> = {
      'it comes up': () =>
        place().experiment(name, {
          source: name,
          kind,
          overrideSpec: imageOverride(image('2')),
          traffic: { mode: 'Gated' },
          strategy,
          ...(isBlueGreen ? {} : { replicas: SIZE }),
        }),
      'it is updated': () =>
        api.patch(path('experiments', name), { spec: { overrideSpec: imageOverride(image('3')) } }),
      'its pods are deleted': () => deletePods(name),
      'its source grows': () => scale(LARGER),
      'its source shrinks': () => scale(SIZE),
    }
    async function scale(replicas: number): Promise<void> {
      await api.patch(path(KINDS[kind], name), { spec: { replicas } })
      // the pods of a preview are as many as those of the source
      if (!isBlueGreen) await api.patch(path('experiments', name), { spec: { replicas } })
    }

    return {
      answered: () => answered,
      strays,
      /** Sends requests until the fork is shut and has all its pods again, after something has happened. */
      async during(event: (typeof EVENTS)[number], kills: Promise<void>): Promise<void> {
        const pods = event === 'its source grows' ? LARGER : SIZE
        const images = image(event === 'it comes up' ? '2' : '3')
        const happening = Promise.all([events[event](), kills]).then(async () => {
          await shows(name, shut)
          await comesTo(name, { pods, open: 0, listed: 0, images })
        })
        const afterEach = async (burst: Burst) => {
          await source.look()
          answered += answeredIn(burst.answers)
          const others = source.othersIn(burst)
          if (!isEqual(others, {})) strays.push({ name, event, others })
        }
        await askWhile(happening, name, { least: REQUESTS / EVENTS.length, burst: 200, afterEach })
      },
      /** Opens the fork. Resolves when all of its pods answer. */
      async opened(): Promise<void> {
        await says(name, 'resume')
        await shows(name, open)
        await eventually(`the pods of the fork of ${name} to be asked`, DEADLINE_MS, async () => {
          const fromMs = performance.now()
          const answers = await ask(name, 200)
          await source.look()
          const others = source.othersIn({ fromMs, answers })
          expect(Object.keys(others)).to.have.length(SIZE)
        })
      },
    }
  }

  oneByOne('F39: no request reaches a shut fork, whatever happens, and whenever the controller is killed', async () => {
    const forks = await Promise.all(STORIES.map(aShutFork))
    for (const event of EVENTS) {
      const kills = killed()
      await Promise.all(forks.map(({ during }) => during(event, kills)))
    }
    for (const { answered, strays } of forks) {
      expect(strays, `of ${answered()} requests`).to.deep.equal([])
      expect(answered()).to.be.at.least(REQUESTS)
    }
    // any answer of a fork would have been noticed
    for (const { opened } of forks) await opened()
  })
})
