import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aRollout, usesArgoRollouts } from './argo.ts'
import { DEADLINE_MS, forkOf, usesProduct } from './product.ts'

const INSTANCE_ID = 'argo-rollouts.argoproj.io/controller-instance-id'

describe('a Rollout of an Argo with an instance ID, on the real control plane', () => {
  usesArgoRollouts({ instanceId: 'blue' })
  const place = usesProduct()
  const rollout = (name: string) => place().api.get(place().path('rollouts', name))
  const labelled = (instance: string | null) =>
    place().api.patch(place().path('rollouts', 'sharded'), { metadata: { labels: { [INSTANCE_ID]: instance } } })

  it('gives its fork the label, so that the same Argo reconciles both', async () => {
    await aRollout(place(), 'sharded')
    await labelled('blue')
    await eventually('the source to be Healthy', DEADLINE_MS, async () =>
      expect(at((await rollout('sharded')).status, 'phase')).to.equal('Healthy'),
    )
    await place().experiment('shard', { source: 'sharded', kind: 'Rollout' })
    const fork = forkOf(await place().reaches('shard', 'Available'))
    expect((await rollout(fork)).metadata.labels).to.include({ [INSTANCE_ID]: 'blue' })
  })

  it('takes it from its fork again', async () => {
    const fork = forkOf(await place().experimentAt('shard'))
    await labelled(null)
    await eventually('the fork to lose the label', DEADLINE_MS, async () =>
      expect((await rollout(fork)).metadata.labels).not.to.have.property(INSTANCE_ID),
    )
  })
})
