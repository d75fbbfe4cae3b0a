import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/apply/written-versions.ts'
import { FORK } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'

const fork = theFork()
const stored = (resourceVersion: string, ...managers: readonly string[]): KubeObject => ({
  ...fork,
  metadata: { ...fork.metadata, resourceVersion, managedFields: managers.map((manager) => ({ manager })) },
})

describe('a writer of a fork whose managed fields somebody had emptied', () => {
  it('R2: takes over what belongs to before-first-apply, and waits for that version', async () => {
    const answers = [stored('12', 'experiment-controller', 'before-first-apply'), stored('13', 'experiment-controller')]
    const requests: KubeRequest[] = []
    const waits: string[] = []
    const cache = {
      caughtUp: async (version: string) => void waits.push(version),
      caughtUpDeletion: async () => undefined,
    }
    const written = new WrittenVersions({ experiments: cache, forks: () => cache })
    const client = { request: async (request: KubeRequest) => answers[requests.push(request) - 1] }
    const { signal } = new AbortController()
    const writer = new Writer({ client, signal, written, doubt: () => undefined })
    const result = await writer.write({
      verb: 'apply',
      role: 'fork',
      resource: deployment,
      object: fork,
      isRepair: true,
      isSameDerivation: true,
    })
    await written.caughtUp('shop/faster-cart')
    expect([result, waits]).to.deep.equal([answers[1], ['13']])
    expect(requests.slice(1)).to.deep.equal([
      {
        verb: 'patch',
        contentType: 'application/merge-patch+json',
        path: `/apis/apps/v1/namespaces/shop/deployments/${FORK}`,
        query: { fieldManager: 'experiment-controller' },
        body: {
          metadata: {
            uid: 'uid-of-fork',
            resourceVersion: '12',
            managedFields: [{ manager: 'experiment-controller' }],
          },
        },
        expects: 'Deployment',
        signal,
      },
    ])
  })
})
