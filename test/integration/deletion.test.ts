import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

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
    const message = 'its fork is gone; the finalizer example.com/mine keeps the experiment'
    await place().shows('holding', 'N37f: what keeps it', (of) => condition(of, 'Ready')?.message === message)
    await place().api.patch(path, { metadata: { finalizers: [] } })
  })

  it('N47: a fork that is deleted says that it waits for its pods, and is created again then', async () => {
    await aSource(place(), 'gone')
    await place().experiment('waiting', { source: 'gone' })
    const fork = forkOf(await place().reaches('waiting', 'Available'))
    const pods = await place().api.list(place().path('pods'))
    const pod = pods.find(({ metadata }) => metadata.name.startsWith(fork))?.metadata.name
    const path = place().path('pods', pod)
    await place().api.patch(path, { metadata: { finalizers: ['example.com/pod'] } })
    const { uid } = (await place().deployment(fork)).metadata
    await place().api.delete(place().path('deployments', fork), { propagationPolicy: 'Foreground' })
    const told = await place().reaches('waiting', 'Terminating')
    expect(condition(told, 'Ready')?.message).to.match(
      new RegExp(`^deployment/${fork} is being deleted, and waits until its pods are gone; a finalizer may keep one: `),
    )
    await place().api.patch(path, { metadata: { finalizers: [] } })
    await place().reaches('waiting', 'Available')
    expect((await place().deployment(fork)).metadata.uid).to.not.equal(uid)
  })
})
