import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, forkOf, hasEndpoints, type Place, placeAt } from '../integration/product.ts'
import { blueGreensIn, previewOf } from './blue-greens.ts'
import { gatedForksIn } from './gated-forks.ts'

const SIZE = 2
const USER = 'no-services'
/** All that she may do. */
const RIGHTS = {
  experiments: ['--verb=get,patch,delete', '--resource=experimentdeployments.experimentcontroller.example.com'],
  workloads: ['--verb=delete', '--resource=deployments.apps'],
}

/** As of a Service that the controller has limited to a fork that does not exist. */
const BAIT = { selector: { app: 'bait', [EXPERIMENT_ID]: '0123456789' }, ports: [{ port: 80 }] }

describe('a Service of a blue-green that is deleted with its fork, on the real control plane', function () {
  this.timeout(240_000)
  const plane = usesOwnControlPlane()
  let product: Installation | undefined
  let found: Place | undefined
  const place = (): Place => {
    if (!found) throw new Error('the product is there when tests run')
    return found
  }
  before('the product runs, and a user may delete what the controller makes', async () => {
    product = await install(plane(), { overlay: WITH_CUT_OVER, kindProbeSeconds: 2 })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    found = placeAt(plane().api, plane().kubectl, 'shop')
    for (const [name, rights] of Object.entries(RIGHTS)) {
      expect((await place().kubectl(['create', 'role', name, ...rights])).text).to.contain('created')
      const bound = ['create', 'rolebinding', name, `--role=${name}`, `--user=${USER}`]
      expect((await place().kubectl(bound)).text).to.contain('created')
    }
  })

  const { shows } = canariesIn(place)
  const { aSource, aService } = gatedForksIn(place)
  const { blueGreen, selectorOf } = blueGreensIn(place)

  const tries = async (...args: readonly string[]) => (await place().kubectl([`--as=${USER}`, ...args])).text

  /** An experiment whose two Services send only to its fork. */
  async function cutOver(name: string): Promise<string> {
    await aSource('Deployment', name, SIZE)
    await aService(previewOf(name), name)
    await blueGreen(name, 'Deployment', { autoPromotionEnabled: true })
    await shows(name, '4/9 Paused')
    const fork = forkOf(await place().experimentAt(name))
    const pinned = { app: name, [EXPERIMENT_ID]: fork.slice(-10) }
    await eventually(`${name} to be cut over`, DEADLINE_MS, async () => {
      for (const each of [name, previewOf(name)]) expect(await selectorOf(each)).to.deep.equal(pinned)
    })
    return fork
  }

  it('N35: is returned, although a user without rights on Services left it to a fork that is gone', async () => {
    const name = 'lost'
    const { api, path, namespace } = place()
    const fork = await cutOver(name)
    // she is faster than the controller
    await product?.controller().stop('SIGTERM', DEADLINE_MS)
    expect(await tries('annotate', `service/${name}`, 'a=b')).to.contain('cannot get resource "services"')
    expect(await tries('delete', `expd/${name}`, '--wait=false')).to.contain('deleted')
    await tries('patch', `expd/${name}`, '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    expect(await tries('delete', `deployment/${fork}`, '--wait=false')).to.contain('deleted')
    expect(await api.list(path('experiments'))).to.deep.equal([])
    await hasEndpoints(place(), name, 0)
    await product?.startController()
    for (const each of [name, previewOf(name)])
      await eventually(`service ${each} to be returned`, 2 * DEADLINE_MS, async () =>
        expect(await selectorOf(each)).to.deep.equal({ app: name }),
      )
    const preview = await api.get(path('services', previewOf(name)))
    expect(at(preview, 'spec', 'publishNotReadyAddresses')).to.equal(undefined)
    await hasEndpoints(place(), name, SIZE)
    await eventually('the Events', DEADLINE_MS, async () => {
      const all = await api.list(resourcePath(RESOURCES.Event, { namespace }))
      const returned = all.filter(({ reason }) => reason === 'Returned').map((event) => at(event, 'regarding', 'name'))
      expect(returned).to.include.members([name, previewOf(name)])
    })
  })

  it('N35: stays limited while its fork exists, also when the controller is killed and starts again', async () => {
    const name = 'kept'
    await cutOver(name)
    const pinned = await selectorOf(name)
    await product?.controller().stop('SIGKILL', DEADLINE_MS)
    const bait = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bait' }, spec: BAIT }
    const create = ['create', '--field-manager=experiment-controller', '-f', '-']
    expect((await place().kubectl(create, JSON.stringify(bait))).text).to.contain('created')
    await product?.startController()
    await eventually('the bait to be returned', 2 * DEADLINE_MS, async () =>
      expect(await selectorOf('bait')).to.deep.equal({ app: 'bait' }),
    )
    expect(await selectorOf(name)).to.deep.equal(pinned)
  })
})
