import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { createCaches, namedReflectors } from '../../controller/caches.ts'
import { controllerMetrics, METRIC_PREFIX } from '../../controller/metrics.ts'
import { aDeployment, anExperiment, aPolicy, FORK, installing } from '../builders.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { ScriptedClient } from '../fakes/wire-by-hand.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { noMetrics } from './no-metrics.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const SHOP = '/apis/apps/v1/namespaces/shop/deployments'
const versioned = (object: object, more: object = {}): KubeObject => {
  const given = object as KubeObject
  return { ...given, ...more, metadata: { uid: 'u', resourceVersion: '10', ...given.metadata } }
}
const REVISION = 'deployment.kubernetes.io/revision'
const EXPERIMENTS = `${GROUP}/namespaces/shop/experimentdeployments`

const cachesOf = (client: KubeClient, metrics = noMetrics()) =>
  createCaches({
    client,
    timers: new VirtualTime(),
    random: () => 0,
    log: diaryLog(),
    kindProbeMs: 30_000,
    installed: installing(),
    metrics,
  })

/** Filled caches of these objects. */
async function filled(objects: Readonly<Record<string, KubeObject>>) {
  const caches = cachesOf(new ObjectStore(objects))
  const reflectors = namedReflectors(caches)
  for (const { reflector } of reflectors) reflector.start()
  await Promise.all(reflectors.map(({ reflector }) => reflector.synced()))
  await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
  const deployments = caches.workloads.find(({ kind }) => kind.kind === 'Deployment')
  if (!deployments) throw new Error('Deployments are not watched')
  return { caches, deployments }
}

