import { expect } from 'chai'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { readNamespace } from '../../../../common/kube/reads/namespace.ts'
import { kubeError } from '../../../fakes/wire-by-hand.ts'

/** What is read of the namespace `shop` where the API server answers so, and the request. */
async function read(answer: unknown) {
  const requests: KubeRequest[] = []
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const outcome = await readNamespace(client, 'shop', 1_000).catch((error: unknown) => error)
  return { outcome, requests }
}

describe('readNamespace', () => {
  it('reads name and labels, within the deadline', async () => {
    const { outcome, requests } = await read({ kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'a' } } })
    expect(outcome).to.deep.equal({ view: { name: 'shop', labels: { team: 'a' } }, isThere: true })
    expect(requests).to.deep.equal([
      { verb: 'get', path: '/api/v1/namespaces/shop', expects: 'Namespace', deadlineMs: 1_000 },
    ])
  })

  it('has no labels where the namespace has none', async () => {
    expect((await read({ metadata: { name: 'shop' } })).outcome).to.deep.equal({
      view: { name: 'shop', labels: {} },
      isThere: true,
    })
  })

  it('gives a namespace that does not exist the label of its name', async () => {
    expect((await read(kubeError('notFound'))).outcome).to.deep.equal({
      view: { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } },
      isThere: false,
    })
  })

  for (const kind of ['forbidden', 'unreachable', 'kindAbsent'] as const)
    it(`throws ${kind}`, async () => expect((await read(kubeError(kind))).outcome).to.include({ kind }))
})
