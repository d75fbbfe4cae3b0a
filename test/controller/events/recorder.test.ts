import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { turn } from '../../virtual-time.ts'
import { about, input, recording } from './recording.ts'

describe('a recorder', () => {
  it('creates an Event in the namespace of its object', async () => {
    const { sent, recorder } = recording()
    recorder.record(input)
    await turn()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.deep.include({ verb: 'create', path: '/apis/events.k8s.io/v1/namespaces/shop/events' })
    expect(sent[0]?.body).to.deep.include({
      eventTime: '2026-08-01T12:00:00.123000Z',
      reason: 'Available',
      reportingInstance: 'pod-1',
    })
  })

  it('U1: gives Events of one millisecond names in the order in which they were recorded', async () => {
    const randoms = [0.9, 0.2, 0.99, 0, 0.5]
    const { sent, recorder } = recording([], { random: () => randoms.shift() ?? 0 })
    for (let count = 0; count < 6; count += 1) recorder.record({ ...input, note: `${count}` })
    await turn()
    const names = sent.map(({ body }) => (body as unknown as KubeObject).metadata.name)
    expect(names).to.deep.equal(names.toSorted())
    expect(new Set(names).size).to.equal(6)
    // the time in nanoseconds, as in the names of client-go
    const times = names.map((name) => BigInt(`0x${name.replace('faster-cart.', '')}`) / 1_000_000n)
    expect(new Set(times)).to.deep.equal(new Set([BigInt(Date.parse('2026-08-01T12:00:00.123Z'))]))
  })

  it('sends an Event twelve times at most, ten seconds apart, then drops and counts it', async () => {
    const { time, sent, recorder, log } = recording(Array(12).fill('unreachable'))
    recorder.record(input)
    await time.pass(0)
    for (let tries = 1; tries < 12; tries++) {
      expect(sent).to.have.length(tries)
      await time.pass(9_999)
      expect(sent).to.have.length(tries)
      await time.pass(1)
    }
    expect([sent.length, recorder.droppedCount, recorder.pendingCount]).to.deep.equal([12, 1, 0])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['warn an Event was dropped'])
  })

  it('O6: sends nothing while the API server fails, and afterwards everything, without having used up a try', async () => {
    const { time, sent, recorder } = recording(['server'])
    recorder.record(input)
    await turn()
    recorder.pause()
    recorder.record({ ...input, note: 'second' })
    await time.pass(600_000)
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([1, 2, 0])
    recorder.resume()
    await turn()
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([3, 0, 0])
  })

  it('O6: sends Events again after a failure of the API server in which there was none', async () => {
    const { sent, recorder } = recording()
    recorder.pause()
    recorder.resume()
    recorder.record(input)
    await turn()
    expect(sent).to.have.length(1)
  })

  it('O6: sends a last time when it stops, whether the API server fails or not', async () => {
    const { sent, recorder } = recording()
    recorder.pause()
    recorder.record(input)
    await recorder.flush(1_000)
    expect(sent).to.have.length(1)
  })

  it('keeps the name of an Event in every try, so that a lost answer makes no second Event', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'alreadyExists'])
    recorder.record(input)
    await time.pass(60_000)
    expect(sent).to.have.length(2)
    expect(sent[1]?.body).to.deep.equal(sent[0]?.body)
    expect(recorder.droppedCount).to.equal(0)
  })

  it('sends the next Event while a failed one waits', async () => {
    const { sent, recorder } = recording(['server'])
    recorder.record(input)
    recorder.record({ ...input, note: 'second' })
    await turn()
    expect(sent.map(({ body }) => (body as { note: string }).note)).to.deep.equal(['ready', 'second'])
  })

  it('sends the Events about others while one is slow, and those about its object after it, in their order', async () => {
    const { time, sent, recorder } = recording(['never'])
    const notes = () => sent.map(({ path, body }) => `${path.split('/')[5]} ${(body as { note: string }).note}`)
    for (const note of ['slow', 'second', 'third']) recorder.record({ ...input, note })
    recorder.record({ ...about('other'), note: 'other' })
    recorder.record({ ...about('till', 'stall'), note: 'stall' })
    await turn()
    expect(notes()).to.deep.equal(['shop slow', 'shop other', 'stall stall'])
    await time.pass(29_999)
    expect(sent).to.have.length(3)
    await time.pass(1)
    expect(notes().slice(3)).to.deep.equal(['shop second', 'shop third'])
    await time.pass(10_000)
    expect(notes().slice(5)).to.deep.equal(['shop slow'])
    await recorder.stop()
  })

  it('waits for webhooks that do not answer: the API server accepts an Event without them after 10 s each', async () => {
    const { time, sent, recorder } = recording(['late'])
    recorder.record(input)
    await time.pass(60_000)
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([1, 0, 0])
    await recorder.stop()
  })

  it('sends the Events of a namespace although all those of another one are slow', async () => {
    const { sent, recorder } = recording(['never', 'never'])
    for (let i = 0; i < 10; i++) recorder.record(about(`e${i}`))
    recorder.record(about('till', 'stall'))
    await turn()
    expect(sent.map(({ path }) => path.split('/')[5])).to.deep.equal(['shop', 'shop', 'stall'])
    await recorder.stop()
  })

  for (const [kind, dropped] of [
    ['invalid', 1],
    ['forbidden', 1],
    ['terminating', 0],
  ] as const)
    it(`does not send an Event again after ${kind}`, async () => {
      const { time, sent, recorder } = recording([kind])
      recorder.record(input)
      await time.pass(60_000)
      expect([sent.length, recorder.droppedCount]).to.deep.equal([1, dropped])
    })

  it('keeps a thousand Events, and counts those that it drops', async () => {
    const { sent, recorder, log } = recording(['never', 'never'])
    for (let i = 0; i < 1_010; i++) recorder.record(about(`e${i}`))
    await turn()
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([2, 1_000, 8])
    expect(log.lines).to.have.length(4) // the 1st, 2nd, 4th and 8th
    await recorder.stop()
  })

  it('sends an Event that is recorded just when the last request ends', async () => {
    for (let moment = 0; moment < 20; moment++) {
      const { sent, recorder } = recording()
      recorder.record(input)
      for (let microtasks = 0; microtasks < moment; microtasks++) await undefined
      recorder.record({ ...input, note: 'second' })
      await turn()
      expect(sent, `after ${moment} microtasks`).to.have.length(2)
    }
  })

  it('sends every waiting Event once more in a flush', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'unreachable', 'unreachable'])
    recorder.record(input)
    recorder.record({ ...input, note: 'second' })
    await turn()
    expect([sent.length, recorder.pendingCount]).to.deep.equal([2, 2])
    await recorder.flush(2_000)
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([4, 0, 1])
    await recorder.stop()
    expect(time.pending).to.equal(0)
  })

  it('ends a flush at its deadline', async () => {
    const { time, recorder } = recording(['never'])
    recorder.record(input)
    let isOver = false
    void recorder.flush(2_000).then(() => {
      isOver = true
    })
    await time.pass(1_999)
    expect(isOver).to.equal(false)
    await time.pass(1)
    expect(isOver).to.equal(true)
    await recorder.stop()
    recorder.record(input)
    expect([recorder.pendingCount, recorder.droppedCount, time.pending]).to.deep.equal([0, 0, 0])
  })
})
