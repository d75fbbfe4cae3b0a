import { expect } from 'chai'
import { withHash } from '../../../common/fork/derive.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import type { Write } from '../../../common/writes/write.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { aFork, aRollout, FORK } from '../../builders.ts'

const derived = aFork(aRollout())
const object = { ...derived, metadata: { ...derived.metadata, uid: 'uid-of-fork' } }
const newDerivation = {
  verb: 'apply',
  role: 'fork',
  resource: rollout,
  object,
  isRepair: false,
  isSameDerivation: false,
} as const

/** The requests by which `write` is made. */
async function requestsOf(write: Write) {
  const requests: Omit<KubeRequest, 'signal'>[] = []
  const cache = { caughtUp: async () => undefined, caughtUpDeletion: async () => undefined }
  const client = {
    request: async ({ signal: _signal, ...request }: KubeRequest) => {
      requests.push(request)
      return object
    },
  }
  const written = new WrittenVersions({ experiments: cache, forks: () => cache })
  await new Writer({
    client,
    signal: new AbortController().signal,
    written: written.of('shop/faster-cart'),
    doubt: () => undefined,
  }).write(write)
  return requests
}

describe('D2: a writer of a Rollout, which Argo writes too', () => {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/${FORK}`
  const query = { fieldManager: 'experiment-controller', fieldValidation: 'Strict' }

  it('replaces the spec of the fork with its uid, and applies the new derivation', async () => {
    expect(await requestsOf(newDerivation)).to.deep.equal([
      {
        verb: 'patch',
        contentType: 'application/json-patch+json',
        path,
        query,
        body: [
          { op: 'replace', path: '/metadata/uid', value: 'uid-of-fork' },
          { op: 'replace', path: '/spec', value: withHash(object).spec },
        ],
        expects: 'Rollout',
      },
      { verb: 'apply', path, query: { ...query, force: true }, body: withHash(object), expects: 'Rollout' },
    ])
  })

  it('only applies the same derivation, because Argo may have written the same values in another form', async () => {
    expect((await requestsOf({ ...newDerivation, isSameDerivation: true })).map(({ verb }) => verb)).to.deep.equal([
      'apply',
    ])
  })

  it('only applies a new fork', async () => {
    expect((await requestsOf({ ...newDerivation, role: 'newFork' })).map(({ verb }) => verb)).to.deep.equal(['apply'])
  })
})
