import { expect } from 'chai'
import type { EventInput } from '../../../controller/events/event.ts'
import { JoinedEvents } from '../../../controller/events/joined-events.ts'
import { aDeployment } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

function world() {
  const [time, told] = [new VirtualTime(), [] as string[]]
  const record = ({ type, reason, note }: EventInput) => void told.push(`${type} ${reason}: ${note}`)
  const events = new JoinedEvents({ timers: time, record })
  const event = (of: Partial<EventInput>): EventInput => ({
    ...{ type: 'Normal', reason: 'Updating', action: 'Reconcile', note: 'created', regarding: aDeployment() },
    ...of,
  })
  return { time, told, events, event }
}

const AVAILABLE = { reason: 'Available', note: '1 of 1 pods available' }

describe('an Event that may wait', () => {
  it('is told together with the next one about its object', async () => {
    const { time, told, events, event } = world()
    events.record(event({}), { mayWait: true })
    await time.pass(4_999)
    expect(told).to.deep.equal([])
    events.record(event(AVAILABLE), { mayJoin: true })
    await time.pass(10_000)
    expect(told).to.deep.equal(['Normal Available: created; 1 of 1 pods available'])
  })

  it('is told alone after 5 s, before other Events, and when nothing may wait any more', async () => {
    const { time, told, events, event } = world()
    events.record(event({}), { mayWait: true })
    await time.pass(5_000)
    events.record(event(AVAILABLE), { mayJoin: true })
    expect(told.splice(0)).to.deep.equal(['Normal Updating: created', 'Normal Available: 1 of 1 pods available'])
    events.record(event({}), { mayWait: true })
    events.record(event({ type: 'Warning', reason: 'Hazard', note: 'mind' }))
    expect(told.splice(0)).to.deep.equal(['Normal Updating: created', 'Warning Hazard: mind'])
    events.record(event({}), { mayWait: true })
    events.record(event({ reason: 'Measuring', note: 'analysis: Wait' }))
    expect(told.splice(0)).to.deep.equal(['Normal Updating: created', 'Normal Measuring: analysis: Wait'])
    events.record(event({}), { mayWait: true })
    events.flush()
    expect(told.splice(0)).to.deep.equal(['Normal Updating: created'])
    await time.pass(10_000)
    expect(told).to.deep.equal([])
  })

  it('is not told with an Event about another object', () => {
    const { told, events, event } = world()
    events.record(event({}), { mayWait: true })
    events.record(event({ ...AVAILABLE, regarding: aDeployment({ metadata: { uid: 'other' } }) }), { mayJoin: true })
    expect(told).to.deep.equal(['Normal Available: 1 of 1 pods available'])
  })
})
