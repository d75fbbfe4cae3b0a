import { expect } from 'chai'
import { ANALYSIS_RUN, SCALED } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { EVENTS_AT_ONCE } from '../../controller/events/event-queue.ts'
import { MAX_SLOW } from '../../controller/runtime/worker.ts'
import { LISTS_AT_ONCE } from '../../controller/subsystems.ts'
import { aDeployment, anExperiment, aPolicy, FORK, installing } from '../builders.ts'
import {
  aController,
  aQuietController,
  DEPLOYMENTS,
  GROUP,
  PATHS,
  running,
  stored,
  versioned,
  WORKERS,
} from '../fakes/controller.ts'
import { turn } from '../virtual-time.ts'
import { aRun } from './analysis/a-run.ts'
import { CART_SERVICE, growCrowd, statusWrites } from './crowd.ts'

const POLICY = `${GROUP}/experimentpolicies/limits`

const conditionOf = (object: KubeObject | undefined, type: string) => {
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string; reason: string }[] }
  return conditions.find((each) => each.type === type)?.reason
}

/** What is needed beside the watches and the workers, at least. */
const OTHER_REQUESTS = 4

describe('the controller', () => {
  for (const [what, { server, controller }] of Object.entries({
    'no component': running(),
    'the components "gate" and "analysis"': aController(),
  }))
    it(`has connections for every watch, pass and list, and ${OTHER_REQUESTS} more, with ${what}`, async () => {
      await controller.start()
      expect(server.openWatches).to.be.above(0)
      const lists = LISTS_AT_ONCE * (what.includes('analysis') ? 2 : 1)
      const busy = server.openWatches + WORKERS + MAX_SLOW + lists + EVENTS_AT_ONCE
      expect(controller.connections).to.be.at.least(busy + OTHER_REQUESTS)
      await controller.stop()
    })

  it('fills its caches, forks the source and reports', async () => {
    const { server, controller, settle, log } = running()
    await controller.start()
    controller.lead()
    await settle()
    expect(controller.notReadyBecause).to.equal(undefined)
    expect(log.lines.map(({ text }) => text)).to.include.members(['info caches filled', 'info reconciled'])
    expect(server.at(`${DEPLOYMENTS}/${FORK}`)?.metadata.ownerReferences?.[0]?.name).to.equal('faster-cart')
    expect(conditionOf(server.at(PATHS.experiment), 'Ready')).to.equal('Updating')
    expect(server.diary.filter((line) => line.startsWith('apply'))).to.deep.equal([
      `apply ${DEPLOYMENTS}/${FORK}`,
      `apply ${PATHS.experiment}/status`,
    ])
    expect(server.diary).to.include('create /apis/events.k8s.io/v1/namespaces/shop/events')
    await controller.stop()
  })

  it('does not become a standby if it is told to stop leading while its caches are filled', async () => {
    const { controller } = running()
    const starting = controller.start()
    await controller.stopLeading()
    expect([await starting, controller.notReadyBecause]).to.deep.equal([false, 'stopping'])
    await controller.stop()
  })

  it('writes nothing as a standby, whatever happens, and everything once it leads', async () => {
    const policy = aPolicy({ name: 'limits', maxReplicas: 1 })
    const { server, controller, settle, time } = running({ [POLICY]: versioned(policy) })
    expect([await controller.start(), controller.notReadyBecause]).to.deep.equal([true, undefined])
    server.edit(PATHS.experiment, (experiment) => ({
      ...experiment,
      metadata: { ...experiment.metadata, generation: 2 },
    }))
    await time.pass(7_200_000)
    await settle()
    expect([server.diary, controller.longestPassMs]).to.deep.equal([[], 0])
    controller.lead()
    await settle()
    await time.pass(5_000)
    expect(server.diary.filter((line) => line.startsWith('apply'))).to.have.members([
      `apply ${DEPLOYMENTS}/${FORK}`,
      `apply ${PATHS.experiment}/status`,
      `apply ${POLICY}/status`,
    ])
    await controller.stop()
  })

  it('writes nothing after stopLeading, but goes on to watch', async () => {
    const { server, controller, settle, time } = running()
    await controller.start()
    controller.lead()
    await settle()
    await controller.stopLeading()
    server.diary.length = 0
    server.edit(`${DEPLOYMENTS}/cart`, () => versioned(aDeployment({ image: 'cart:3' })))
    await time.pass(7_200_000)
    expect([server.diary, server.openWatches]).to.deep.equal([[], 10])
    await controller.stop()
  })

  it('leads no more once it was stopped', async () => {
    const { server, controller, settle } = running()
    await controller.start()
    await controller.stopLeading()
    controller.lead()
    await settle()
    expect(server.diary).to.deep.equal([])
    await controller.stop()
  })

  it('writes nothing more when nothing changes, also after the hourly pass', async () => {
    const { server, controller, settle, time } = running()
    await controller.start()
    controller.lead()
    await settle()
    const before = server.diary.filter((line) => line.startsWith('apply')).length
    await time.pass(3_700_000)
    await settle()
    expect(server.diary.filter((line) => line.startsWith('apply'))).to.have.length(before)
    await controller.stop()
  })

  it('R15: when nothing changes, makes one probe for each absent kind in 30 s, and one for its schema', async () => {
    const { server, controller, settle, time } = running()
    server.absent.add('/apis/argoproj.io/v1alpha1/rollouts')
    await controller.start()
    await settle()
    await time.pass(60_000)
    server.requests.length = 0
    await time.pass(600_000)
    const counted = Object.entries(Object.groupBy(server.requests, (request) => request))
    expect(counted.filter(([, all = []]) => all.length > 20)).to.deep.equal([])
    expect(server.requests).to.include('list /apis/argoproj.io/v1alpha1/rollouts')
    await controller.stop()
  })

  it('counts the experiments that violate a policy, and writes the status of the policy', async () => {
    const policy = versioned(aPolicy({ maxReplicas: 1 }))
    const experiment = versioned(anExperiment({ replicas: 3 }))
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: {} } }
    const { server, controller, settle, time } = running({
      [PATHS.experiment]: experiment,
      [POLICY]: policy,
      '/api/v1/namespaces/shop': namespace,
    })
    await controller.start()
    controller.lead()
    await settle()
    expect([controller.measured.policies.violating('Deny'), server.at(`${DEPLOYMENTS}/${FORK}`)]).to.deep.equal([
      1,
      undefined,
    ])
    expect(conditionOf(server.at(PATHS.experiment), 'Ready')).to.equal('PolicyDenied')
    await time.pass(2_000)
    expect(server.at(POLICY)?.status).to.deep.include({ observedGeneration: 1, experiments: 1, violations: 1 })
    expect([conditionOf(server.at(POLICY), 'Valid'), controller.measured.policies.mistakes()]).to.deep.equal([
      'Valid',
      0,
    ])
    await controller.stop()
  })

  it('fails to start when a cache is not filled within two minutes, and names it', async () => {
    const { server, controller, time } = running()
    server.forbidden.add('/api/v1/services')
    const started = controller.start().catch((error: unknown) => error)
    await time.pass(120_000)
    expect(await started)
      .to.be.instanceOf(Error)
      .with.property(
        'message',
        'not filled within two minutes: services; check the permissions, and whether the API server can be reached',
      )
    expect(controller.notReadyBecause).to.equal('being filled: services')
    await controller.stop()
  })

  it('starts no pass when it is stopped before its caches are filled', async () => {
    const { server, controller } = running()
    server.forbidden.add('/api/v1/services')
    const started = controller.start()
    await turn()
    await controller.stop()
    expect([await started, controller.notReadyBecause, server.diary]).to.deep.equal([false, 'stopping', []])
  })

  it('leaves no watch and no timer after stop', async () => {
    const { server, controller, settle, time } = running()
    await controller.start()
    controller.lead()
    await settle()
    expect(server.openWatches).to.equal(10)
    await controller.stop()
    expect([server.openWatches, time.pending]).to.deep.equal([0, 0])
  })
})

