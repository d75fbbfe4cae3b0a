import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { EVENTS_AT_ONCE } from '../../controller/events/event-queue.ts'
import { MAX_SLOW } from '../../controller/runtime/worker.ts'
import { LISTS_AT_ONCE } from '../../controller/subsystems.ts'
import { aDeployment, anExperiment, aPolicy, FORK } from '../builders.ts'
import { turn } from '../virtual-time.ts'
import { aController } from './quiet-controller.ts'
import { DEPLOYMENTS, EXPERIMENT, GROUP, running, versioned, WORKERS } from './running.ts'

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
    expect(conditionOf(server.at(EXPERIMENT), 'Ready')).to.equal('Updating')
    expect(server.diary.filter((line) => line.startsWith('apply'))).to.deep.equal([
      `apply ${DEPLOYMENTS}/${FORK}`,
      `apply ${EXPERIMENT}/status`,
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
    server.edit(EXPERIMENT, (experiment) => ({ ...experiment, metadata: { ...experiment.metadata, generation: 2 } }))
    await time.pass(7_200_000)
    await settle()
    expect([server.diary, controller.longestPassMs]).to.deep.equal([[], 0])
    controller.lead()
    await settle()
    await time.pass(5_000)
    expect(server.diary.filter((line) => line.startsWith('apply'))).to.have.members([
      `apply ${DEPLOYMENTS}/${FORK}`,
      `apply ${EXPERIMENT}/status`,
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
      [EXPERIMENT]: experiment,
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
    expect(conditionOf(server.at(EXPERIMENT), 'Ready')).to.equal('PolicyDenied')
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
