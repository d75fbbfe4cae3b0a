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

/** The requests of an apply for which the API server gives these answers, the result, and for what was waited. */
async function applied(answers: readonly KubeObject[], isSameDerivation: boolean) {
  const requests: KubeRequest[] = []
  const waits: string[] = []
  const cache = {
    caughtUp: async (version: string) => void waits.push(version),
    caughtUpDeletion: async () => undefined,
  }
  const written = new WrittenVersions({ experiments: cache, forks: () => cache })
  const client = { request: async (request: KubeRequest) => answers[requests.push(request) - 1] }
  const { signal } = new AbortController()
  const writer = new Writer({ client, signal, written: written.of('shop/faster-cart'), doubt: () => undefined })
  const write = { verb: 'apply', role: 'fork', resource: deployment, object: fork, isRepair: true } as const
  const result = await writer.write({ ...write, isSameDerivation })
  await written.caughtUp('shop/faster-cart')
  return { requests: requests.map(({ signal: _signal, ...request }) => request), result, waits }
}

const takeoverOfVersion = (resourceVersion: string) => ({
  verb: 'patch',
  contentType: 'application/merge-patch+json',
  path: `/apis/apps/v1/namespaces/shop/deployments/${FORK}`,
  query: { fieldManager: 'experiment-controller' },
  body: {
    metadata: { uid: 'uid-of-fork', resourceVersion, managedFields: [{ manager: 'experiment-controller' }] },
  },
  expects: 'Deployment',
})

describe('a writer of a fork whose managed fields somebody had emptied', () => {
  it('R2: takes over what belongs to before-first-apply, and waits for that version', async () => {
    const answers = [stored('12', 'experiment-controller', 'before-first-apply'), stored('13', 'experiment-controller')]
    const { requests, result, waits } = await applied(answers, true)
    expect([result, waits]).to.deep.equal([answers[1], ['13']])
    expect(requests.slice(1)).to.deep.equal([takeoverOfVersion('12')])
  })

  it('R2: replaces the spec before it takes over a fork that was derived otherwise', async () => {
    const answers = [
      stored('12', 'experiment-controller', 'before-first-apply'),
      stored('13', 'experiment-controller', 'before-first-apply'),
      stored('14', 'experiment-controller'),
    ]
    const { requests, result, waits } = await applied(answers, false)
    expect([result, waits]).to.deep.equal([answers[2], ['14']])
    expect(requests[1]).to.deep.include({
      contentType: 'application/json-patch+json',
      body: [
        { op: 'replace', path: '/metadata/uid', value: 'uid-of-fork' },
        { op: 'replace', path: '/spec', value: fork.spec },
      ],
    })
    expect(requests.slice(2)).to.deep.equal([takeoverOfVersion('13')])
  })

  it('R2: takes over nothing where the replacement has left nothing to take over', async () => {
    const answers = [stored('12', 'experiment-controller', 'before-first-apply'), stored('13', 'experiment-controller')]
    const { requests, result } = await applied(answers, false)
    expect([result, requests.length]).to.deep.equal([answers[1], 2])
  })
})
