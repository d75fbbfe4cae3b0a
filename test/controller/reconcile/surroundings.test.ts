import { expect } from 'chai'
import { NO_NEIGHBOURS } from '../../../common/workload/neighbours.ts'
import type { Traffic } from '../../../common/workload/services.ts'
import { reconciler } from '../../../controller/reconcile/reconcile.ts'
import { aDeployment, anExperiment, aRollout, FORK } from '../../builders.ts'
import { recordingKube } from '../../recording-kube.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')
const CART = { name: 'cart', selector: { app: 'cart' } }
const traffic = (...pods: readonly string[]): Traffic => ({
  services: [CART],
  slices: [{ service: 'cart', ready: pods.map((pod) => ({ uid: pod, pod })) }],
})
const SHARED = traffic(`${FORK}-7d9f-1`, 'cart-1')
const HPA = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3 }

/** A world whose fork is ready. */
async function settled({ source = aDeployment(), seen = SHARED, replicas = 1 } = {}) {
  const experiment = anExperiment({ replicas, sourceRef: { kind: source.kind, name: 'cart' } })
  const story = recordingKube({ experiment, source, traffic: seen })
  const pass = reconciler(story.kube, clock)
  await pass(KEY)
  story.forkBecomesReady()
  await pass(KEY)
  const status = () => story.world.experiment?.status
  return {
    ...story,
    pass: () => pass(KEY),
    reasons: () => status()?.warnings?.map(({ reason }) => reason) ?? [],
    said: (type: string) => {
      const { status: value, reason, message } = status()?.conditions?.find((found) => found.type === type) ?? {}
      return `${value} ${reason}: ${message}`
    },
    /** what is written in `act` */
    async writes(act: () => Promise<unknown>) {
      const from = story.diary.length
      await act()
      return story.diary.slice(from)
    },
  }
}

const elector = aDeployment({ container: { args: ['--leader-elect'] } })
const LEADER = 'LeaderElection: the experiment may become leader, or idle'
const COUNTED = "CountedByHPA: hpa/cart averages over the experiment's pods too when it scales the source"

describe('what surrounds a fork', () => {
  it('tells of a Rollout that takes its template from the source', async () => {
    const { world, pass, said, diary } = await settled()
    world.referring = [aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })]
    await pass()
    expect(said('SourceResolved')).to.contain('SourceIsManaged: rollout/cart takes its template from deployment/cart')
    expect(diary.at(-1)).to.contain('SourceIsManaged')
  })

  it('tells a hazard in the condition of its source, in the list and by one Event', async () => {
    const { diary, said, reasons } = await settled({ source: elector })
    expect(said('SourceResolved')).to.equal(`True Resolved: deployment/cart; ${LEADER}`)
    expect(reasons()).to.deep.equal(['LeaderElection'])
    expect(diary.filter((line) => line === 'event Warning LeaderElection')).to.have.length(1)
  })

  it('tells a collision beside the share, and what bends that', async () => {
    const { world, pass, said, writes } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    const [status, ...events] = await writes(pass)
    expect(status).to.match(/^status Ready=True Available/)
    expect(events).to.deep.equal(['event Warning CountedByHPA'])
    const share = 'service/cart: 50% of new connections (1 of 2 endpoints); 25% to 50% as hpa/cart scales the source'
    expect(said('TrafficShared')).to.equal(`True Selected: ${share}; ${COUNTED}`)
  })

  it('writes nothing more once all is told', async () => {
    const { world, pass, writes } = await settled({ source: elector })
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    expect(await writes(pass)).to.deep.equal([])
  })

  it('takes back what is over without an Event, and tells it anew when it comes again', async () => {
    const { world, pass, reasons, writes } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    world.neighbours = NO_NEIGHBOURS
    expect(await writes(pass)).to.have.length(1)
    expect(reasons()).to.deep.equal([])
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    expect(await writes(pass)).to.include('event Warning CountedByHPA')
  })

  it('keeps what was told while nobody can tell, and looks again in a minute', async () => {
    const { world, pass, reasons } = await settled()
    world.neighbours = { ...NO_NEIGHBOURS, autoscalers: [HPA] }
    await pass()
    world.neighbours = undefined
    expect(await pass()).to.deep.equal({ afterMs: 60_000 })
    expect(reasons()).to.deep.equal(['CountedByHPA'])
  })

  const shared: Record<string, readonly [Parameters<typeof settled>[0], string]> = {
    'is Selected where a Service sends to it': [{}, 'True Selected'],
    'has NoReadyEndpoints where a Service would': [{ seen: traffic('cart-1') }, 'False NoReadyEndpoints'],
    'has NoService where none concerns it': [{ seen: { services: [], slices: [] } }, 'False NoService'],
    'is ScaledToZero without pods': [{ replicas: 0 }, 'False ScaledToZero'],
    'is PinnedByRollout where every Service is': [
      {
        seen: {
          services: [{ ...CART, selector: { app: 'cart', 'rollouts-pod-template-hash': '5c6b' } }],
          slices: [],
        },
      },
      'False PinnedByRollout',
    ],
    'is RoutedByRollout, and nobody knows how much, where the source routes': [
      { source: aRollout({ strategy: { canary: { trafficRouting: { nginx: {} } } } }) },
      'Unknown RoutedByRollout',
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(shared))
    it(sentence, async () => expect((await settled(given)).said('TrafficShared').split(':')[0]).to.equal(expected))
})
