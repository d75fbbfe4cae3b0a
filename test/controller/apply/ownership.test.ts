import { expect } from 'chai'
import { EXPERIMENT_ID, SERVICE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Write } from '../../../common/writes/write.ts'
import { releaseOf } from '../../../controller/apply/ownership.ts'

const TEAM = { manager: 'kubectl', operation: 'Update' }
const OURS = { manager: 'experiment-controller', operation: 'Update' }

const aService = (managedFields: readonly (typeof TEAM)[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'cart', namespace: 'shop', uid: 'uid', resourceVersion: '31', managedFields: [...managedFields] },
})
const switched = (id: string | null): Exclude<Write, { verb: 'delete' }> => ({
  verb: 'patch',
  role: 'service',
  resource: SERVICE,
  of: aService([TEAM]),
  patch: { spec: { selector: { [EXPERIMENT_ID]: id } } },
})

describe('what the controller owns of a Service', () => {
  it('is given up when the Service is given back', () =>
    expect(releaseOf(switched(null), aService([TEAM, OURS]))).to.deep.include({
      path: '/api/v1/namespaces/shop/services/cart',
      body: { metadata: { uid: 'uid', resourceVersion: '31', managedFields: [TEAM] } },
    }))

  it('is kept while the Service sends only to the fork', () =>
    expect(releaseOf(switched('cd1aa1c99c'), aService([TEAM, OURS]))).to.equal(undefined))

  it('is nothing where it has no entry, and where nobody else has one, because an empty list changes nothing', () => {
    expect(releaseOf(switched(null), aService([TEAM]))).to.equal(undefined)
    expect(releaseOf(switched(null), aService([OURS]))).to.equal(undefined)
  })
})
