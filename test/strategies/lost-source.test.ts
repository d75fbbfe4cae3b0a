import { expect } from 'chai'
import { SCALED } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, EVERYTHING, type Installation, install } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, forkOf, type Place, placeAt } from '../integration/product.ts'
import { usesCountedPods } from './counted-pods.ts'
import { sizedSourcesIn } from './sized-sources.ts'

const SIZE = 5
/** Two sweeps until the source gets its pods, two until they were there for half a minute, and one for the fork. */
const SWEPT_MS = 5 * 30_000 + DEADLINE_MS

describe('N52: a source that a canary left smaller, on the real control plane', function () {
  this.timeout(3 * SWEPT_MS)
  const plane = usesOwnControlPlane(crds)
  let product: Installation | undefined
  let found: Place | undefined
  const place = (): Place => {
    if (!found) throw new Error('the product is there when tests run')
    return found
  }
  before('the product runs', async () => {
    product = await install(plane(), { ...EVERYTHING, kindProbeSeconds: 2 })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    found = placeAt(plane().api, plane().kubectl, 'shop')
  })
  const counted = usesCountedPods(plane)
  const { shows } = canariesIn(place)
  const { aSizedSource, inside, comeToSizes, isItselfAgain } = sizedSourcesIn(place)

  /** A canary at 80 %. Returns the name of its fork. */
  async function at80(name: string): Promise<string> {
    await aSizedSource(name)
    await inside(name, [{ setWeight: 80 }, { pause: {} }])
    await shows(name, '1/6 Paused')
    await comeToSizes(name, [4, 1])
    return forkOf(await place().experimentAt(name))
  }
  /** Removes an experiment while no controller runs. */
  async function lose(name: string, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    await product?.controller().stop('SIGTERM', DEADLINE_MS)
    for (const args of [
      ['delete', `expd/${name}`, '--wait=false'],
      ['patch', `expd/${name}`, '--type=merge', '-p', '{"metadata":{"finalizers":null}}'],
    ]) {
      const { code, text } = await place().kubectl(args)
      expect(code, text).to.equal(0)
    }
    expect(await place().api.list(place().path('experiments'))).to.deep.equal([])
    await meanwhile()
    await product?.startController()
  }
  const isGone = (fork: string) =>
    eventually(`${fork} to be gone`, SWEPT_MS, async () => {
      const names = (await place().api.list(place().path('deployments'))).map(({ metadata }) => metadata.name)
      expect(names).to.not.include(fork)
    })
  const eventsOf = async (name: string) => {
    const all = await place().api.list(resourcePath(RESOURCES.Event, { namespace: place().namespace }))
    return all.filter((event) => at(event, 'regarding', 'name') === name).map((event) => String(event.note))
  }

  it('gets its pods back, and its fork serves until these are ready', async () => {
    const name = 'lost'
    const fork = await at80(name)
    const watched = counted().serving(place().namespace, name)
    await lose(name)
    await eventually(`${name} to get its pods`, SWEPT_MS, async () =>
      expect(replicasOf(await place().deployment(name))).to.equal(SIZE),
    )
    expect(replicasOf(await place().deployment(fork))).to.equal(4)
    await isGone(fork)
    await isItselfAgain(name)
    expect(watched().least).to.be.at.least(SIZE)
    expect(await eventsOf(name)).to.include(
      'gets 5 pods again instead of 1, because the experiment that made it smaller is gone',
    )
    expect(await eventsOf(fork)).to.include(
      `its experiment is gone; this fork stays until deployment/${name} has its 5 pods again`,
    )
  })

  it('keeps the number that somebody set since', async () => {
    const name = 'scaled'
    const fork = await at80(name)
    await lose(name, () => place().kubectl(['scale', `deployment/${name}`, '--replicas=3']))
    await isGone(fork)
    await isItselfAgain(name, 3)
  })

  it('keeps its number where it is a copy, and the source itself keeps the label', async () => {
    const name = 'copied'
    await at80(name)
    const { metadata, spec } = await place().deployment(name)
    const labels = { ...metadata.labels }
    await place().api.create(place().path('deployments'), { metadata: { name: 'copy', labels }, spec })
    await eventually('the copy to lose the label', SWEPT_MS, async () =>
      expect((await place().deployment('copy')).metadata.labels?.[SCALED]).to.equal(undefined),
    )
    expect(replicasOf(await place().deployment('copy'))).to.equal(1)
    await comeToSizes(name, [4, 1])
    expect((await place().deployment(name)).metadata.labels?.[SCALED]).to.equal(labels[SCALED])
  })
})
