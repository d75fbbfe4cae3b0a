import { expect } from 'chai'
import type { KubeErrorKind } from '../../../../common/api/failure.ts'
import { UNREAD } from '../../../../common/api/object.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { fetchSource } from '../../../../common/kube/reads/source.ts'
import { deployment } from '../../../../common/workload/deployment.ts'
import { rollout } from '../../../../common/workload/rollout.ts'
import { aDeployment, aRollout } from '../../../builders.ts'
import { kubeError, ScriptedClient } from '../../../fakes/wire-by-hand.ts'

const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/cart'
const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'
const REPLICA_SETS = '/apis/apps/v1/namespaces/shop/replicasets'

/** A client that answers by path: an object, or a kind of failure; `notFound` elsewhere. */
function answering(answers: Readonly<Record<string, object | KubeErrorKind>>) {
  const requests: KubeRequest[] = []
  const client = Object.assign(new ScriptedClient(), {
    request: async (request: KubeRequest) => {
      requests.push(request)
      const answer = answers[request.path] ?? 'notFound'
      if (typeof answer === 'string') throw kubeError(answer)
      return answer
    },
  })
  return { client, requests }
}

const PLACE = { namespace: 'shop', name: 'cart' }

describe('fetchSource', () => {
  it('reads a source that refers to nothing with one request', async () => {
    const source = aDeployment()
    const { client, requests } = answering({ [CART]: source })
    expect(await fetchSource(client, deployment, PLACE)).to.deep.equal({ object: source, referents: [] })
    expect(requests).to.deep.equal([{ verb: 'get', path: CART, expects: 'Deployment' }])
  })

  it('returns undefined where the source does not exist', async () =>
    expect(await fetchSource(answering({}).client, deployment, PLACE)).to.equal(undefined))

  it('reads the object that a Rollout refers to by name', async () => {
    const source = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })
    const referent = aDeployment()
    const { client } = answering({ [ROLLOUT]: source, [CART]: referent })
    expect((await fetchSource(client, rollout, PLACE))?.referents).to.deep.equal([referent])
  })

  it('leaves out a referent that does not exist', async () => {
    const source = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })
    const { client } = answering({ [ROLLOUT]: source })
    expect(await fetchSource(client, rollout, PLACE)).to.deep.equal({ object: source, referents: [] })
  })

  it('reads referents by their labels: the ReplicaSets of the stable revision of a Rollout', async () => {
    const source = { ...aRollout(), status: { stableRS: '5c6b' } }
    const replicaSet = { metadata: { name: 'cart-5c6b' } }
    const { client, requests } = answering({ [ROLLOUT]: source, [REPLICA_SETS]: { items: [replicaSet] } })
    expect((await fetchSource(client, rollout, PLACE))?.referents).to.deep.equal([replicaSet])
    expect(requests[1]).to.deep.include({ query: { labelSelector: 'rollouts-pod-template-hash=5c6b' } })
  })

  it('throws what a referent cannot be read for', async () => {
    const source = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })
    const { client } = answering({ [ROLLOUT]: source, [CART]: 'forbidden' })
    const outcome = await fetchSource(client, rollout, PLACE).catch((error: unknown) => error)
    expect(outcome).to.include({ kind: 'forbidden' })
  })

  it('N29: throws unread where an object that the template may be in is too large', async () => {
    const source = { ...aRollout(), status: { stableRS: '6d4b75cb6d' } }
    const large = { metadata: { name: 'cart-6d4b75cb6d' }, [UNREAD]: 'it is longer than 1.5 MiB' }
    const { client } = answering({ [ROLLOUT]: source, [REPLICA_SETS]: { items: [large] } })
    const error = await fetchSource(client, rollout, PLACE).catch((error: unknown) => error)
    expect(error).to.include({
      kind: 'unread',
      message: 'cart-6d4b75cb6d is too large to be read: it is longer than 1.5 MiB',
    })
  })
})
