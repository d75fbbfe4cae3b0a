import { expect } from 'chai'
import { EVENTS_AT_ONCE, EventQueue, type PendingEvent } from '../../../controller/events/event-queue.ts'

/** The Events with these notes: `namespace/object note`. */
function lineOf(...texts: readonly string[]): EventQueue {
  const line = new EventQueue()
  for (const text of texts) {
    const [object = ''] = text.split(' ')
    const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: text } }
    const recorded = { event, object, content: text, count: 1, lastAt: new Date(0), sentCount: 0, sentMs: 0 }
    line.push({ recorded, tries: 0 })
  }
  return line
}

/** The Events that may be sent now. */
function taken(line: EventQueue): readonly PendingEvent[] {
  const events: PendingEvent[] = []
  for (let next = line.shift(); next; next = line.shift()) events.push(next)
  return events
}
const namesOf = (events: readonly PendingEvent[]) => events.map(({ recorded }) => recorded.event.metadata.name)

describe('the line of Events', () => {
  it('has one Event about each object at once, and those about it in their order', () => {
    const line = lineOf('a/x 1', 'a/x 2', 'a/y 1', 'b/x 1')
    expect(line.size).to.equal(4)
    const first = taken(line)
    expect(namesOf(first)).to.deep.equal(['a/x 1', 'b/x 1', 'a/y 1'])
    for (const each of first) line.sent(each)
    expect([namesOf(taken(line)), line.size]).to.deep.equal([['a/x 2'], 0])
  })

  it('lets namespaces take turns, and gives none more slots than it leaves free', () => {
    const line = lineOf(...Array.from({ length: 9 }, (_, index) => `a/${index} 1`), 'b/1 1', 'c/1 1')
    const first = taken(line)
    expect(namesOf(first)).to.deep.equal(['a/0 1', 'b/1 1', 'c/1 1'])
    for (const each of first.slice(1)) line.sent(each)
    expect(namesOf(taken(line))).to.have.length(EVENTS_AT_ONCE / 2 - 1)
  })

  it('is empty when it was cleared, also once the running requests have ended', () => {
    const line = lineOf('a/x 1', 'a/x 2')
    const [first] = taken(line)
    line.clear()
    if (first) line.sent(first)
    expect([line.size, line.shift()]).to.deep.equal([0, undefined])
  })
})
