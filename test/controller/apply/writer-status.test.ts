import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { anExperiment } from '../../builders.ts'

const PATH = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart/status'
const status = { observedGeneration: 1 }
const stored = (resourceVersion: string, more = {}) =>
  anExperiment({ metadata: { resourceVersion }, status: { ...status, ...more } })

describe('a writer of a status that another client has written too', () => {
  it('R6: replaces it when fields of that client are left, and waits for that version', async () => {
    const answers = [stored('20', { expiresAt: '2020-01-01T00:00:00Z' }), stored('21')]
    const requests: KubeRequest[] = []
    const waits: string[] = []
    const cache = {
      caughtUp: async (version: string) => void waits.push(version),
      caughtUpDeletion: async () => undefined,
    }
    const written = new WrittenVersions({ experiments: cache, forks: () => cache })
    const client = { request: async (request: KubeRequest) => answers[requests.push(request) - 1] }
    const { signal } = new AbortController()
    await new Writer({ client, signal, written: written.of('shop/faster-cart'), doubt: () => undefined }).applyStatus(
      anExperiment(),
      status,
    )
    await written.caughtUp('shop/faster-cart')
    expect(requests.slice(1)).to.deep.equal([
      {
        verb: 'patch',
        contentType: 'application/json-patch+json',
        path: PATH,
        query: { fieldManager: 'experiment-controller', fieldValidation: 'Strict' },
        body: [
          { op: 'replace', path: '/metadata/resourceVersion', value: '20' },
          { op: 'replace', path: '/status', value: status },
        ],
        expects: 'ExperimentDeployment',
        signal,
      },
    ])
    expect(waits).to.deep.equal(['20', '21'])
  })

  it('replaces it when the API server makes something of an apply that the CRD refuses', async () => {
    const requests: KubeRequest[] = []
    const refused = new KubeError({ kind: 'invalid', message: 'services in body must be of type array: "null"' })
    const cache = { caughtUp: async () => undefined, caughtUpDeletion: async () => undefined }
    const written = new WrittenVersions({ experiments: cache, forks: () => cache })
    const client = {
      request: async (request: KubeRequest) => {
        requests.push(request)
        if (request.verb === 'apply') throw refused
        return stored('21')
      },
    }
    const { signal } = new AbortController()
    const experiment = anExperiment({ metadata: { resourceVersion: '20' } })
    await new Writer({ client, signal, written: written.of('shop/faster-cart'), doubt: () => undefined }).applyStatus(
      experiment,
      status,
    )
    expect(requests.at(-1)?.body).to.deep.equal([
      { op: 'replace', path: '/metadata/resourceVersion', value: '20' },
      { op: 'replace', path: '/status', value: status },
    ])
  })
})
