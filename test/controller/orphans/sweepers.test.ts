import { expect } from 'chai'
import { EXPERIMENT_ID, FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { experimentId } from '../../../common/workload/identity.ts'
import { sweepersOf } from '../../../controller/orphans/sweepers.ts'
import { anExperiment, installing } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { FakeApiServer } from '../fake-api-server.ts'
import { stored } from '../quiet-controller.ts'
import { EXPERIMENT, FORK, START } from '../swept.ts'

const UID = 'gone'
const ID = experimentId(UID)
const SERVICE = '/api/v1/namespaces/stock/services/cart'
const THE_SERVICE = stored({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'cart',
    namespace: 'stock',
    uid: 'service',
    managedFields: [{ manager: FIELD_MANAGER, operation: 'Update', fieldsV1: { 'f:spec': { 'f:selector': {} } } }],
  },
  spec: { selector: { app: 'cart', [EXPERIMENT_ID]: ID } },
})

/** The sweepers, over a minute. Returns what they wrote. */
async function sweptFor(objects: Readonly<Record<string, KubeObject>>, isExcluded = false, forks: KubeObject[] = []) {
  const server = new FakeApiServer({ [SERVICE]: THE_SERVICE, ...objects })
  const timers = new VirtualTime()
  const written: string[] = []
  const sweepers = sweepersOf({
    client: server,
    caches: {
      workloads: [{ kind: deployment, forks: { list: () => forks }, others: { list: () => [], isAbsent: false } }],
    },
    experiment: () => undefined,
    services: () => [['stock', { name: 'cart', selector: { app: 'cart', [EXPERIMENT_ID]: ID } }]],
    isExcluded: () => isExcluded,
    isServed: () => true,
    hasExperiment: () => true,
    installed: installing('cutOver'),
    write: async (write) => written.push(`${write.verb} ${write.role}`),
    recorder: { record: () => undefined },
    clock: () => START,
    timers,
    log: diaryLog(),
  })
  sweepers.start()
  await timers.pass(60_000)
  await sweepers.stop()
  return { written, sweepers, server }
}

describe('the sweepers', () => {
  it('N35: read Services, workloads and experiments from the API server, with the right to list them', async () => {
    const { written, server } = await sweptFor({})
    expect(written[0]).to.equal('patch service')
    expect(new Set(server.requests)).to.deep.equal(
      new Set([
        'list /api/v1/namespaces/stock/services',
        'list /apis/apps/v1/namespaces/stock/deployments',
        'list /apis/experimentcontroller.example.com/v1alpha1/experimentdeployments',
      ]),
    )
  })

  const PATH = `/apis/apps/v1/namespaces/stock/deployments/cart-experiment-${ID}`
  const fork = theFork({ experiment: { ...EXPERIMENT, metadata: { ...EXPERIMENT.metadata, uid: UID } } })
  const sweptBeside = async (object: KubeObject) => (await sweptFor({ [PATH]: stored(object) })).written

  it('N35: touch no Service whose fork exists and names its experiment', async () =>
    expect(await sweptBeside(fork)).to.deep.equal([]))

  const imitations: Record<string, KubeObject> = {
    'only has the name of the fork': { ...fork, metadata: { name: fork.metadata.name, namespace: 'stock' }, spec: {} },
    'has all of the fork but its selector': { ...fork, spec: { selector: { matchLabels: { app: 'cart' } } } },
    'has name and selector of the fork, and names no experiment': {
      ...fork,
      metadata: { ...fork.metadata, labels: { [EXPERIMENT_ID]: ID } },
    },
  }
  for (const [sentence, object] of Object.entries(imitations))
    it(`N35: return a Service beside a workload that ${sentence}`, async () =>
      expect((await sweptBeside(object))[0]).to.equal('patch service'))

  it('N35: touch no Service whose experiment exists, in whatever namespace', async () => {
    const experiment = stored(anExperiment({ metadata: { uid: UID } }))
    const path = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
    expect((await sweptFor({ [path]: experiment })).written).to.deep.equal([])
  })

  it('N35: touch nothing in a namespace that is excluded', async () =>
    expect((await sweptFor({}, true)).written).to.deep.equal([]))

  it('N36: count forks that a finalizer of others keeps', async () => {
    const metadata = { ...FORK.metadata, deletionTimestamp: START.toISOString(), finalizers: ['example.com/hers'] }
    const { sweepers } = await sweptFor({}, false, [FORK, { ...FORK, metadata }])
    expect([sweepers.held, sweepers.count, sweepers.services]).to.deep.equal([1, 0, 1])
  })
})