const RUN = `${GROUP}/namespaces/shop/experimentanalysisruns/run-1`

describe('the controller, with analyses', () => {
  it('measures the stored runs, and what waits for a pass', async () => {
    const { controller } = running({ [RUN]: versioned({ ...ANALYSIS_RUN, ...aRun() }) }, installing('analysis'))
    await controller.start()
    const { runs, waiting, lagMs } = controller.measured.analysis ?? {}
    expect(runs?.()).to.deep.equal([aRun()])
    expect([waiting?.(), lagMs?.()]).to.deep.equal([0, 0])
    await controller.stop()
  })

  it('measures nothing of them without the component', () =>
    expect(running().controller.measured.analysis).to.equal(undefined))
})

describe('P2: many forks behind one Service that start one after the other', () => {
  for (const { count, writes, passes } of [
    { count: 50, writes: 4, passes: 7 },
    { count: 300, writes: 3.2, passes: 6 },
  ])
    it(`have at most ${passes} passes and ${writes} writes of a status each when they are ${count}`, async () => {
      const world = aController(CART_SERVICE)
      await world.controller.start()
      world.controller.lead()
      await world.pass(1_000)
      await growCrowd(world, { count, perSecond: 20 })
      await world.controller.stop()
      const last = world.status(`${PATHS.experiments}/copy-0`)
      // with three pods of the source, and one other fork
      expect([last.readyReplicas, last.services?.[0]?.readyEndpoints]).to.deep.equal([1, count + 4])
      expect(statusWrites(world) / count).to.be.within(2, writes)
      expect(world.passes() / count).to.be.within(3, passes)
    })
})

