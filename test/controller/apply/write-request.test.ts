import { expect } from 'chai'
import { CONTROLLER_REVISION } from '../../../common/api/names.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { requestOf } from '../../../controller/apply/write-request.ts'
import { aDeployment } from '../../builders.ts'

const object = aDeployment()
const applied = (
  role: 'newFork' | 'fork' | 'newTwin' | 'twin',
): Extract<Write, { isRepair: boolean; verb: 'apply' }> => ({
  verb: 'apply',
  role,
  resource: deployment,
  object,
  isRepair: false,
  isSameDerivation: false,
})
const patched = (role: 'fork' | 'source', subresource?: 'status') =>
  requestOf({ verb: 'patch', role, resource: deployment, of: object, patch: {}, ...(subresource && { subresource }) })

describe('the request of a write', () => {
  it('takes the fields of others over only if the fork or the twin exists already', () => {
    const forced = (['newFork', 'fork', 'newTwin', 'twin'] as const).map(
      (role) => requestOf(applied(role)).query?.force,
    )
    expect(forced).to.deep.equal([false, true, false, true])
  })

  it('creates in the namespace of the object', () =>
    expect(requestOf({ verb: 'create', role: 'base', resource: CONTROLLER_REVISION, object })).to.deep.equal({
      verb: 'create',
      path: '/apis/apps/v1/namespaces/shop/controllerrevisions',
      body: object,
    }))

  it('patches a source by the name of promotions, and all else by that of the controller', () =>
    expect([patched('source'), patched('fork')].map(({ query }) => query?.fieldManager)).to.deep.equal([
      'experiment-controller-promotion',
      'experiment-controller',
    ]))

  it('patches the object, or its status', () =>
    expect([patched('fork'), patched('fork', 'status')].map(({ path }) => path)).to.deep.equal([
      '/apis/apps/v1/namespaces/shop/deployments/cart',
      '/apis/apps/v1/namespaces/shop/deployments/cart/status',
    ]))
})
