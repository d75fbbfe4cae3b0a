import { expect } from 'chai'
import { GATE, POD } from '../../../common/api/names.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'

describe('a writer of a gate', () => {
  it('applies the condition to the status of the pod with its uid, and the next pass sees it', async () => {
    const requests: unknown[] = []
    const awaited: string[] = []
    const caughtUp = async (version: string) => void awaited.push(version)
    const written = new WrittenVersions({ experiments: { caughtUp }, pods: { caughtUp }, forks: () => undefined })
    const { signal } = new AbortController()
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'store', name: 'cart-0', uid: 'u1' },
      status: { conditions: [{ type: GATE, status: 'True' }] },
    }
    const request = async ({ signal: _given, ...sent }: KubeRequest) => {
      requests.push(sent)
      return { ...object, metadata: { ...object.metadata, resourceVersion: '14' } }
    }
    const writer = new Writer({
      client: { request },
      signal,
      written: written.of('shop/faster-cart'),
      doubt: () => undefined,
    })
    await writer.write({ verb: 'apply', role: 'pod', resource: POD, object })
    expect(requests).to.deep.equal([
      {
        verb: 'apply',
        path: '/api/v1/namespaces/store/pods/cart-0/status',
        query: { fieldManager: 'experiment-controller', fieldValidation: 'Strict', force: true },
        body: object,
        expects: 'Pod',
      },
    ])
    await written.caughtUp('shop/faster-cart')
    expect(awaited).to.deep.equal(['14'])
  })
})
