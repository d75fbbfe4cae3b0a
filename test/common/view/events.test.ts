import { expect } from 'chai'
import { viewEvents } from '../../../common/view/events.ts'
import { anEvent } from './some-view.ts'

const POD = { kind: 'Pod', name: 'cart-1', uid: 'p' }

describe('the Events of a view', () => {
  it('say what they are about, when, how often and by whom', () =>
    expect(viewEvents([anEvent(POD)])).to.deep.equal([
      {
        ...{ uid: 'p', about: 'pod/cart-1', isWarning: true, reason: 'Failed', message: 'it failed' },
        ...{ at: '2026-11-21T09:50:00Z', by: 'kubelet', count: 3 },
      },
    ]))

  it('come newest first, by the last time that they have in any form', () => {
    const none = { lastTimestamp: null }
    const events = [
      anEvent(POD, { ...none, reason: 'Eventual', eventTime: '2026-11-21T09:00:00.000000Z' }),
      anEvent(POD, { reason: 'Serial', series: { count: 7, lastObservedTime: '2026-11-21T09:59:00.000000Z' } }),
      anEvent(POD, { reason: 'Latest' }),
      anEvent(POD, { ...none, reason: 'Timeless' }),
    ]
    expect(viewEvents(events).map(({ reason, count }) => [reason, count])).to.deep.equal([
      ['Serial', 7],
      ['Latest', 3],
      ['Eventual', 3],
    ])
  })

  it('are the newest 200: the API server lists them by name', () => {
    const older = Array.from({ length: 300 }, () => anEvent(POD))
    const newest = anEvent(POD, { reason: 'Latest', lastTimestamp: '2026-11-21T09:59:00Z' })
    const events = viewEvents([...older, newest])
    expect(events).to.have.length(200)
    expect(events[0]?.reason).to.equal('Latest')
  })
})
