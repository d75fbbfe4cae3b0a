import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import { crds, install, WITH_PROMOTION } from '../../sandbox/installation.ts'
import { aSource, condition, hasEndpoints, imagesOf, type Place, placeAt } from '../integration/product.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const NAMESPACE = 'shop'

describe('promotion, in a cluster with the component', () => {
  const plane = usesOwnControlPlane(crds)
  let found: Place | undefined
  const place = () => {
    if (!found) throw new Error('the product runs while tests run')
    return found
  }
  before('the product runs', async function () {
    this.timeout(180_000)
    await install(plane(), { overlay: WITH_PROMOTION })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    found = placeAt(plane().api, plane().kubectl, NAMESPACE)
  })

  const say = (name: string, word: string) =>
    place().kubectl(['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=${word}`])
  const shows = (name: string, phase: string) =>
    place().shows(name, phase, ({ status }: ExperimentDeployment) => status?.strategy?.phase === phase)
  const imageOf = async (name: string) => imagesOf(await place().deployment(name))
  const override = { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:2' }] } } }

  it('writes the source when somebody says so, deletes the fork, and undoes it', async () => {
    await aSource(place(), 'cart', { replicas: 3 })
    await hasEndpoints(place(), 'cart', 3)
    const canary = { steps: [{ setWeight: 30 }], scaleDownDelaySeconds: 1 }
    await place().experiment('promoted', { source: 'cart', overrideSpec: override, strategy: { canary } })
    await shows('promoted', 'Paused')
    expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:1'])
    expect(await say('promoted', 'promote')).to.deep.include({ code: 0 })
    const after = await shows('promoted', 'Promoted')
    await place().reaches('promoted', 'Promoted')
    expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:2'])
    expect(condition(after, 'Promoted')?.status).to.equal('True')
    expect(await say('promoted', 'undo')).to.deep.include({ code: 0 })
    await shows('promoted', 'Undone')
    expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:1'])
    expect(at(await place().deployment('cart'), 'spec', 'replicas')).to.equal(3)
  })
})
