import { expect } from 'chai'
import { SCALED } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { aDeployment } from '../builders.ts'
import { aQuietController, PATHS } from './quiet-controller.ts'
import { DEPLOYMENTS, EXPERIMENT, running, versioned } from './running.ts'

const CART = `${DEPLOYMENTS}/cart`
const annotations = (revision: string) => ({ 'deployment.kubernetes.io/revision': revision })

describe('the controller, when its source changes', () => {
  it('R8: has the revision within 5 s, which the Deployment controller raises after the generation', async () => {
    const { server, controller, settle, time } = running({
      [CART]: versioned(aDeployment({ metadata: { annotations: annotations('1') } })),
    })
    const source = () => at(server.at(EXPERIMENT), 'status', 'source')
    await controller.start()
    controller.lead()
    await settle()
    server.change(CART, (cart) => ({ ...cart, spec: { ...(aDeployment({ image: 'example/cart:2' }).spec as object) } }))
    await settle()
    expect(source()).to.include({ generation: 2, revision: '1' })
    server.change(CART, (cart) => ({ ...cart, metadata: { ...cart.metadata, annotations: annotations('2') } }))
    await time.pass(5_000)
    await settle()
    expect(source()).to.include({ generation: 2, revision: '2' })
    await controller.stop()
  })

  it('N52: writes nothing because a canary of somebody else has made it smaller, and has labelled it', async () => {
    const { server, controller, change, pass } = await aQuietController()
    const before = server.diary.length
    change(PATHS.source, ({ metadata, spec }) => ({
      metadata: { ...metadata, generation: 2, labels: { ...metadata.labels, [SCALED]: 'another.11.9' } },
      spec: { ...(spec as object), replicas: 9 },
    }))
    await pass(20_000) // no longer, because a sweep looks for that canary
    expect(server.diary.slice(before)).to.deep.equal([`get ${PATHS.source}`])
    await controller.stop()
  })
})
