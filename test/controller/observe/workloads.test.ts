import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { EXPERIMENT_ID, IS_EXPERIMENT, REVIEWED_TEMPLATE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { watchedPart } from '../../../common/fork/watched.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { Referrers } from '../../../controller/indexes/referrers.ts'
import { workloadReads } from '../../../controller/observe/workloads.ts'
import { aDeployment, anExperiment, aRollout, FORK } from '../../builders.ts'
import { aController, PATHS, stored } from '../../fakes/controller.ts'

const PATH = '/apis/apps/v1/namespaces/shop/deployments'

/** What makes a Rollout take its template from the Deployment `cart`. */
const REF = { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } }

const cacheOf = (objects: readonly KubeObject[], isAbsent = false) => ({
  get: (key: string) => objects.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
  isAbsent,
})

interface Given {
  readonly forks?: readonly KubeObject[]
  readonly others?: readonly KubeObject[]
  readonly rollouts?: readonly KubeObject[]
  /** what the API server answers */
  readonly stored?: KubeObject | KubeErrorKind
}

function world({ forks = [], others = [], rollouts = [], stored = aDeployment() }: Given = {}) {
  const requests: string[] = []
  const client = {
    request: async ({ verb, path }: KubeRequest) => {
      requests.push(`${verb} ${path}`)
      await new Promise(setImmediate)
      if (typeof stored === 'string') throw new KubeError({ kind: stored, message: stored })
      return stored
    },
    stream: () => Promise.reject(new Error('no watch is needed')),
    close: async () => undefined,
  }
  const referrers = new Referrers()
  for (const after of rollouts) referrers.update(rollout, { is: 'added', key: `shop/${after.metadata.name}`, after })
  const workloads = [
    { kind: deployment, forks: cacheOf(forks), others: cacheOf(others) },
    { kind: rollout, forks: cacheOf([]), others: cacheOf(rollouts, true) },
  ]
  const { port, doubt } = workloadReads(client, { workloads, referrers })
  const stopping = new AbortController()
  return { port: port(stopping.signal), otherPort: port(new AbortController().signal), doubt, requests, stopping }
}

describe('the source of the port of workloads', () => {
  it('is read whole from the API server, and kept', async () => {
    const { port, requests } = world({ others: [aDeployment()] })
    expect((await port.source(deployment, 'shop', 'cart'))?.object.spec).to.deep.equal(aDeployment().spec)
    await port.source(deployment, 'shop', 'cart')
    expect(requests).to.deep.equal([`get ${PATH}/cart`])
  })

  it('is read once more if it must be the present one', async () => {
    const { port, requests } = world({ others: [aDeployment()], stored: aDeployment({ metadata: { generation: 2 } }) })
    await port.source(deployment, 'shop', 'cart')
    expect((await port.source(deployment, 'shop', 'cart', true))?.object.metadata.generation).to.equal(2)
    expect(requests).to.deep.equal([`get ${PATH}/cart`, `get ${PATH}/cart`])
  })

  it('is not read when the cache does not have it', async () => {
    const { port, requests } = world()
    expect([await port.source(deployment, 'shop', 'cart'), requests]).to.deep.equal([undefined, []])
  })

  it('has the metadata of the watch, which may be newer', async () => {
    const watched = watchedPart(deployment, aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }))
    const { port } = world({ others: [watched], stored: aDeployment({ labels: { team: 'blue' } }) })
    const { labels } = (await port.source(deployment, 'shop', 'cart'))?.object.metadata ?? {}
    expect(labels).to.deep.equal({ app: 'cart', team: 'blue', [IS_EXPERIMENT]: 'true' })
  })

  it('has its own metadata when it is of another generation than the watched object', async () => {
    const stored = aDeployment({ labels: { team: 'red' }, metadata: { generation: 2 } })
    const { port } = world({ others: [aDeployment({ labels: { team: 'blue' } })], stored })
    expect((await port.source(deployment, 'shop', 'cart'))?.object).to.deep.equal(stored)
  })

  it('is read once for two passes, and the end of one pass does not end the read of the other', async () => {
    const { port, otherPort, requests, stopping } = world({ others: [aDeployment()] })
    const ended = port.source(deployment, 'shop', 'cart').catch((error: unknown) => error)
    const other = otherPort.source(deployment, 'shop', 'cart')
    stopping.abort(new Error('the pass took too long'))
    expect(await ended).to.be.instanceOf(Error)
    expect((await other)?.object.metadata.name).to.equal('cart')
    expect(requests).to.have.length(1)
  })
})

describe('R7: the source that takes its template from a Deployment', () => {
  /** A port for one pass, when the Deployment is in the cache in this generation. */
  function generations() {
    const requests: string[] = []
    const referent = { generation: 1 }
    const stored: Readonly<Record<string, () => KubeObject>> = {
      rollouts: () => aRollout(REF),
      deployments: () => aDeployment({ metadata: referent }),
    }
    const client = {
      request: async ({ path }: KubeRequest) => {
        const [kind = ''] = path.split('/').slice(-2)
        requests.push(kind)
        return stored[kind]?.()
      },
      stream: () => Promise.reject(new Error('no watch is needed')),
      close: async () => undefined,
    }
    const watched = (kind: string) => ({ get: () => stored[kind]?.(), isAbsent: false })
    const workloads = [
      { kind: deployment, forks: cacheOf([]), others: watched('deployments') },
      { kind: rollout, forks: cacheOf([]), others: watched('rollouts') },
    ]
    const reads = workloadReads(client, { workloads, referrers: new Referrers() })
    const port = reads.port(new AbortController().signal)
    return { port, requests, referent }
  }

  it('is kept, and read again when the Deployment has another generation', async () => {
    const { port, requests, referent } = generations()
    await port.source(rollout, 'shop', 'cart')
    await port.source(rollout, 'shop', 'cart')
    expect(requests.splice(0)).to.deep.equal(['rollouts', 'deployments'])
    referent.generation = 2
    const source = await port.source(rollout, 'shop', 'cart')
    expect(requests).to.deep.equal(['rollouts', 'deployments'])
    expect(source?.referents.map(({ metadata }) => metadata.generation)).to.deep.equal([2])
  })
})

