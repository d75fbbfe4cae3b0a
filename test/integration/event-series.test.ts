import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('the same Event again, on the real control plane', () => {
  const place = usesProduct()
  /** The Events of repairs of `fork`. */
  const repairs = async (fork: string) => {
    const path = resourcePath(RESOURCES.Event, { namespace: place().namespace })
    const events = await place().api.list<KubeObject & { readonly note: string }>(path)
    return events.filter(({ note }) => note === `deployment/${fork}: restored: another client had modified it`)
  }

  it('is a series of the first one, with a count', async () => {
    await aSource(place(), 'touched')
    await place().experiment('repeated', { source: 'touched' })
    const fork = forkOf(await place().reaches('repeated', 'Available'))
    const drift = async () => {
      await place().api.patch(place().path('deployments', fork), { spec: { replicas: 3 } })
      await eventually('the fork to be repaired', DEADLINE_MS, async () =>
        expect(at(await place().deployment(fork), 'spec', 'replicas')).to.equal(1),
      )
    }
    await drift()
    const first = await eventually('the Event', DEADLINE_MS, async () => {
      const events = await repairs(fork)
      expect(events).to.have.length(1)
      expect(events[0]).not.to.have.property('series')
      return events[0]
    })
    // a repair while the fork is still Updating is no news
    await place().reaches('repeated', 'Available')
    await drift()
    const second = await eventually('the series', DEADLINE_MS, async () => {
      const events = await repairs(fork)
      expect(events).to.have.length(1)
      expect(at(events[0], 'series', 'count')).to.equal(2)
      return events[0]
    })
    expect(second?.metadata.uid).to.equal(first?.metadata.uid)
    const times = ['eventTime', 'series'].map((member) => {
      const time = at(second, member)
      return Date.parse(`${typeof time === 'string' ? time : at(time, 'lastObservedTime')}`)
    })
    expect(times[1]).to.be.above(times[0] ?? Number.POSITIVE_INFINITY)
    expect((await place().kubectl(['describe', 'expd', 'repeated'])).text).to.match(/\(x2 over [^)]+\)/)
  })
})
