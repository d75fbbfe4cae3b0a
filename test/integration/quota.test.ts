import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, usesProduct } from './product.ts'

describe('an experiment under a quota, on the real control plane', () => {
  const place = usesProduct()

  /** The answer of the API server to one more pod. It notices a new or deleted quota with a delay. */
  const answerToAPod = () => {
    const spec = { containers: [{ name: 'one', image: 'x' }] }
    return place()
      .api.create(`${place().path('pods')}?dryRun=All`, { metadata: { name: 'one-more' }, spec })
      .then(() => 'created', String)
  }

  it('Quota 0 is reported as ReplicaFailure with its message, and the experiment recovers when the quota is raised', async () => {
    await aSource(place(), 'quoted')
    await place().api.create(place().path('quotas'), { metadata: { name: 'tight' }, spec: { hard: { pods: '0' } } })
    await eventually('pods to be refused', DEADLINE_MS, async () =>
      expect(await answerToAPod()).to.contain('exceeded quota: tight'),
    )
    await place().experiment('poor', { source: 'quoted' })
    const stalled = await place().reaches('poor', 'ReplicaFailure')
    expect(condition(stalled, 'Stalled')?.message).to.contain('exceeded quota: tight')
    await place().api.delete(place().path('quotas', 'tight'))
    await eventually('pods to be let in', DEADLINE_MS, async () => expect(await answerToAPod()).to.equal('created'))
    await place().api.patch(place().path('experiments', 'poor'), { spec: { replicas: 2 } }) // makes Kubernetes try again at once
    await place().reaches('poor', 'Available')
  })
})
