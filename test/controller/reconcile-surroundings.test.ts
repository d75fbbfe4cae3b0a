import { expect } from 'chai'
import { NO_NEIGHBOURS } from '../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../common/surroundings/traffic.ts'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, aRollout, FORK } from '../builders.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')
const CART = { name: 'cart', selector: { app: 'cart' } }
const traffic = (...pods: readonly string[]): TrafficView => ({
  services: [CART],
  slices: [{ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) }],
})
const SHARED = traffic(`${FORK}-7d9f-1`, 'cart-1')
const HPA = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3, isOnCpu: false }

/** An experiment with a ready fork. */
async function settled({ source = aDeployment(), present = SHARED, replicas = 1 } = {}) {
  const experiment = anExperiment({ replicas, sourceRef: { kind: source.kind, name: 'cart' } })
  const story = recordingCluster({ experiment, source, traffic: present })
  const pass = reconciler(story.cluster, clock)
  await pass(KEY)
  story.forkBecomesReady()
  await pass(KEY)
  const status = () => story.world.experiment?.status
  return {
    ...story,
    pass: () => pass(KEY),
    reasons: () => status()?.warnings?.map(({ reason }) => reason) ?? [],
    condition: (type: string) => {
      const { status: value, reason, message } = status()?.conditions?.find((found) => found.type === type) ?? {}
      return `${value} ${reason}: ${message}`
    },
    /** the writes during `act` */
    async writes(act: () => Promise<unknown>) {
      const from = story.diary.length
      await act()
      return story.diary.slice(from)
    },
  }
}

const elector = aDeployment({ container: { args: ['--leader-elect'] } })
const LEADER = 'LeaderElection: leader election is on: the experiment may become the leader, or stay idle'
const COUNTED = "CountedByHPA: hpa/cart includes the fork's pods in its average when it scales the source"

describe('R10: a pass follows', () => {
  const other = { name: 'other', selector: { app: 'other' } }
  const stable = { name: 'stable', selector: { app: 'cart', 'pod-template-hash': '1' } }

  it('the Services that select its source or its fork, also a single revision, and no others', async () => {
    const { world, pass } = await settled()
    world.traffic = { ...SHARED, services: [other, CART, stable] }
    await pass()
    expect(world.followed).to.deep.equal(['cart', 'stable'])
  })

  it('those of a fork that policies do not allow yet', async () => {
    const { world, cluster } = recordingCluster({
      experiment: anExperiment(),
      source: aDeployment(),
      traffic: { ...SHARED, services: [other, CART] },
    })
    world.policies = [aPolicy({ maxShare: '1%' })]
    await reconciler(cluster, clock)(KEY)
    expect([world.stored, world.followed]).to.deep.equal([undefined, ['cart']])
  })

  it('no Services once it is being deleted', async () => {
    const { world, pass } = await settled()
    const { experiment = anExperiment() } = world
    const metadata = { ...experiment.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' }
    world.experiment = { ...experiment, metadata }
    await pass()
    expect(world.followed).to.deep.equal([])
  })
})

describe('a pass reports', () => {
  it('a Rollout that takes its template from the source', async () => {
    const { world, pass, condition, diary } = await settled()
    world.referring = [aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })]
    await pass()
    expect(condition('SourceResolved')).to.contain(
      'SourceIsManaged: rollout/cart takes its template from deployment/cart',
    )
    expect(diary.at(-1)).to.contain('SourceIsManaged')
  })

  it('a hazard in the condition of the source, in the warnings and with one Event', async () => {
    const { diary, condition, reasons } = await settled({ source: elector })
    expect(condition('SourceResolved')).to.equal(`True Resolved: deployment/cart; ${LEADER}`)
    expect(reasons()).to.deep.equal(['LeaderElection'])
    expect(diary.filter((line) => line === 'event Warning LeaderElection')).to.have.length(1)
  })

  it('a collision in the condition of the traffic, and how it changes the share', async () => {
    const { world, pass, condition, writes } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    const [status, ...events] = await writes(pass)
    expect(status).to.match(/^status Ready=True Available/)
    expect(events).to.deep.equal(['event Warning CountedByHPA'])
    const share = 'service/cart: 50% of new connections (1 of 2 endpoints); 25% to 50% while hpa/cart scales the source'
    expect(condition('TrafficShared')).to.equal(`True Selected: ${share}; ${COUNTED}`)
  })

  it('nothing more when everything is reported', async () => {
    const { world, pass, writes } = await settled({ source: elector })
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    expect(await writes(pass)).to.deep.equal([])
  })

  it('the end of a warning without an Event, and its return with one', async () => {
    const { world, pass, reasons, writes } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    world.neighbours = NO_NEIGHBOURS
    expect(await writes(pass)).to.have.length(1)
    expect(reasons()).to.deep.equal([])
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    expect(await writes(pass)).to.include('event Warning CountedByHPA')
  })

  it('the stored warnings while the neighbours cannot be read, and tries again after a minute', async () => {
    const { world, pass, reasons } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    world.neighbours = undefined
    expect(await pass()).to.deep.equal({ afterMs: 60_000 })
    expect(reasons()).to.deep.equal(['CountedByHPA'])
  })

  const shared: Record<string, readonly [Parameters<typeof settled>[0], string]> = {
    'Selected when a Service selects ready pods of the fork': [{}, 'True Selected'],
    'NoReadyEndpoints when a Service selects no ready pod of the fork': [
      { present: traffic('cart-1') },
      'False NoReadyEndpoints',
    ],
    'NoService when no Service selects its pods': [{ present: { services: [], slices: [] } }, 'False NoService'],
    'ScaledToZero without pods': [{ replicas: 0 }, 'False ScaledToZero'],
    'PinnedByRollout when every Service selects one revision of a Rollout': [
      {
        present: {
          services: [{ ...CART, selector: { app: 'cart', 'rollouts-pod-template-hash': '5c6b' } }],
          slices: [],
        },
      },
      'False PinnedByRollout',
    ],
    'RoutedByRollout when the Rollout routes the traffic, so that the share is unknown': [
      { source: aRollout({ strategy: { canary: { trafficRouting: { nginx: {} } } } }) },
      'Unknown RoutedByRollout',
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(shared))
    it(sentence, async () => expect((await settled(given)).condition('TrafficShared').split(':')[0]).to.equal(expected))
})
