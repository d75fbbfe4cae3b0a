import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, type Installation, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, DEADLINE_MS, type Place, placeAt } from '../integration/product.ts'
import { blueGreensIn, previewOf } from './blue-greens.ts'
import { gatedForksIn } from './gated-forks.ts'

const SIZE = 4
/** A minute with too few pods, and what comes before and after it. */
const TIMEOUT_MS = 240_000

const SHORT =
  '2 of 4 pods of the fork are ready, and 4 of the source; service/short sends to the source again if that lasts a minute'

describe('a fork that gets all requests and loses pods, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  let product: Installation | undefined
  before('the product runs', async () => {
    product = await install(plane(), { overlay: WITH_CUT_OVER, kindProbeSeconds: 2 })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  })
  const place = (): Place => placeAt(plane().api, plane().kubectl, 'shop')
  const { shows } = canariesIn(place)
  const { aSource, aService, idOf, comesTo } = gatedForksIn(place)
  const { blueGreen, isPinned, comesBack } = blueGreensIn(place)

  /** An experiment whose active Service sends to its fork. */
  async function cutOver(name: string, of: Partial<BlueGreenStrategy> = {}): Promise<void> {
    await aSource('Deployment', name, SIZE)
    await aService(previewOf(name), name)
    await blueGreen(name, 'Deployment', { autoPromotionEnabled: true, ...of })
    await shows(name, '4/9 Paused')
  }

  /** As a kubelet does when a container is not ready. */
  async function breakPods(name: string, count: number): Promise<void> {
    const pods = await place().api.list(`${place().path('pods')}?labelSelector=${EXPERIMENT_ID}=${await idOf(name)}`)
    const conditions = ['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False' }))
    const breakPod = ({ metadata: { name: pod } }: KubeObject) =>
      place().api.patch(`${place().path('pods', pod)}/status`, { status: { conditions } }, 'strategic')
    await Promise.all(pods.slice(0, count).map(breakPod))
  }

  const isShort = (name: string) =>
    place().shows(name, 'TooFewPods', (found) => condition(found, 'TooFewPods')?.status === 'True')

  it('N6: sends to the source again after 60 s, also where the controller is killed meanwhile', async () => {
    await cutOver('short')
    await breakPods('short', 2)
    // a pass may see the first of both pods alone
    const found = await place().shows('short', 'TooFewPods', (each) => condition(each, 'TooFewPods')?.message === SHORT)
    const since = Date.parse(condition(found, 'TooFewPods')?.lastTransitionTime ?? '')
    await product?.controller().stop('SIGKILL')
    await product?.startController()
    expect(await isPinned('short', await idOf('short'))).to.equal(true)
    await eventually('service short to send to its source', 2 * DEADLINE_MS, async () => {
      if (await isPinned('short', await idOf('short'))) throw new Error('it is limited to the fork')
    })
    expect((Date.now() - since) / 1_000).to.be.within(60, 66)
    const { status } = await place().shows('short', 'Aborted', (each) => each.status?.strategy?.path === 'Abort')
    expect(status?.conditions?.some(({ type }) => type === 'TooFewPods')).to.equal(false)
    await comesTo('short', { listed: 0, others: SIZE })
  })

  it('N6: may lack as many as maxUnavailable says, which can be changed in the middle of its run', async () => {
    await cutOver('lacking', { maxUnavailable: '25%' })
    await breakPods('lacking', 1)
    await comesTo('lacking', { listed: 3, others: 0 })
    expect(condition(await place().experimentAt('lacking'), 'TooFewPods')).to.equal(undefined)
    await breakPods('lacking', 2)
    await isShort('lacking')
    await place().api.patch(place().path('experiments', 'lacking'), {
      spec: { strategy: { blueGreen: { maxUnavailable: 2 } } },
    })
    const found = await place().shows('lacking', 'no shortage', (each) => condition(each, 'TooFewPods') === undefined)
    expect(found.status?.strategy?.step).to.equal('4/9 Paused')
    await breakPods('lacking', 4)
    await comesBack('lacking')
  })

  it('N6: stays while its pods are made again elsewhere', async () => {
    await cutOver('drained')
    const pods = `${place().path('pods')}?labelSelector=${EXPERIMENT_ID}=${await idOf('drained')}`
    for (const { metadata } of await place().api.list(pods)) {
      await place().api.delete(place().path('pods', metadata.name))
      await comesTo('drained', { pods: SIZE, open: SIZE, listed: SIZE, others: 0 })
    }
    expect((await place().experimentAt('drained')).status?.strategy?.path).to.equal('Forward')
  })
})
