import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { CONTROLLER_REVISION } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { aDeployment } from '../../builders.ts'
import { kubeError } from '../../fakes/wire-by-hand.ts'

const of = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { namespace: 'shop', name: 'cart', uid: 'u1' },
}

const NAME = 'stock/cart-experiment-cd1aa1c99c'
const aFork = aDeployment({ name: 'cart-experiment-cd1aa1c99c', metadata: { namespace: 'stock', uid: 'u1' } })
/** What the API server has under the name of the fork after a delete that was answered with a conflict. */
const LEFT: Readonly<Record<string, KubeObject | undefined>> = {
  'is gone': undefined,
  'was replaced': { ...aFork, metadata: { ...aFork.metadata, uid: 'u2' } },
  'is being deleted': { ...aFork, metadata: { ...aFork.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } },
}

/** A delete of a fork whose answer is a conflict and that leaves `left`: its outcome, and what the next pass awaits. */
async function forkDeletion(left: KubeObject | undefined) {
  const conflict = kubeError('conflict')
  const reads = [aFork, left]
  const client = {
    request: async ({ verb }: KubeRequest) => {
      if (verb === 'delete') throw conflict
      const found = reads.shift()
      if (!found) throw kubeError('notFound')
      return found
    },
  }
  const awaited: string[] = []
  const caughtUpDeletion = async (name: string, uid: string) => void awaited.push(`${name} ${uid}`)
  const caughtUp = async () => undefined
  const written = new WrittenVersions({ experiments: { caughtUp }, forks: () => ({ caughtUp, caughtUpDeletion }) })
  const { signal } = new AbortController()
  const writer = new Writer({ client, signal, written: written.of('shop/faster-cart'), doubt: () => undefined })
  const outcome = await writer.write({ verb: 'delete', role: 'fork', resource: deployment, of: aFork }).then(
    () => 'done',
    (error: unknown) => (error === conflict ? 'conflict' : error),
  )
  await written.caughtUp('shop/faster-cart')
  return { outcome, awaited }
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

describe('the delete of a fork', () => {
  it('throws a conflict that leaves the fork as it was, and no pass waits for its end', async () =>
    expect(await forkDeletion(aFork)).to.deep.equal({ outcome: 'conflict', awaited: [] }))

  for (const [what, left] of Object.entries(LEFT))
    it(`succeeds after a conflict if the fork ${what}, and the next pass waits for the cache`, async () =>
      expect(await forkDeletion(left)).to.deep.equal({ outcome: 'done', awaited: [`${NAME} u1`] }))
})
