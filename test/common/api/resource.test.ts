import { expect } from 'chai'
import { CONTROLLER_REVISION } from '../../../common/api/resource.ts'
import { pathOf } from '../../../common/kube/client/resources.ts'

describe('CONTROLLER_REVISION', () => {
  it('names the kind that apps/v1 serves, so that its path is the one of the API server', () => {
    const place = { namespace: 'shop', name: 'cart' }
    expect(CONTROLLER_REVISION.kind).to.equal('ControllerRevision')
    expect(pathOf(CONTROLLER_REVISION, place)).to.equal('/apis/apps/v1/namespaces/shop/controllerrevisions/cart')
  })
})
