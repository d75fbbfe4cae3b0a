import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import type { EventInput } from '../../../controller/runtime/event.ts'
import { Recorder } from '../../../controller/runtime/recorder.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const experiment: KubeObject = {
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentDeployment',
  metadata: { namespace: 'shop', name: 'faster-cart', uid: 'u1', resourceVersion: '7' },
}

const input: EventInput = {
  type: 'Normal',
  reason: 'Available',
  action: 'Apply',
  note: 'ready',
  regarding: experiment,
}

/** A recorder whose API server answers with `failures` one after the other, then accepts everything. */
function recording(failures: readonly (KubeErrorKind | 'never')[] = []) {
  const time = new VirtualTime()
  const log = diaryLog()
  const sent: KubeRequest[] = []
  const recorder = new Recorder({
    client: {
      request: (request) => {
        const kind = failures[sent.push(request) - 1]
        if (kind === undefined) return Promise.resolve({})
        if (kind !== 'never') return Promise.reject(new KubeError({ kind, message: kind }))
        return new Promise((_, reject) => {
          request.signal?.addEventListener('abort', () => reject(new KubeError({ kind: 'unreachable', message: '' })))
        })
      },
    },
    instance: 'pod-1',
    clock: () => new Date('2026-08-01T12:00:00.123Z'),
    timers: time,
    random: () => 0.5,
    log,
  })
  return { time, log, sent, recorder }
}

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
    expect([sent.length, recorder.droppedCount, recorder.pendingCount, time.pending]).to.deep.equal([12, 1, 0, 0])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['warn an Event was dropped'])
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
    const { sent, recorder, log } = recording(['never'])
    for (let i = 0; i < 1_010; i++) recorder.record(input)
    await turn()
    expect([sent.length, recorder.pendingCount, recorder.droppedCount]).to.deep.equal([1, 1_000, 9])
    expect(log.lines).to.have.length(4) // the 1st, 2nd, 4th and 8th
    await recorder.stop()
  })

  it('sends an Event that is recorded just when the last request ends', async () => {
    for (let moment = 0; moment < 20; moment++) {
      const { sent, recorder } = recording()
      recorder.record(input)
      for (let microtasks = 0; microtasks < moment; microtasks++) await undefined
      recorder.record(input)
      await turn()
      expect(sent, `after ${moment} microtasks`).to.have.length(2)
    }
  })

  it('sends every waiting Event once more in a flush', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'unreachable', 'unreachable'])
    recorder.record(input)
    recorder.record(input)
    await turn()
    expect([sent.length, recorder.pendingCount]).to.deep.equal([2, 2])
    await recorder.flush(2_000)
    expect([sent.length, recorder.pendingCount, recorder.droppedCount, time.pending]).to.deep.equal([4, 0, 1, 0])
    await recorder.stop()
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
