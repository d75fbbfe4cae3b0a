import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, usesProduct } from './product.ts'

const POD = { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] }
const QUOTA = 'exceeded quota: tight'

describe('an experiment whose pods are refused, on the real control plane', () => {
  const place = usesProduct()

  before('a StatefulSet and a Deployment with their pods', async () => {
    const labels = { app: 'set' }
    await aSource(place(), 'quoted')
    await place().api.create(place().path('statefulSets'), {
      metadata: { name: 'set' },
      spec: {
        serviceName: 'set',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: POD },
      },
    })
  })

  /** The answer of the API server to one more pod. It notices a new or deleted quota with a delay. */
  const answerToAPod = () =>
    place()
      .api.create(`${place().path('pods')}?dryRun=All`, { metadata: { name: 'one-more' }, spec: POD })
      .then(() => 'created', String)
  const answers = (what: string) =>
    eventually(`the answer "${what}" to a pod`, DEADLINE_MS, async () => expect(await answerToAPod()).to.contain(what))

  const quota = async () => {
    await place().api.create(place().path('quotas'), { metadata: { name: 'tight' }, spec: { hard: { pods: '0' } } })
    await answers(QUOTA)
  }
  const noQuota = async () => {
    await place().api.delete(place().path('quotas', 'tight'))
    await answers('created')
  }
  const enforces = async (level: string | null, answer: string) => {
    const labels = { 'pod-security.kubernetes.io/enforce': level }
    await place().api.patch(`/api/v1/namespaces/${place().namespace}`, { metadata: { labels } })
    await answers(answer)
  }

  const causes = [
    { cause: 'Quota 0', refuse: quota, says: QUOTA, relent: noQuota },
    {
      cause: 'Pod Security',
      refuse: () => enforces('restricted', 'violates PodSecurity'),
      says: 'violates PodSecurity "restricted:latest"',
      relent: () => enforces(null, 'created'),
    },
  ]
  for (const { cause, refuse, says, relent } of causes)
    it(`${cause} is reported as ReplicaFailure with its message by both kinds, and they recover without it`, async () => {
      await refuse()
      const names = { Deployment: 'quoted', StatefulSet: 'set' }
      const experiments = Object.entries(names).map(([kind, source]) => ({ kind, source, name: `poor-${source}` }))
      for (const { name, ...of } of experiments) await place().experiment(name, of)
      for (const { name } of experiments) {
        const stalled = await place().reaches(name, 'ReplicaFailure')
        expect(condition(stalled, 'Stalled')?.message).to.contain(says)
      }
      await relent()
      // makes Kubernetes try again at once
      for (const { name } of experiments)
        await place().api.patch(place().path('experiments', name), { spec: { replicas: 2 } })
      for (const { name } of experiments) await place().reaches(name, 'Available')
      for (const { name } of experiments) await place().api.delete(place().path('experiments', name))
    })
})