describe('the caches', () => {
  it('count failed lists and watches by their resource, and bugs in handlers', async () => {
    const server = new ObjectStore({ [`${SHOP}/cart`]: versioned(aDeployment()) })
    server.forbidden.add(`${GROUP}/experimentdeployments`)
    const metrics = new Metrics()
    const caches = cachesOf(server, controllerMetrics(metrics))
    caches.workloads[0]?.others.subscribe(() => {
      throw new Error('a bug')
    })
    const reflectors = namedReflectors(caches)
    for (const { reflector } of reflectors) reflector.start()
    await turn()
    await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
    const lines = (await metrics.text()).split('\n')
    expect(lines.filter((line) => line.startsWith(`${METRIC_PREFIX}reflector_restarts_total{`))).to.deep.equal([
      `${METRIC_PREFIX}reflector_restarts_total{resource="experimentdeployments",cause="forbidden"} 1`,
    ])
    expect(lines).to.include(`${METRIC_PREFIX}handler_errors_total 1`)
  })

  it('are one for each resource, and two for each kind of workload', async () => {
    const { caches } = await filled({})
    expect(namedReflectors(caches).map(({ name }) => name)).to.deep.equal([
      'experimentdeployments',
      'experimentpolicies',
      'services',
      'endpointslices',
      'deployments (forks)',
      'deployments',
      'statefulsets (forks)',
      'statefulsets',
      'rollouts (forks)',
      'rollouts',
    ])
  })

  it('read two pages at once when they are all filled at the same time', async () => {
    const client = new ScriptedClient()
    const caches = cachesOf(client)
    const reflectors = namedReflectors(caches)
    for (const { reflector } of reflectors) reflector.start()
    for (const [served] of reflectors.entries()) {
      const { request, answer } = await client.list()
      expect(client.diary.filter((line) => line === 'list')).to.have.length(Math.min(served + 2, reflectors.length))
      answer({ kind: request.expects, metadata: { resourceVersion: '10' }, items: [] })
    }
    await Promise.all(reflectors.map(({ reflector }) => reflector.synced()))
    await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
  })

  it('ask for objects of one namespace, and for all policies, if only that namespace is served', async () => {
    const server = new ObjectStore({})
    const paths: string[] = []
    const client = new Proxy(server, {
      get: (target, name) =>
        name === 'request'
          ? (asked: Parameters<typeof server.request>[0]) => {
              paths.push(asked.path)
              return target.request(asked)
            }
          : Reflect.get(target, name, target),
    })
    const timers = new VirtualTime()
    const more = {
      random: () => 0,
      log: diaryLog(),
      kindProbeMs: 30_000,
      installed: installing(),
      metrics: noMetrics(),
    }
    const caches = createCaches({ client, timers, ...more, onlyNamespace: 'shop' })
    const reflectors = namedReflectors(caches)
    for (const { reflector } of reflectors) reflector.start()
    await Promise.all(reflectors.map(({ reflector }) => reflector.synced()))
    await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
    expect(paths.length).to.be.at.least(reflectors.length)
    const outside = paths.filter((path) => !path.includes('/namespaces/shop/'))
    expect([...new Set(outside)]).to.deep.equal([`${GROUP}/experimentpolicies`])
  })

  it('hold experiments and policies decoded', async () => {
    const { caches } = await filled({
      [`${EXPERIMENTS}/faster-cart`]: versioned(anExperiment(), { status: { replicas: 'one', image: 'cart:1' } }),
      [`${GROUP}/experimentpolicies/limits`]: versioned(aPolicy({ maxReplicas: 1 })),
    })
    expect(caches.experiments.get('shop/faster-cart')?.status).to.deep.equal({ image: 'cart:1' })
    expect(caches.policies.list().map(({ spec }) => spec)).to.deep.equal([{ maxReplicas: 1 }])
  })

  it('hold no experiment that the schema of the CRD would refuse', async () => {
    const { caches } = await filled({
      [`${EXPERIMENTS}/bad`]: versioned(anExperiment(), { spec: { sourceRef: 'cart' } }),
    })
    expect(caches.experiments.list()).to.deep.equal([])
  })

  it('hold the objects with the label of forks apart', async () => {
    const fork = aDeployment({ name: FORK, labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' } })
    const { deployments } = await filled({
      [`${SHOP}/cart`]: versioned(aDeployment()),
      [`${SHOP}/${FORK}`]: versioned(fork),
    })
    expect(deployments.forks.list().map(({ metadata }) => metadata.name)).to.deep.equal([FORK])
    expect(deployments.others.list().map(({ metadata }) => metadata.name)).to.deep.equal(['cart'])
  })

  it('R16: keep little of a workload, however large its metadata and its labels are', async () => {
    const annotations = { 'example.com/large': 'x'.repeat(250_000), [REVISION]: '7' }
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`label-${index}`, 'y'.repeat(60)]))
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'z'.repeat(200), uid: 'u' }
    const ownerReferences = Array.from({ length: 100 }, () => owner)
    const large = aDeployment({ labels, metadata: { annotations, ownerReferences } })
    const { deployments } = await filled({ [`${SHOP}/cart`]: versioned(large, { spec: undefined }) })
    const kept = deployments.others.get('shop/cart')
    expect(JSON.stringify(kept).length).to.be.at.most(300)
    expect(kept?.metadata.annotations).to.deep.equal({ [REVISION]: '7' })
  })

  it('R15: look for an absent kind once in 30 s, and both find it then', async () => {
    const server = new ObjectStore({})
    server.absent.add('/apis/argoproj.io/v1alpha1/rollouts')
    const time = new VirtualTime()
    const caches = createCaches({
      client: server,
      timers: time,
      random: () => 0,
      log: diaryLog(),
      kindProbeMs: 30_000,
      installed: installing(),
      metrics: noMetrics(),
    })
    const rollouts = caches.workloads.find(({ kind }) => kind.kind === 'Rollout')
    const [forks, others] = [rollouts?.forks, rollouts?.others]
    for (const reflector of [forks, others]) reflector?.start()
    await time.pass(1_000)
    server.requests.length = 0
    await time.pass(600_000)
    expect(server.requests).to.have.length(20)
    server.absent.clear()
    await time.pass(30_000)
    await time.pass(1_000)
    expect([forks?.isAbsent, others?.isAbsent]).to.deep.equal([false, false])
    for (const reflector of [forks, others]) await reflector?.stop()
    expect(time.pending).to.equal(0)
  })

  it('keep of a Service and a slice only what passes read', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart', namespace: 'shop' } }
    const { caches } = await filled({
      '/api/v1/namespaces/shop/services/cart': versioned(service, {
        spec: { selector: { app: 'cart' }, clusterIP: '10.0.0.1' },
      }),
    })
    expect(JSON.stringify(caches.services.get('shop/cart')))
      .to.contain('"app":"cart"')
      .and.to.not.contain('10.0.0.1')
  })
})
