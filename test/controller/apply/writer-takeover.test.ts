import { expect } from 'chai'
import { EXPERIMENT_ID, SERVICE } from '../../../common/api/names.ts'
import type { KubeObject, OwnerReference } from '../../../common/api/object.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { scaleTo } from '../../../common/run/leaving.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { aDeployment, FORK } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'

const fork = theFork()
const stored = (resourceVersion: string, ...managers: readonly string[]): KubeObject => ({
  ...fork,
  metadata: { ...fork.metadata, resourceVersion, managedFields: managers.map((manager) => ({ manager })) },
})

/** The requests of a write for which the API server gives these answers, the result, and for what was waited. */
async function written(answers: readonly KubeObject[], write: Write) {
  const requests: KubeRequest[] = []
  const waits: string[] = []
  const cache = {
    caughtUp: async (version: string) => void waits.push(version),
    caughtUpDeletion: async () => undefined,
  }
  const versions = new WrittenVersions({ experiments: cache, forks: () => cache })
  const client = { request: async (request: KubeRequest) => answers[requests.push(request) - 1] }
  const { signal } = new AbortController()
  const writer = new Writer({ client, signal, written: versions.of('shop/faster-cart'), doubt: () => undefined })
  const result = await writer.write(write)
  await versions.caughtUp('shop/faster-cart')
  return { requests: requests.map(({ signal: _signal, ...request }) => request), result, waits }
}

function applied(answers: readonly KubeObject[], isSameDerivation: boolean) {
  const write = { verb: 'apply', role: 'fork', resource: deployment, object: fork, isRepair: true } as const
  return written(answers, { ...write, isSameDerivation })
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

describe('a writer of a fork that has another owner, too', () => {
  const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' }
  const { ownerReferences = [] } = fork.metadata
  const owned = (owners: readonly OwnerReference[]): KubeObject => {
    const object = stored('12', 'experiment-controller')
    return { ...object, metadata: { ...object.metadata, ownerReferences: owners } }
  }

  it('A37: leaves it its own owner reference', async () => {
    const { requests } = await applied([owned([...ownerReferences, OTHER]), owned(ownerReferences)], true)
    expect(requests.slice(1)).to.deep.equal([
      {
        ...takeoverOfVersion('12'),
        body: { metadata: { uid: 'uid-of-fork', resourceVersion: '12', ownerReferences } },
      },
    ])
  })

  it('A37: takes over the managed fields in the same request', async () => {
    const object = owned([...ownerReferences, OTHER])
    const managedFields = [{ manager: 'experiment-controller' }, { manager: 'before-first-apply' }]
    const emptied = { ...object, metadata: { ...object.metadata, managedFields } }
    const { requests } = await applied([emptied, owned(ownerReferences)], true)
    expect(requests[1]?.body).to.deep.equal({
      metadata: {
        uid: 'uid-of-fork',
        resourceVersion: '12',
        managedFields: [{ manager: 'experiment-controller' }],
        ownerReferences,
      },
    })
  })

  it('A37: leaves none to a fork that belongs to its experiment by labels', async () => {
    const { ownerReferences: _owners, ...metadata } = fork.metadata
    const write = { verb: 'apply', role: 'twin', resource: deployment, isRepair: true, isSameDerivation: true } as const
    const { requests } = await written([owned([OTHER]), owned([])], { ...write, object: { ...fork, metadata } })
    expect(requests[1]?.body).to.deep.equal({
      metadata: { uid: 'uid-of-fork', resourceVersion: '12', ownerReferences: [] },
    })
  })

  it('sends no request more without one', async () =>
    expect((await applied([owned(ownerReferences)], true)).requests).to.have.length(1))
})

/** An object of somebody else, whose fields belong to `before-first-apply`. */
const emptied = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    resourceVersion: '12',
    managedFields: [{ manager: 'before-first-apply' }, { manager: 'experiment-controller' }],
  },
})
const source = emptied(aDeployment())
const service = emptied({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart', namespace: 'shop' } })
const switched = (id: string): Write => ({
  verb: 'patch',
  role: 'service',
  resource: SERVICE,
  of: service,
  patch: { spec: { selector: { [EXPERIMENT_ID]: id } } },
})

describe('a writer of an object whose managed fields somebody had emptied', () => {
  const others: Readonly<Record<string, readonly [Write, KubeObject]>> = {
    'the source of a promotion': [
      { verb: 'patch', role: 'source', resource: deployment, of: source, patch: { spec: { minReadySeconds: 5 } } },
      source,
    ],
    'the Service of a cut-over': [switched('cd1aa1c99c'), service],
  }
  for (const [what, [write, answer]] of Object.entries(others))
    it(`R2: makes one request and takes over nothing if it is ${what}`, async () => {
      const { requests, result } = await written([answer], write)
      expect(requests.map(({ body }) => body)).to.deep.equal(['patch' in write ? write.patch : undefined])
      expect(result).to.equal(answer)
    })

  it('R2: takes over a fork that it scales', async () => {
    const answers = [stored('12', 'before-first-apply', 'experiment-controller'), stored('13', 'experiment-controller')]
    const { requests, result } = await written(answers, scaleTo(deployment, fork, 0, { isRepair: false }))
    expect(requests.slice(1)).to.deep.equal([takeoverOfVersion('12')])
    expect(result).to.equal(answers[1])
  })
})
