import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { CONTROLLER_REVISION } from '../../../common/api/names.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/apply/written-versions.ts'
import { kubeError } from '../../common/kube/scripted-client.ts'

const of = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { namespace: 'shop', name: 'cart', uid: 'u1' },
}

/** The delete of a pinned base, which may fail, and the requests. */
async function deletion(failure?: KubeErrorKind) {
  const requests: KubeRequest[] = []
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      if (failure) throw kubeError(failure)
    },
  }
  const { signal } = new AbortController()
  const written = new WrittenVersions({ experiments: { caughtUp: async () => undefined }, forks: () => undefined })
  const writer = new Writer({ client, signal, written: written.of('shop/faster-cart'), doubt: () => undefined })
  const outcome = await writer.write({ verb: 'delete', role: 'base', resource: CONTROLLER_REVISION, of }).then(
    () => 'done',
    (error: unknown) => error,
  )
  return { outcome, requests, signal }
}

describe('the delete of a pinned base', () => {
  it('names the uid, so that no other object of that name is deleted', async () => {
    const { outcome, requests, signal } = await deletion()
    expect(outcome).to.equal('done')
    expect(requests).to.deep.equal([
      {
        verb: 'delete',
        path: '/apis/apps/v1/namespaces/shop/controllerrevisions/cart',
        body: { preconditions: { uid: 'u1' }, propagationPolicy: 'Background' },
        signal,
      },
    ])
  })

  for (const kind of ['notFound', 'conflict'] as const)
    it(`succeeds after ${kind}: that object is gone`, async () =>
      expect((await deletion(kind)).outcome).to.equal('done'))

  for (const kind of ['forbidden', 'unreachable', 'kindAbsent'] as const)
    it(`throws ${kind}`, async () => expect((await deletion(kind)).outcome).to.include({ kind }))
})