const FORK_PATH = `/apis/apps/v1/namespaces/shop/deployments/${FORK}`

describe('the controller, while the watch of experiments is frozen', () => {
  it('R1: creates the fork of a deleted experiment at most once, although it is collected each time', async () => {
    const { server, controller, settle, time } = running()
    await controller.start()
    controller.lead()
    await settle()
    server.frozen.add('/apis/experimentcontroller.example.com/v1alpha1/experimentdeployments')
    server.remove(PATHS.experiment)
    const before = server.diary.length
    for (let second = 0; second < 60; second += 1) {
      server.remove(FORK_PATH) // as garbage collection does
      await time.pass(1_000)
      await settle()
    }
    const since = server.diary.slice(before)
    expect(since.filter((line) => line === `apply ${FORK_PATH}`)).to.have.length(1)
    expect(since.filter((line) => line === `apply ${PATHS.experiment}/status`)).to.have.length(1)
    expect(server.at(FORK_PATH)).to.equal(undefined)
    await controller.stop()
  })
})

const AUTOSCALER = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/cart'
const BLUE_GREEN = { strategy: { blueGreen: { activeService: 'cart' } } }
const uid = 'e7c3b1f2-0000-4000-8000-000000000000'

describe('a blue-green beside an autoscaler that is younger than what the controller has read', () => {
  it('N20: gets the pods that the plan tells, and loses none later', async () => {
    const world = await aQuietController()
    const { server, pass } = world
    server.put(
      AUTOSCALER,
      stored({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart', namespace: 'shop' },
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'cart' },
          maxReplicas: 20,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
        },
      }),
    )
    server.remove(PATHS.experiment)
    server.remove(PATHS.fork)
    await pass(1_000)
    server.put(PATHS.experiment, stored(anExperiment({ ...BLUE_GREEN, metadata: { uid } })))
    await pass(1_000)
    const forks = () => server.all(PATHS.deployments).filter(({ metadata }) => metadata.name !== 'cart')
    expect(forks().map(({ metadata }) => metadata.name)).to.not.include(FORK)
    expect(forks().map(replicasOf)).to.deep.equal([1])
    await pass(120_000)
    expect(forks().map(replicasOf)).to.deep.equal([1])
    await world.controller.stop()
  })
})

const CART = `${DEPLOYMENTS}/cart`
const annotations = (revision: string) => ({ 'deployment.kubernetes.io/revision': revision })

describe('the controller, when its source changes', () => {
  it('R8: has the revision within 5 s, which the Deployment controller raises after the generation', async () => {
    const { server, controller, settle, time } = running({
      [CART]: versioned(aDeployment({ metadata: { annotations: annotations('1') } })),
    })
    const source = () => at(server.at(PATHS.experiment), 'status', 'source')
    await controller.start()
    controller.lead()
    await settle()
    server.change(CART, (cart) => ({ ...cart, spec: { ...(aDeployment({ image: 'example/cart:2' }).spec as object) } }))
    await settle()
    expect(source()).to.include({ generation: 2, revision: '1' })
    server.change(CART, (cart) => ({ ...cart, metadata: { ...cart.metadata, annotations: annotations('2') } }))
    await time.pass(5_000)
    await settle()
    expect(source()).to.include({ generation: 2, revision: '2' })
    await controller.stop()
  })

  it('N52: writes nothing because a canary of somebody else has made it smaller, and has labelled it', async () => {
    const { server, controller, change, pass } = await aQuietController()
    const before = server.diary.length
    change(PATHS.source, ({ metadata, spec }) => ({
      metadata: { ...metadata, generation: 2, labels: { ...metadata.labels, [SCALED]: 'another.11.9' } },
      spec: { ...(spec as object), replicas: 9 },
    }))
    await pass(20_000) // no longer, because a sweep looks for that canary
    expect(server.diary.slice(before)).to.deep.equal([`get ${PATHS.source}`])
    await controller.stop()
  })
})
