import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { ANALYSIS_RUN, CONTROLLER_REVISION, CR_NAME, GATE, POD } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { withHash } from '../../../common/fork/derive.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { finalizerWrites } from '../../../common/plan/lifecycle.ts'
import { scaleTo } from '../../../common/run/leaving.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { aDeployment, anExperiment, FORK, UID } from '../../builders.ts'
import { someFacts, theFork } from '../../common/plan/some-facts.ts'

const FORKS = '/apis/apps/v1/namespaces/shop/deployments'
const REVISIONS = '/apis/apps/v1/namespaces/shop/controllerrevisions'
const EXPERIMENT = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
const APPLY = { fieldManager: 'experiment-controller', fieldValidation: 'Strict' }
const BY_UID = { preconditions: { uid: 'uid-of-fork' }, propagationPolicy: 'Background' }

const fork = theFork()
const experiment = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
const object = (resourceVersion: string, uid = 'uid-of-fork'): KubeObject => ({
  ...fork,
  metadata: { ...fork.metadata, resourceVersion, uid },
})
const revision: KubeObject = {
  ...aDeployment({ name: FORK, metadata: { uid: 'uid-of-fork' } }),
  kind: 'ControllerRevision',
}

/** A writer whose API server gives these answers one after the other, and then `{}` with version 99. */
function recording(...answers: readonly (KubeObject | KubeErrorKind)[]) {
  const requests: Omit<KubeRequest, 'signal'>[] = []
  const diary: string[] = []
  const { signal } = new AbortController()
  const waits = (cache: string) => ({
    caughtUp: async (version: string) => void diary.push(`${cache} ${version}`),
    caughtUpDeletion: async (key: string, uid: string) => void diary.push(`${cache} without ${key} ${uid}`),
  })
  const written = new WrittenVersions({ experiments: waits('experiments'), forks: waits })
  const writer = new Writer({
    client: {
      request: async ({ signal: given, ...request }) => {
        expect(given).to.equal(signal)
        const answer = answers[requests.push(JSON.parse(JSON.stringify(request))) - 1] ?? object('99')
        if (typeof answer === 'string') throw new KubeError({ kind: answer, message: answer })
        return answer
      },
    },
    signal,
    written: written.of('shop/faster-cart'),
    doubt: ({ metadata }) => void diary.push(`doubt ${metadata.name} at ${metadata.resourceVersion}`),
  })
  /** What the next pass over the experiment waits for. */
  const awaited = async (key = 'shop/faster-cart') => {
    await written.caughtUp(key)
    return diary.splice(0)
  }
  return { writer, requests, awaited }
}

const applyOf = (role: 'newFork' | 'fork' | 'newTwin' | 'twin'): Write => ({
  verb: 'apply',
  role,
  resource: deployment,
  object: fork,
  isRepair: false,
  isSameDerivation: false,
})
const deleteFork: Write = { verb: 'delete', role: 'fork', resource: deployment, of: fork }
const deleteBase: Write = { verb: 'delete', role: 'base', resource: CONTROLLER_REVISION, of: revision }

describe('a writer', () => {
  for (const [role, force] of [
    ['newFork', false],
    ['fork', true],
    ['newTwin', false],
    ['twin', true],
  ] as const)
    it(`applies a ${role} ${force ? 'with' : 'without'} force`, async () => {
      const { writer, requests, awaited } = recording(object('12'))
      expect(await writer.write(applyOf(role))).to.deep.equal(object('12'))
      expect(requests).to.deep.equal([
        {
          verb: 'apply',
          path: `${FORKS}/${FORK}`,
          query: { ...APPLY, force },
          body: withHash(fork),
          expects: 'Deployment',
        },
      ])
      expect(await awaited()).to.deep.equal(['Deployment 12'])
    })

  it('patches the fork with its uid', async () => {
    const { writer, requests, awaited } = recording(object('13'))
    await writer.write(scaleTo(deployment, fork, 0, { isRepair: false }))
    expect(requests).to.deep.equal([
      {
        verb: 'patch',
        contentType: 'application/merge-patch+json',
        path: `${FORKS}/${FORK}`,
        query: { fieldManager: 'experiment-controller' },
        body: { metadata: { uid: 'uid-of-fork' }, spec: { replicas: 0 } },
        expects: 'Deployment',
      },
    ])
    expect(await awaited()).to.deep.equal(['Deployment 13'])
  })

  it('creates the revision with the pinned base', async () => {
    const { writer, requests, awaited } = recording(revision)
    const write: Write = { verb: 'create', role: 'base', resource: CONTROLLER_REVISION, object: revision }
    expect(await writer.write(write)).to.deep.equal(revision)
    expect(requests).to.deep.equal([{ verb: 'create', path: REVISIONS, body: revision }])
    expect(await awaited(), 'revisions are not watched').to.deep.equal([])
  })

  it('deletes the revision by its uid, without a read', async () => {
    const { writer, requests } = recording()
    expect(await writer.write(deleteBase)).to.equal(undefined)
    expect(requests).to.deep.equal([{ verb: 'delete', path: `${REVISIONS}/${FORK}`, body: BY_UID }])
  })

  it('reads the fork before it deletes it by its uid', async () => {
    const { writer, requests, awaited } = recording(object('14'))
    expect(await writer.write(deleteFork)).to.equal(undefined)
    expect(requests).to.deep.equal([
      { verb: 'get', path: `${FORKS}/${FORK}`, isNameEnough: true },
      { verb: 'delete', path: `${FORKS}/${FORK}`, body: BY_UID },
    ])
    expect(await awaited()).to.deep.equal([`Deployment without shop/${FORK} uid-of-fork`])
  })

  it('does not delete another object that has the name of the fork by now', async () => {
    const { writer, requests, awaited } = recording(object('14', 'uid-of-another'))
    await writer.write(deleteFork)
    expect(requests.map(({ verb }) => verb)).to.deep.equal(['get'])
    expect(await awaited()).to.deep.equal([`Deployment without shop/${FORK} uid-of-fork`])
  })

  it('sends no delete when the fork is gone', async () => {
    const { writer, requests } = recording('notFound')
    await writer.write(deleteFork)
    expect(requests.map(({ verb }) => verb)).to.deep.equal(['get'])
  })

  for (const kind of ['notFound', 'conflict'] as const)
    it(`takes ${kind} after a delete for done`, async () => {
      const { writer } = recording(kind)
      expect(await writer.write(deleteBase)).to.equal(undefined)
    })

  it('throws any other error of a delete', async () => {
    const { writer } = recording('forbidden')
    expect(await writer.write(deleteBase).catch((error: unknown) => error)).to.have.property('kind', 'forbidden')
  })

  for (const kind of ['conflict', 'notFound'] as const)
    it(`F10: notes nothing after ${kind}, but doubts the fork in the cache`, async () => {
      const { writer, awaited } = recording(kind)
      expect(await writer.write(applyOf('fork')).catch((error: unknown) => error)).to.have.property('kind', kind)
      expect(await awaited()).to.deep.equal([`doubt ${FORK} at undefined`])
    })
})

