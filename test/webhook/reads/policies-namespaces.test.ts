import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { policySource } from '../../../webhook/reads/policies.ts'
import { VirtualTime } from '../../virtual-time.ts'

/** An API server with one namespace, or with a failure. It counts its requests. */
function world() {
  const time = new VirtualTime()
  const state = { asked: 0, labels: { team: 'a' } as object, trouble: undefined as KubeErrorKind | undefined }
  const request = async () => {
    state.asked += 1
    if (state.trouble) throw new KubeError({ kind: state.trouble, message: 'no' })
    return { kind: 'Namespace', metadata: { name: 'shop', labels: state.labels } }
  }
  const source = policySource(
    { hasSynced: true, list: () => [] },
    { client: { request }, timers: time, ownNamespace: 'experiment-controller-system' },
  )
  return { time, state, shop: () => source.namespace('shop') }
}

describe('the namespaces that policies see', () => {
  it('are read once a minute', async () => {
    const { time, state, shop } = world()
    expect((await Promise.all([shop(), shop()]))[1]).to.deep.equal({ name: 'shop', labels: { team: 'a' } })
    state.labels = { team: 'b' }
    await time.pass(59_999)
    expect((await shop())?.labels).to.deep.equal({ team: 'a' })
    await time.pass(1)
    expect((await shop())?.labels).to.deep.equal({ team: 'b' })
    expect(state.asked).to.equal(2)
  })

  it('have the label of their name where they do not exist yet, and are read again', async () => {
    const { state, shop } = world()
    state.trouble = 'notFound'
    expect((await shop())?.labels).to.deep.equal({ 'kubernetes.io/metadata.name': 'shop' })
    await shop()
    expect(state.asked).to.equal(2)
  })

  it('are unknown where the API server does not answer', async () => {
    const { state, shop } = world()
    state.trouble = 'unreachable'
    expect(await shop()).to.equal(undefined)
    state.trouble = undefined
    expect(await shop()).to.not.equal(undefined)
  })
})
