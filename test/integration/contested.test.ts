import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('R17, F28: a fork that another client keeps scaling, on the real control plane', () => {
  const place = usesProduct()

  it('N18: is put back each time, told once, and told as it is as soon as it is put back', async () => {
    await aSource(place(), 'disputed')
    await place().experiment('calmed', { source: 'disputed' })
    const fork = forkOf(await place().reaches('calmed', 'Available'))
    for (const replicas of [2, 3, 4]) {
      await place().api.patch(place().path('deployments', fork), { spec: { replicas } })
      await eventually('the fork to be put back', DEADLINE_MS, async () =>
        expect(at(await place().deployment(fork), 'spec', 'replicas')).to.equal(1),
      )
    }
    // each repair waits twice as long as the one before, and at last longer than a slow machine needs to see it
    let replicas = 4
    const changed = async () => {
      replicas = replicas === 4 ? 5 : 4
      await place().api.patch(place().path('deployments', fork), { spec: { replicas } })
      const experiment = await place().experimentAt('calmed')
      expect(condition(experiment, 'Ready')?.reason).to.equal('Contested')
      return experiment
    }
    const found = await eventually('the fork to be contested', DEADLINE_MS, changed, { pauseMs: 500 })
    expect(condition(found, 'Ready')?.message).to.contain(`another client keeps changing deployment/${fork}`)
    await place().reaches('calmed', 'Available')
    const since = Date.parse(condition(await place().experimentAt('calmed'), 'Ready')?.lastTransitionTime ?? '')
    expect(since - Date.parse(condition(found, 'Ready')?.lastTransitionTime ?? ''), 'N18').to.be.below(30_000)
    await eventually('its Event', DEADLINE_MS, async () => {
      const events = await place().api.list(`/apis/events.k8s.io/v1/namespaces/${place().namespace}/events`)
      expect(events.filter(({ reason }) => reason === 'Contested')).to.have.length(1)
    })
  })
})
