/** Undos of promotions while others edit the same lists of the source. `UNDOS=100` makes more, `SEED` repeats a run. */
import { expect } from 'chai'
import { at, type JsonObject, listOr, objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesOwnProduct } from '../clusters/own-product.ts'
import { say, says } from '../integration/canaries.ts'
import { aSource, DEADLINE_MS } from '../integration/product.ts'

const UNDOS = Number(process.env.UNDOS ?? 8)
const AT_ONCE = 4
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 30))

/** A number below `most` that follows from the seed, the undo and what it is for. */
function random(most: number, undo: number, of: number): number {
  let found = SEED ^ (undo * 0x9e3779b1) ^ (of * 0x85ebca6b)
  for (const [shift, factor] of [
    [15, 0x2c1b3c6d],
    [12, 0x297a2d39],
  ] as const)
    found = Math.imul(found ^ (found >>> shift), factor)
  return ((found ^ (found >>> 15)) >>> 0) % most
}

type Containers = Readonly<Record<string, JsonObject>>
const variable = (container: JsonObject | undefined, name: string) =>
  at(
    listOr(container?.env).find((each) => at(each, 'name') === name),
    'value',
  )
const injected = JSON.stringify({
  spec: { template: { spec: { containers: [{ name: 'istio', image: 'registry.example/istio:1' }] } } },
})

/** What somebody does with kubectl, and whether the containers show it. */
const EDITS: readonly (readonly [args: (name: string) => readonly string[], isThere: (of: Containers) => boolean])[] = [
  [
    (name) => ['set', 'env', `deployment/${name}`, '--containers=cart', 'LEVEL=debug'],
    ({ cart }) => variable(cart, 'LEVEL') === 'debug',
  ],
  [
    (name) => ['set', 'image', `deployment/${name}`, 'proxy=registry.example/proxy:2'],
    ({ proxy }) => proxy?.image === 'registry.example/proxy:2',
  ],
  [
    (name) => ['set', 'resources', `deployment/${name}`, '--containers=cart', '--limits=memory=64Mi'],
    ({ cart }) => at(cart, 'resources', 'limits', 'memory') === '64Mi',
  ],
  [
    (name) => ['patch', `deployment/${name}`, '--type=strategic', `--patch=${injected}`],
    ({ istio }) => istio !== undefined,
  ],
]

/** When an edit is made. */
const MOMENTS = ['before the undo', 'with the undo', 'once the source is restored'] as const

