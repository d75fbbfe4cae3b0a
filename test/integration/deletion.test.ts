import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('the deletion of an experiment, on the real control plane', () => {
  const place = usesProduct()

  it('S3: deletes the fork at once although a finalizer of somebody else keeps the experiment', async () => {
    await aSource(place(), 'held')
    await place().experiment('holding', { source: 'held' })
    const fork = forkOf(await place().reaches('holding', 'Available'))
    const path = place().path('experiments', 'holding')
    await place().api.patch(path, { metadata: { finalizers: ['example.com/mine'] } })
    await place().api.delete(path)
    await eventually('the fork to be gone', DEADLINE_MS, async () =>
      expect(await place().api.list(place().path('deployments'))).to.satisfy(
        (found: { metadata: { name: string } }[]) => found.every(({ metadata }) => metadata.name !== fork),
      ),
    )
    expect((await place().experimentAt('holding')).metadata.finalizers).to.deep.equal(['example.com/mine'])
    await place().api.patch(path, { metadata: { finalizers: [] } })
  })
})
