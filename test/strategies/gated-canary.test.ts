import { expect } from 'chai'
import type { CanaryStep } from '../../common/api/strategy.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_GATE } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, DEADLINE_MS } from '../integration/product.ts'
import { ALL_KINDS, gatedForksIn, KINDS, type Kind, usesAllKinds } from './gated-forks.ts'

const SIZE = 4
const image = (tag: string) => imageOverride(`registry.example/cart:${tag}`)
const nameOf = (kind: Kind) => `gated-${kind.toLowerCase()}`

/** Three kinds at once, each with a limit of its own. */
const TIMEOUT_MS = 240_000

describe('a gated canary of each kind, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const place = usesAllKinds(WITH_GATE)
  const { says, shows } = canariesIn(place)
  const { aSource, comesTo } = gatedForksIn(place)

  const gated = (name: string, kind: Kind, steps: readonly CanaryStep[], of: object = {}) =>
    place().experiment(name, {
      source: name,
      kind,
      replicas: SIZE,
      overrideSpec: image('2'),
      traffic: { mode: 'Gated' },
      strategy: { canary: { steps, abortScaleDownDelaySeconds: 2 } },
      ...of,
    })

  /** The three kinds side by side. */
  const ofEachKind = (title: string, test: (name: string, kind: Kind) => Promise<void>) =>
    it(title, () => Promise.all(ALL_KINDS.map((kind) => test(nameOf(kind), kind))).then(() => undefined))

  ofEachKind('runs at full size without a request, opens with its weights, and shuts at 0', async (name, kind) => {
    await aSource(kind, name, SIZE)
    await gated(name, kind, [{ pause: {} }, { setWeight: 33 }, { pause: {} }, { setWeight: 0 }, { pause: {} }])
    await shows(name, '0/8 Paused')
    await comesTo(name, { pods: SIZE, open: 0, listed: 0 })
    const paused = await place().reaches(name, 'Available')
    expect(condition(paused, 'TrafficShared')?.reason).to.equal('Shut')
    expect(paused.status?.pods).to.equal('4/4')
    await says(name, 'resume')
    await shows(name, '2/8 Paused')
    await comesTo(name, { pods: SIZE, open: 2, listed: 2 })
    await says(name, 'resume')
    const shut = await shows(name, '4/8 Paused')
    await comesTo(name, { pods: SIZE, open: 0, listed: 0 })
    expect(shut.status?.strategy?.weight).to.deep.equal({ desired: 0, actual: 0 })
  })

  ofEachKind('is updated while all of its pods are shut', async (name) => {
    await place().api.patch(place().path('experiments', name), {
      spec: {
        overrideSpec: image('3'),
        strategy: { canary: { steps: [{ pause: {} }, { setWeight: 20 }, { pause: {} }] } },
      },
    })
    await shows(name, '0/6 Paused')
    await comesTo(name, { pods: SIZE, open: 0, listed: 0, images: 'registry.example/cart:3' })
    await place().reaches(name, 'Available')
  })

  ofEachKind('is updated while one of its pods is open, when its source changes', async (name, kind) => {
    await says(name, 'resume')
    await shows(name, '2/6 Paused')
    await comesTo(name, { pods: SIZE, open: 1, listed: 1 })
    const container = { name: 'cart', image: 'registry.example/cart:1', env: [{ name: 'A', value: 'b' }] }
    await place().api.patch(place().path(KINDS[kind], name), {
      spec: { template: { spec: { containers: [container] } } },
    })
    await eventually(`the fork of ${name} to follow`, DEADLINE_MS, async () => {
      const { status } = await place().experimentAt(name)
      const source = await place().api.get(place().path(KINDS[kind], name))
      if (status?.source?.generation !== source.metadata.generation) throw new Error(JSON.stringify(status?.source))
    })
    await place().reaches(name, 'Available')
    await comesTo(name, { pods: SIZE, open: 1, listed: 1, revisions: 1 })
  })

  ofEachKind('keeps its pods for a while without requests when it is aborted, then loses them', async (name) => {
    await says(name, 'abort')
    await shows(name, '3/3 Aborted')
    await comesTo(name, { pods: 0, open: 0, listed: 0 })
    await says(name, 'retry')
    await shows(name, '0/6 Paused')
    await comesTo(name, { pods: SIZE, open: 0, listed: 0 })
  })

  it('keeps an aborted fork until it is deleted with abortScaleDownDelaySeconds 0', async () => {
    await aSource('Deployment', 'kept', SIZE)
    const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }], abortScaleDownDelaySeconds: 0 } }
    await gated('kept', 'Deployment', [], { strategy })
    await shows('kept', '1/5 Paused')
    await comesTo('kept', { pods: SIZE, open: SIZE, listed: SIZE })
    await says('kept', 'abort')
    await shows('kept', '1/3 Aborted')
    await comesTo('kept', { pods: SIZE, open: 0, listed: 0 })
    await place().shows('kept', 'that its pods are kept', (found) =>
      (condition(found, 'Stalled')?.message ?? '').includes('its pods get no requests'),
    )
    expect((await place().kubectl(['delete', 'expd/kept', '--wait=true'])).code).to.equal(0)
  })
})
