import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { turn } from '../../virtual-time.ts'
import { about, input, recording } from './recording.ts'

const MINUTE_MS = 60_000

/** `create` or `patch 2`, with the count of the series. */
const told = ({ verb, body }: KubeRequest): string => {
  const { series } = body as { readonly series?: { readonly count: number } }
  return series ? `${verb} ${series.count}` : verb
}

describe('a recorder, of the same Event again', () => {
  it('makes a series of the first one', async () => {
    const { time, sent, recorder } = recording()
    recorder.record(input)
    await time.pass(MINUTE_MS)
    recorder.record(input)
    await turn()
    expect(sent).to.have.length(2)
    const name = at(sent[0]?.body, 'metadata', 'name')
    expect(sent[1]).to.deep.include({
      verb: 'patch',
      path: `/apis/events.k8s.io/v1/namespaces/shop/events/${name}`,
      contentType: 'application/merge-patch+json',
      body: { series: { count: 2, lastObservedTime: '2026-08-01T12:01:00.123000Z' } },
    })
  })

  it('sends the count at the first repetition, every half an hour, and when the series is over', async () => {
    const { time, sent, recorder } = recording()
    const seen: [minute: number, request: string][] = []
    for (let minute = 0; minute < 100; minute += 1) {
      if (minute % 5 === 0 && minute <= 70) recorder.record(input)
      await time.pass(MINUTE_MS)
      for (const request of sent.splice(0)) seen.push([minute, told(request)])
    }
    expect(seen).to.deep.equal([
      [0, 'create'],
      [5, 'patch 2'],
      [35, 'patch 8'],
      [65, 'patch 14'],
      [76, 'patch 15'],
    ])
    expect([recorder.droppedCount, recorder.rememberedCount, time.pending]).to.deep.equal([0, 0, 0])
  })

  it('creates a new one when six minutes have passed', async () => {
    const { time, sent, recorder } = recording()
    recorder.record(input)
    await time.pass(6 * MINUTE_MS + 1)
    recorder.record(input)
    await turn()
    expect(sent.map(told)).to.deep.equal(['create', 'create'])
  })

  it('counts those that come while the first one waits or is sent', async () => {
    const { time, sent, recorder } = recording(['unreachable'])
    recorder.record(input)
    recorder.record(input) // the request is running
    await time.pass(1_000)
    recorder.record(input) // the next try is later
    await time.pass(9_000)
    expect(sent.map(told)).to.deep.equal(['create', 'create 3'])
    await time.pass(20 * MINUTE_MS)
    expect(sent).to.have.length(2)
  })

  it('patches after a repetition that came during the request', async () => {
    const { sent, recorder } = recording()
    recorder.record(input)
    recorder.record(input)
    recorder.record(input)
    await turn()
    expect(sent.map(told)).to.deep.equal(['create', 'patch 3'])
  })

  it('patches if an earlier try did arrive', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'alreadyExists'])
    recorder.record(input)
    await turn()
    recorder.record(input)
    await time.pass(MINUTE_MS)
    expect(sent.map(told)).to.deep.equal(['create', 'create 2', 'patch 2'])
  })

  it('creates the Event again if it is gone', async () => {
    const failures = [undefined, 'notFound', 'unreachable', 'notFound'] as const
    const { time, sent, recorder } = recording(failures)
    recorder.record(input)
    await turn()
    recorder.record(input)
    await time.pass(MINUTE_MS)
    expect(sent.map(told)).to.deep.equal(['create', 'patch 2', 'create 2', 'patch 2', 'create 2'])
    expect([recorder.droppedCount, recorder.pendingCount]).to.deep.equal([0, 0])
  })

  it('creates a new one if the first one was refused', async () => {
    const { sent, recorder } = recording(['forbidden'])
    recorder.record(input)
    await turn()
    recorder.record(input)
    await turn()
    expect(sent.map(told)).to.deep.equal(['create', 'create'])
  })

  it('tries a patch twelve times at most', async () => {
    const { time, sent, recorder } = recording([undefined, ...Array(12).fill('server')])
    recorder.record(input)
    await turn()
    recorder.record(input)
    await time.pass(3 * MINUTE_MS)
    expect(sent.map(told)).to.deep.equal(['create', ...Array(12).fill('patch 2')])
    expect([recorder.droppedCount, recorder.pendingCount]).to.deep.equal([1, 0])
  })

  it('does not queue a count beyond a thousand waiting Events', async () => {
    const { time, sent, recorder } = recording([undefined, 'never', 'never'])
    recorder.record(input)
    await time.pass(0)
    for (let count = 0; count < 1_002; count += 1) recorder.record(about(`e${count}`))
    await turn()
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([3, 1_000, 0])
    recorder.record(input)
    expect([recorder.pendingCount, recorder.droppedCount]).to.deep.equal([1_000, 1])
    await recorder.stop()
    expect([recorder.rememberedCount, time.pending]).to.deep.equal([0, 0])
  })
})

describe('a recorder, of many Events', () => {
  it('sends 25 about one object, then one in five minutes; the others are dropped and counted', async () => {
    const { time, sent, recorder, log } = recording()
    for (let count = 0; count < 30; count += 1) recorder.record({ ...input, note: `${count}` })
    recorder.record(about('other'))
    await turn()
    expect([sent.length, recorder.droppedCount]).to.deep.equal([26, 5])
    expect(log.lines[0]?.facts).to.deep.equal({ why: 'too many about one object', dropped: 1 })
    await time.pass(5 * MINUTE_MS)
    for (let count = 30; count < 40; count += 1) recorder.record({ ...input, note: `${count}` })
    await turn()
    expect([sent.length, recorder.droppedCount]).to.deep.equal([27, 14])
    for (const [waitMs, passed] of [
      [50 * MINUTE_MS, 10],
      [1_000 * MINUTE_MS, 25],
    ] as const) {
      await time.pass(waitMs)
      sent.length = 0
      for (let count = 0; count < 30; count += 1) recorder.record({ ...input, note: `${waitMs} ${count}` })
      await turn()
      expect(sent, `after ${waitMs}`).to.have.length(passed)
    }
  })

  it('does not count repetitions as Events about the object', async () => {
    const { sent, recorder } = recording()
    for (let count = 0; count < 100; count += 1) recorder.record(input)
    await turn()
    recorder.record({ ...input, note: 'other' })
    await turn()
    expect(sent.map(told)).to.deep.equal(['create', 'patch 100', 'create'])
    expect(recorder.droppedCount).to.equal(0)
  })

  it('remembers nothing of a thousand objects that came and went', async () => {
    const { time, sent, recorder } = recording(Array(50).fill('unreachable'))
    for (let count = 0; count < 1_000; count += 1) {
      for (const note of ['created', 'ready', 'ready', 'gone']) recorder.record({ ...about(`e${count}`), note })
      await time.pass(1_000)
    }
    expect(recorder.rememberedCount).to.be.above(1_000)
    await time.pass(25 * MINUTE_MS)
    expect([recorder.rememberedCount, recorder.pendingCount, recorder.droppedCount, time.pending]).to.deep.equal([
      0, 0, 0, 0,
    ])
    expect(sent.filter(({ verb }) => verb === 'create').length).to.be.at.least(3_000)
  })
})
