import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { newLease } from '../../../controller/runtime/lease.ts'
import { LeaseStore } from '../../../controller/runtime/lease-store.ts'
import { LeaseServer } from './lease-server.ts'

const LEASE = newLease('the-lease', 'a_1', new Date(0)) as KubeObject

function world() {
  const server = new LeaseServer()
  const deadlines = new Set<number | undefined>()
  const request = async (of: KubeRequest) => {
    deadlines.add(of.deadlineMs)
    return server.answer(of)
  }
  return { server, deadlines, store: new LeaseStore({ client: { request }, namespace: 'ops', name: 'the-lease' }) }
}

describe('LeaseStore', () => {
  it('reads, creates and replaces within five seconds each', async () => {
    const { store, deadlines } = world()
    expect(await store.read()).to.equal(undefined)
    const created = await store.create(LEASE)
    expect(await store.read()).to.equal(created)
    expect(created && (await store.replace(created))?.metadata.resourceVersion).to.equal('2')
    expect([...deadlines]).to.deep.equal([5_000])
  })

  it('returns undefined for a Lease that another has created, changed or deleted', async () => {
    const { store, server } = world()
    const old = server.store(LEASE)
    expect(await store.create(LEASE)).to.equal(undefined)
    server.store(old)
    expect(await store.replace(old)).to.equal(undefined)
    server.lease = undefined
    expect(await store.replace(old)).to.equal(undefined)
  })

  it('throws every other error', async () => {
    const failed = new KubeError({ kind: 'unreachable', message: 'no answer' })
    const store = new LeaseStore({ client: { request: () => Promise.reject(failed) }, namespace: 'ops', name: 'x' })
    for (const call of [store.read(), store.create({}), store.replace(LEASE)])
      expect(await call.catch((error: unknown) => error)).to.equal(failed)
  })
})