describe('the status apply of a writer', () => {
  const status = { observedGeneration: 1 }
  const object = (resourceVersion: string): KubeObject => ({
    ...revision,
    metadata: { name: 'x', resourceVersion },
    status,
  })

  it('has the resourceVersion that was observed', async () => {
    const { writer, requests, awaited } = recording(object('20'))
    await writer.applyStatus(experiment, status)
    expect(requests).to.deep.equal([
      {
        verb: 'apply',
        path: `${EXPERIMENT}/status`,
        query: { ...APPLY, force: true },
        body: {
          apiVersion: 'experimentcontroller.example.com/v1alpha1',
          kind: 'ExperimentDeployment',
          metadata: { name: 'faster-cart', namespace: 'shop', resourceVersion: '10' },
          status,
        },
        expects: 'ExperimentDeployment',
      },
    ])
    expect(await awaited()).to.deep.equal(['experiments 20'])
  })

  it('has the resourceVersion that the patch of the finalizer returned', async () => {
    const [write] = finalizerWrites(situationOf(someFacts({ experiment })))
    if (!write) throw new Error('the finalizer is missing in the fixture')
    const { writer, requests, awaited } = recording(object('18'), object('19'))
    await writer.write(write)
    await writer.applyStatus(experiment, status)
    expect(requests[0]).to.deep.include({ verb: 'patch', path: EXPERIMENT })
    expect(requests[0]?.body).to.deep.equal({
      metadata: { uid: UID, resourceVersion: '10', finalizers: ['experiment-controller.example.com/fork'] },
    })
    expect(requests[1]?.body).to.have.nested.property('metadata.resourceVersion', '18')
    expect(await awaited()).to.deep.equal(['experiments 18', 'experiments 19'])
  })

  it('keeps the observed resourceVersion after a write of the fork', async () => {
    const { writer, requests } = recording(fork, object('12'))
    await writer.write(applyOf('fork'))
    await writer.applyStatus(experiment, status)
    expect(requests[1]?.body).to.have.nested.property('metadata.resourceVersion', '10')
  })

  for (const kind of ['conflict', 'notFound'] as const)
    it(`throws ${kind}, after which the experiment of the cache is doubted`, async () => {
      const { writer, awaited } = recording(kind)
      const thrown = await writer.applyStatus(experiment, status).catch((error: unknown) => error)
      expect(thrown).to.have.property('kind', kind)
      expect(await awaited()).to.deep.equal(['doubt faster-cart at 10'])
    })

  it('does not doubt the experiment when the API server cannot be reached', async () => {
    const { writer, awaited } = recording('unreachable')
    await writer.applyStatus(experiment, status).catch(() => undefined)
    expect(await awaited()).to.deep.equal([])
  })
})

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

const run = {
  apiVersion: ANALYSIS_RUN.apiVersion,
  kind: ANALYSIS_RUN.kind,
  metadata: { namespace: 'shop', name: 'cart-experiment-cd1aa1c99c-0123456789', labels: { [CR_NAME]: 'faster-cart' } },
}

/** The versions of runs for which the next pass over an experiment waits. */
async function awaited(key: string): Promise<readonly string[]> {
  const versions: string[] = []
  const runs = {
    caughtUp: async (version: string) => {
      versions.push(version)
    },
  }
  const written = new WrittenVersions({
    experiments: { caughtUp: async () => undefined },
    forks: () => undefined,
    runs,
  })
  let version = 0
  const client = {
    request: async () => {
      version += 1
      return { ...run, metadata: { ...run.metadata, resourceVersion: `${version}` } }
    },
  }
  const writer = new Writer({
    client,
    signal: new AbortController().signal,
    written: written.of('shop/faster-cart'),
    doubt: () => undefined,
  })
  await writer.write({ verb: 'create', role: 'analysisRun', resource: ANALYSIS_RUN, object: run })
  const patch = { status: {} }
  await writer.write({
    verb: 'patch',
    role: 'analysisRun',
    resource: ANALYSIS_RUN,
    of: run,
    patch,
    subresource: 'status',
  })
  await written.caughtUp(key)
  return versions
}

describe('the writes of an analysis run', () => {
  it('are awaited by the next pass over its experiment: it would look again at what is old', async () =>
    expect(await awaited('shop/faster-cart')).to.deep.equal(['1', '2']))

  it('are not awaited by others', async () => expect(await awaited('shop/other')).to.deep.equal([]))
})
