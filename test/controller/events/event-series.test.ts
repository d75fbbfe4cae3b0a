import { expect } from 'chai'
import { EventSeries } from '../../../controller/events/event-series.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { about, input } from './recording.ts'

const MINUTE_MS = 60_000
const AT = new Date('2026-08-01T12:00:00Z')
const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'x' } }

function theSeries() {
  const time = new VirtualTime()
  return { time, series: new EventSeries(time) }
}

describe('series of Events', () => {
  const others = {
    'another type': { ...input, type: 'Warning' },
    'another reason': { ...input, reason: 'Other' },
    'another action': { ...input, action: 'Delete' },
    'another note': { ...input, note: 'other' },
    'another object': about('other'),
    'a related object': { ...input, related: about('other').regarding },
  } as const
  for (const [what, other] of Object.entries(others))
    it(`do not take an Event with ${what} for a repetition`, () => {
      const { series } = theSeries()
      series.add(input, event, AT)
      expect(series.repeat(other, AT)).to.equal(undefined)
    })

  it('count the same Event about a newer version of the object', () => {
    const { series } = theSeries()
    const recorded = series.add(input, event, AT)
    const { metadata, ...object } = input.regarding
    const newer = { ...input, regarding: { ...object, metadata: { ...metadata, resourceVersion: '8' } } }
    expect(series.repeat(newer, AT)).to.equal(recorded)
    expect(recorded.count).to.equal(2)
  })

  it('end six minutes after the last repetition', async () => {
    const { time, series } = theSeries()
    const recorded = series.add(input, event, AT)
    for (let repetitions = 0; repetitions < 3; repetitions += 1) {
      await time.pass(6 * MINUTE_MS)
      expect(series.repeat(input, AT)).to.equal(recorded)
    }
    await time.pass(6 * MINUTE_MS + 1)
    expect(series.repeat(input, AT)).to.equal(undefined)
    expect(series.add(input, event, AT)).to.not.equal(recorded)
    expect(series.size).to.equal(1)
  })

  it('are due at the first repetition, then every half an hour', async () => {
    const { time, series } = theSeries()
    const recorded = series.add(input, event, AT)
    const isDue = () => series.isDue(recorded)
    expect(isDue()).to.equal(false)
    recorded.sentCount = 1
    expect(isDue()).to.equal(false)
    series.repeat(input, AT)
    expect(isDue()).to.equal(true)
    recorded.sentCount = 2
    await time.pass(30 * MINUTE_MS)
    expect(isDue()).to.equal(false)
    recorded.count = 3
    expect(isDue()).to.equal(true)
  })

  it('are forgotten when they are over, and those whose count was not sent are returned', async () => {
    const { time, series } = theSeries()
    const [sent, unsent] = ['a', 'b'].map((name) => series.add(about(name), event, AT))
    if (!sent || !unsent) throw new Error('two were added')
    Object.assign(sent, { sentCount: 1 })
    Object.assign(unsent, { sentCount: 2, count: 5 })
    await time.pass(1)
    const later = series.add(about('c'), event, AT)
    await time.pass(6 * MINUTE_MS)
    expect(series.sweep()).to.deep.equal([unsent])
    expect(series.size).to.equal(1)
    series.forget(sent)
    expect(series.size).to.equal(1)
    series.forget(later)
    expect(series.size).to.equal(0)
  })

  it('are found in their order also after repetitions', async () => {
    const { time, series } = theSeries()
    series.add(about('a'), event, AT)
    series.add(about('b'), event, AT)
    await time.pass(4 * MINUTE_MS)
    series.repeat(about('a'), AT)
    await time.pass(3 * MINUTE_MS)
    series.sweep()
    expect([series.repeat(about('b'), AT)?.count, series.repeat(about('a'), AT)?.count]).to.deep.equal([undefined, 3])
    series.clear()
    expect(series.size).to.equal(0)
  })
})
