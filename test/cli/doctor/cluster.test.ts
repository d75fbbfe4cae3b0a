import { expect } from 'chai'
import { CONNECTIONS } from '../../../cli/cluster/connect.ts'
import { clusterOf } from '../../../cli/doctor/cluster.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { RESOURCES } from '../../../common/kube/client/resources.ts'
import { aDeployment } from '../../builders.ts'

const never = new AbortController().signal
const answering = (answer: (request: KubeRequest) => unknown) =>
  clusterOf({ request: async (request) => answer(request) }, never)
const failing = (kind: KubeError['kind']) =>
  answering(() => {
    throw new KubeError({ kind, status: 403, message: `it is ${kind}`, forbiddenBy: 'rights' })
  })
const place = { namespace: 'shop', name: 'cart' }

describe('the cluster of the doctor', () => {
  it('reads an object and a list by a label', async () => {
    const requests: KubeRequest[] = []
    const cluster = answering((request) => {
      requests.push(request)
      return request.verb === 'get' ? aDeployment() : { items: [aDeployment(), 7] }
    })
    expect(await cluster.get(RESOURCES.Deployment, place)).to.deep.equal({ is: 'known', value: aDeployment() })
    expect(await cluster.list(RESOURCES.Deployment, {}, 'app')).to.deep.equal({ is: 'known', value: [aDeployment()] })
    expect(requests.map(({ verb, path, query }) => [verb, path, query])).to.deep.equal([
      ['get', '/apis/apps/v1/namespaces/shop/deployments/cart', undefined],
      ['list', '/apis/apps/v1/deployments', { labelSelector: 'app' }],
    ])
  })

  it('says of a failed read whether there is nothing, or why nobody knows', async () => {
    for (const kind of ['notFound', 'kindAbsent'] as const)
      expect(await failing(kind).get(RESOURCES.Deployment, place)).to.deep.equal({ is: 'absent' })
    for (const kind of ['forbidden', 'unreachable', 'server'] as const)
      expect(await failing(kind).get(RESOURCES.Deployment, place)).to.include({ is: 'unknown' })
  })

  it('posts an object with its kind, and throws what the API server refuses', async () => {
    const seen: unknown[] = []
    await answering((request) => seen.push(request.body, request.query)).post(
      RESOURCES.SubjectAccessReview,
      {},
      { spec: { user: 'me' } },
      { dryRun: 'All' },
    )
    expect(seen).to.deep.equal([
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user: 'me' } },
      { dryRun: 'All' },
    ])
    const refused = await failing('forbidden')
      .post(RESOURCES.Lease, {}, {})
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(KubeError)
  })

  it('sends as many requests at once as it has connections', async () => {
    let [now, most] = [0, 0]
    const cluster = clusterOf(
      {
        request: async () => {
          now += 1
          most = Math.max(most, now)
          await new Promise((done) => setTimeout(done, 1))
          now -= 1
          return aDeployment()
        },
      },
      never,
    )
    await Promise.all(Array.from({ length: 20 }, () => cluster.get(RESOURCES.Deployment, place)))
    expect(most).to.equal(CONNECTIONS)
  })
})