describe(`undos while others edit the source (seed ${SEED})`, function () {
  this.timeout(180_000 + UNDOS * 30_000)
  const { place } = usesOwnProduct(() => WITH_PROMOTION)

  const containersOf = async (name: string): Promise<Containers> => {
    const { spec } = await place().deployment(name)
    const containers = listOr(at(spec, 'template', 'spec', 'containers')) as readonly JsonObject[]
    return Object.fromEntries(containers.map((each) => [each.name, each]))
  }

  /** A source that was promoted, with its fork or without. */
  async function promoted(name: string, undo: number): Promise<void> {
    const proxy = { name: 'proxy', image: 'registry.example/proxy:1' }
    await aSource(place(), name, { replicas: 2 })
    const former = { name: 'cart', image: 'registry.example/cart:1', env: [{ name: 'MODE', value: 'old' }] }
    const type = random(2, undo, 1) === 0 ? 'Recreate' : 'RollingUpdate'
    await place().api.patch(place().path('deployments', name), {
      spec: { strategy: { type, rollingUpdate: null }, template: { spec: { containers: [former, proxy] } } },
    })
    const isInDrain = random(2, undo, 2) === 0
    const container = { name: 'cart', image: 'registry.example/cart:2', env: [{ name: 'MODE', value: 'new' }] }
    await place().experiment(name, {
      source: name,
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [container] } } },
      strategy: { canary: { steps: [{ setWeight: 50 }], scaleDownDelaySeconds: isInDrain ? 3_600 : 1 } },
      promotion: { mode: 'Automatic' },
    })
    await place().shows(name, 'its promotion', ({ status }) =>
      isInDrain ? status?.strategy?.stepName === 'drain 1h' : status?.strategy?.phase === 'Promoted',
    )
    expect((await containersOf(name)).cart).to.include({ image: 'registry.example/cart:2' })
  }

  /** While the run moves to another step, a command may have to be repeated, as its answer says. */
  const undone = (name: string): Promise<void> =>
    eventually(`${name} to go back`, DEADLINE_MS, async () => {
      const { path, command } = (await place().experimentAt(name)).status?.strategy ?? {}
      if (path === 'Undo') return
      const isToSay = command?.verb !== 'undo' || command.answer === 'Stale'
      const { text } = isToSay ? await say(place(), name, 'undo') : { text: JSON.stringify(command) }
      throw new Error(text)
    })

  async function play(undo: number): Promise<void> {
    const name = `cart-${undo}`
    await promoted(name, undo)
    const edits = EDITS.map((edit, of) => ({ edit, moment: MOMENTS[random(MOMENTS.length + 1, undo, 10 + of)] }))
    const make = async (moment: (typeof MOMENTS)[number]) => {
      for (const { edit, moment: of } of edits)
        if (of === moment) {
          const { code, text } = await place().kubectl(edit[0](name))
          expect(code, text).to.equal(0)
        }
    }
    await make('before the undo')
    await Promise.all([undone(name), make('with the undo')])
    await eventually(`${name} to be restored`, DEADLINE_MS, async () =>
      expect((await containersOf(name)).cart).to.include({ image: 'registry.example/cart:1' }),
    )
    await make('once the source is restored')
    await place().shows(name, 'its end', ({ status }) => status?.strategy?.phase === 'Undone')
    const containers = await containersOf(name)
    expect([containers.cart?.image, variable(containers.cart, 'MODE')]).to.deep.equal([
      'registry.example/cart:1',
      'old',
    ])
    const lost = edits.filter(({ edit, moment }) => moment !== undefined && !edit[1](containers))
    expect(lost.map(({ edit }) => edit[0](name))).to.deep.equal([])
    expect(objectOr((await place().experimentAt(name)).status?.promotion)).to.not.have.property('restored')
  }

  it('N11: one that the API server refuses ends, with the cause, and can be given again', async () => {
    const mount = (name: string) => ({ name: 'cart', volumeMounts: [{ mountPath: '/data', name }] })
    const setVolumes = async (volumes: readonly JsonObject[]) => {
      const patch = JSON.stringify({ spec: { template: { spec: { volumes } } } })
      const { code, text } = await place().kubectl(['patch', 'deployment/vase', '--type=merge', `--patch=${patch}`])
      expect(code, text).to.equal(0)
    }
    const mounted = async () => at(listOr((await containersOf('vase')).cart?.volumeMounts)[0], 'name')
    const shows = (phase: string) => place().shows('vase', phase, ({ status }) => status?.strategy?.phase === phase)
    const [former, latter] = ['former', 'latter'].map((name): JsonObject => ({ name, emptyDir: {} }))
    if (!former || !latter) throw new Error('there are two volumes')
    const image = 'registry.example/cart:1'
    await aSource(place(), 'vase', { pod: { containers: [{ ...mount('former'), image }], volumes: [former] } })
    await place().experiment('vase', {
      source: 'vase',
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [mount('latter')], volumes: [latter] } } },
      promotion: { mode: 'Automatic' },
    })
    await shows('Promoted')
    await setVolumes([latter])
    await says(place(), 'vase', 'undo')
    await shows('Aborted')
    expect(await mounted()).to.equal('latter')
    await eventually('an Event to say why', DEADLINE_MS, async () =>
      expect((await place().kubectl(['get', 'events', '--field-selector=reason=Aborted'])).text).to.match(
        /the undo ends, because the API server refuses to restore deployment\/vase: .*Not found: "former"/,
      ),
    )
    await setVolumes([former, latter])
    await says(place(), 'vase', 'undo')
    await shows('Undone')
    expect(await mounted()).to.equal('former')
  })

  it(`N11: each of ${UNDOS} ends, and the edits stay`, async () => {
    const waiting = Array.from({ length: UNDOS }, (_, undo) => undo)
    const lane = async (): Promise<void> => {
      const undo = waiting.shift()
      if (undo === undefined) return
      await play(undo)
      return lane()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  })
})