describe('the port of workloads', () => {
  const marked = { [EXPERIMENT_ID]: 'cd1aa1c99c' }

  it('prefers the cache of forks', () => {
    const fork = aDeployment({ name: FORK, labels: marked })
    const { port } = world({ forks: [fork], others: [aDeployment({ name: FORK, labels: marked, image: 'old' })] })
    expect(port.cached(deployment, 'shop', FORK)).to.equal(fork)
  })

  it('returns another object from the cache of other objects', () => {
    const other = aDeployment({ name: FORK })
    expect(world({ others: [other] }).port.cached(deployment, 'shop', FORK)).to.equal(other)
  })

  it('F10: says which object was reported as outdated, until the cache has another one', () => {
    const forks = [aDeployment({ name: FORK, labels: marked }), aDeployment({ name: 'other', labels: marked })]
    const { port, doubt } = world({ forks })
    const doubted = () => [FORK, 'other', 'none'].filter((name) => port.isDoubted(deployment, 'shop', name))
    for (const name of [FORK, 'none']) doubt(deployment, { metadata: { namespace: 'shop', name } })
    expect(doubted()).to.deep.equal([FORK])
    forks[0] = aDeployment({ name: FORK, labels: marked })
    expect(doubted()).to.deep.equal([])
  })

  it('says which kinds the cluster does not serve; a kind that is not watched is one of them', () => {
    const { port } = world()
    expect([deployment, rollout, statefulSet].map((kind) => port.isAbsent(kind))).to.deep.equal([false, true, true])
  })

  it('R10: finds the workloads that take their template from another one by an index, without a list', () => {
    const rollouts = [aRollout(REF), { ...aRollout(), metadata: { name: 'other', namespace: 'shop' } }]
    const { port } = world({ others: [aDeployment()], rollouts })
    expect(port.referrers(deployment, 'shop', 'cart').map(({ kind }) => kind)).to.deep.equal(['Rollout'])
    expect(port.referrers(deployment, 'store', 'cart')).to.deep.equal([])
  })

  it('reads an object from the API server', async () => {
    const { port, requests } = world()
    expect(await port.live(deployment, 'shop', FORK)).to.deep.equal(aDeployment())
    expect(requests).to.deep.equal([`get ${PATH}/${FORK}`])
  })

  it('N52: reads an object once in a pass, so that all facts tell of the same version', async () => {
    const { port, otherPort, requests } = world()
    const read = () => port.live(deployment, 'shop', 'cart')
    const [one, two] = await Promise.all([read(), read()])
    expect(one).to.equal(two)
    expect(await read()).to.equal(one)
    await otherPort.live(deployment, 'shop', 'cart')
    expect(requests).to.deep.equal([`get ${PATH}/cart`, `get ${PATH}/cart`])
  })

  for (const kind of ['notFound', 'kindAbsent'] as const)
    it(`finds no object after ${kind}`, async () =>
      expect(await world({ stored: kind }).port.live(deployment, 'shop', FORK)).to.equal(undefined))

  it('throws when the API server cannot say whether the object exists', async () => {
    const thrown = await world({ stored: 'forbidden' })
      .port.live(deployment, 'shop', FORK)
      .catch((error) => error)
    expect(thrown).to.have.property('kind', 'forbidden')
  })
})

const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
const metadata = { annotations: { [REVIEWED_TEMPLATE]: 'Deployment/base' } }

describe('R9: a Rollout whose template does not exist', () => {
  /** A controller with an experiment on a Rollout that refers to a missing Deployment. */
  async function missing() {
    const world = aController({
      [PATHS.experiment]: stored(anExperiment({ metadata, sourceRef: { kind: 'Rollout', name: 'cart' } })),
      [`${PATHS.rollouts}/cart`]: stored(aRollout({ workloadRef })),
    })
    await world.controller.start()
    world.controller.lead()
    await world.pass(1_000)
    expect(world.condition('Ready')?.reason).to.equal('SourceTemplateNotFound')
    return world
  }

  it('is read ever less often, down to once a minute', async () => {
    const { server, controller, pass } = await missing()
    const readsIn = async (forMs: number) => {
      server.requests.length = 0
      await pass(forMs)
      return server.requests.filter((request) => request === `get ${PATHS.rollouts}/cart`).length
    }
    expect(await readsIn(60_000)).to.be.at.most(6)
    await pass(240_000)
    expect(await readsIn(600_000)).to.equal(10)
    await controller.stop()
  })

  it('is read at once when the Deployment that it refers to is created', async () => {
    const { server, controller, pass, condition } = await missing()
    await pass(300_000)
    server.put(`${PATHS.deployments}/base`, aDeployment({ name: 'base' }))
    await pass(0)
    // the schema of Rollouts is missing here, but not the template any more
    expect(condition('Ready')?.reason).to.equal('SchemaNotAvailable')
    await controller.stop()
  })
})
