import { expect } from 'chai'
import fc from 'fast-check'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError, type KubeErrorKind } from '../../../common/kube/errors.ts'
import type { KubeRequest } from '../../../common/kube/request.ts'
import { cut, type Happening } from '../../../controller/runtime/event.ts'
import { Recorder } from '../../../controller/runtime/recorder.ts'
import '../../property.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const experiment: KubeObject = {
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentDeployment',
  metadata: { namespace: 'shop', name: 'faster-cart', uid: 'u1', resourceVersion: '7' },
}

const happening: Happening = {
  type: 'Normal',
  reason: 'Available',
  action: 'Apply',
  note: 'ready',
  regarding: experiment,
}

/** A recorder whose API server fails with `failures` in turn, then takes everything. */
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
    reporter: { controller: 'experimentcontroller.example.com/controller', instance: 'pod-1' },
    clock: () => new Date('2026-08-01T12:00:00.123Z'),
    timers: time,
    random: () => 0.5,
    log,
  })
  return { time, log, sent, recorder }
}

describe('a recorder', () => {
  it('creates an Event as the API server wants it', async () => {
    const { sent, recorder } = recording()
    recorder.record({
      ...happening,
      related: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'fork' } },
    })
    await turn()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.deep.include({ verb: 'create', path: '/apis/events.k8s.io/v1/namespaces/shop/events' })
    expect(JSON.parse(JSON.stringify(sent[0]?.body))).to.deep.equal({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'faster-cart.800000000000', namespace: 'shop' },
      eventTime: '2026-08-01T12:00:00.123000Z',
      type: 'Normal',
      reason: 'Available',
      action: 'Apply',
      note: 'ready',
      reportingController: 'experimentcontroller.example.com/controller',
      reportingInstance: 'pod-1',
      regarding: {
        apiVersion: 'experimentcontroller.example.com/v1alpha1',
        kind: 'ExperimentDeployment',
        namespace: 'shop',
        name: 'faster-cart',
        uid: 'u1',
        resourceVersion: '7',
      },
      related: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'fork' },
    })
  })

  it('cuts what is too long', async () => {
    const { sent, recorder } = recording()
    recorder.record({ ...happening, note: 'ü'.repeat(1_000), reason: 'R'.repeat(200), action: 'A'.repeat(200) })
    await turn()
    const body = sent[0]?.body as { note: string; reason: string; action: string }
    expect([body.note.length, body.reason.length, body.action.length]).to.deep.equal([512, 128, 128])
  })

  it('tries twelve times, ten seconds apart, then gives up and counts', async () => {
    const { time, sent, recorder, log } = recording(Array(12).fill('unreachable'))
    recorder.record(happening)
    await time.pass(0)
    for (let tries = 1; tries < 12; tries++) {
      expect(sent).to.have.length(tries)
      await time.pass(9_999)
      expect(sent).to.have.length(tries)
      await time.pass(1)
    }
    expect([sent.length, recorder.dropped, recorder.depth, time.pending]).to.deep.equal([12, 1, 0, 0])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['warn an Event was lost'])
  })

  it('keeps the name of an Event over its tries, so that one that arrived unseen is not told twice', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'alreadyExists'])
    recorder.record(happening)
    await time.pass(60_000)
    expect(sent).to.have.length(2)
    expect(sent[1]?.body).to.deep.equal(sent[0]?.body)
    expect(recorder.dropped).to.equal(0)
  })

  it('lets no Event wait behind one that fails', async () => {
    const { sent, recorder } = recording(['server'])
    recorder.record(happening)
    recorder.record({ ...happening, note: 'second' })
    await turn()
    expect(sent.map(({ body }) => (body as { note: string }).note)).to.deep.equal(['ready', 'second'])
  })

  for (const [kind, dropped] of [
    ['invalid', 1],
    ['forbidden', 1],
    ['terminating', 0],
  ] as const)
    it(`does not repeat what is answered with ${kind}`, async () => {
      const { time, sent, recorder } = recording([kind])
      recorder.record(happening)
      await time.pass(60_000)
      expect([sent.length, recorder.dropped]).to.deep.equal([1, dropped])
    })

  it('keeps a thousand Events, and counts what it drops', async () => {
    const { sent, recorder, log } = recording(['never'])
    for (let i = 0; i < 1_010; i++) recorder.record(happening)
    await turn()
    expect([sent.length, recorder.depth, recorder.dropped]).to.deep.equal([1, 1_000, 9])
    expect(log.lines).to.have.length(4) // the 1st, 2nd, 4th and 8th
    await recorder.stop()
  })

  it('sends an Event that is recorded the moment the last one has gone', async () => {
    for (let moment = 0; moment < 20; moment++) {
      const { sent, recorder } = recording()
      recorder.record(happening)
      for (let microtasks = 0; microtasks < moment; microtasks++) await undefined
      recorder.record(happening)
      await turn()
      expect(sent, `after ${moment} microtasks`).to.have.length(2)
    }
  })

  it('flushes: tries at once what waits, once, and resolves', async () => {
    const { time, sent, recorder } = recording(['unreachable', 'unreachable', 'unreachable'])
    recorder.record(happening)
    recorder.record(happening)
    await turn()
    expect([sent.length, recorder.depth]).to.deep.equal([2, 2])
    await recorder.flush(2_000)
    expect([sent.length, recorder.depth, recorder.dropped, time.pending]).to.deep.equal([4, 0, 1, 0])
    await recorder.stop()
  })

  it('does not flush for longer than it may', async () => {
    const { time, recorder } = recording(['never'])
    recorder.record(happening)
    let isOver = false
    void recorder.flush(2_000).then(() => {
      isOver = true
    })
    await time.pass(1_999)
    expect(isOver).to.equal(false)
    await time.pass(1)
    expect(isOver).to.equal(true)
    await recorder.stop()
    recorder.record(happening)
    expect([recorder.depth, recorder.dropped, time.pending]).to.deep.equal([0, 0, 0])
  })
})

describe('cut', () => {
  it('leaves whole characters in at most so many bytes, and no fewer than it must', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, maxBytes) => {
        const short = cut(text, maxBytes)
        expect(Buffer.byteLength(short)).to.be.at.most(maxBytes)
        expect(text.startsWith(short)).to.equal(true)
        if (short !== text) expect(Buffer.byteLength(short)).to.be.at.least(maxBytes - 3)
      }),
    )
  })
})
