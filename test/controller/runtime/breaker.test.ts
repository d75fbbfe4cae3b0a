import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { Breaker } from '../../../controller/runtime/breaker.ts'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const failure = () => new KubeError({ kind: 'unreachable', message: 'no route' })

/** A breaker whose probes answer as long as `state.answers` says. */
function aBreaker() {
  const time = new VirtualTime()
  const log = diaryLog()
  const queue = new KeyQueue({ timers: time, random: () => 0, observer: NO_OBSERVER })
  const state = { answers: false, probes: [] as number[], hangs: undefined as Promise<void> | undefined }
  const probe = async () => {
    state.probes.push(time.now())
    await state.hangs
    if (!state.answers) throw failure()
  }
  const breaker = new Breaker({ queue, probe, timers: time, log })
  const fail = async (...keys: readonly string[]) => {
    for (const key of keys) breaker.failed(key)
    await turn()
  }
  /** The keys that workers get now. */
  const handedOut = async (count: number) => {
    const keys: (string | undefined)[] = []
    for (let each = 0; each < count; each += 1) void queue.get().then((key) => keys.push(key))
    await turn()
    return keys
  }
  return { time, log, queue, state, breaker, fail, handedOut }
}

const FIVE = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5']

describe('the breaker', () => {
  it('probes after five failures in a row, whatever their keys, and not if one pass succeeds between them', async () => {
    const { state, breaker, fail } = aBreaker()
    await fail('a/1', 'a/1', 'a/1', 'a/1')
    const { answers } = breaker
    breaker.sent({ code: '404', isFromApiServer: true })
    breaker.succeeded(answers)
    await fail('a/1', 'a/2', 'a/3', 'a/4')
    expect(state.probes).to.deep.equal([])
    await fail('a/5')
    expect([state.probes.length, breaker.isOpen]).to.deep.equal([1, true])
  })

  it('probes although passes succeed between the failures, if the API server has answered nothing meanwhile', async () => {
    const { breaker, fail } = aBreaker()
    breaker.sent({ code: '200', isFromApiServer: true })
    for (const key of FIVE) {
      const { answers } = breaker
      await fail(key)
      breaker.sent({ code: '502', isFromApiServer: false })
      breaker.succeeded(answers) // of a quiet experiment, for which the caches are enough
    }
    expect(breaker.isOpen).to.equal(true)
    breaker.stop()
  })

  it('hands keys out as before if the probe succeeds, and probes again after 15 s at the earliest', async () => {
    const { time, state, breaker, fail, queue, handedOut } = aBreaker()
    state.answers = true
    await fail(...FIVE, ...FIVE)
    expect([state.probes.length, breaker.isOpen]).to.deep.equal([1, false])
    queue.add('a/9')
    expect(await handedOut(1)).to.deep.equal(['a/9'])
    await time.pass(14_999)
    await fail(...FIVE)
    expect(state.probes).to.have.length(1)
    await time.pass(1)
    await fail('a/1')
    expect(state.probes).to.have.length(2)
  })

  it('hands out no key while probes fail, which come after 1 s, 2 s, and so on up to 15 s', async () => {
    const { time, state, queue, fail, handedOut, log } = aBreaker()
    await fail(...FIVE)
    queue.add('b/1')
    expect(await handedOut(1)).to.deep.equal([])
    await time.pass(60_000)
    expect(state.probes).to.deep.equal([0, 1_000, 3_000, 7_000, 15_000, 30_000, 45_000, 60_000])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['warn paused: the API server fails'])
  })

  it('resumes when a probe succeeds, first with the keys that failed', async () => {
    const { time, state, breaker, queue, fail, handedOut, log } = aBreaker()
    queue.add('b/1')
    await fail(...FIVE)
    for (const key of FIVE) queue.retry(key, 50_000)
    await fail('a/6') // a pass that was under way
    state.answers = true
    await time.pass(1_000)
    expect(breaker.isOpen).to.equal(false)
    expect(await handedOut(7)).to.deep.equal([...FIVE, 'a/6', 'b/1'])
    expect(log.lines.map(({ text }) => text)).to.include('info resumed: the API server answers')
    for (const key of [...FIVE, 'a/6', 'b/1']) queue.done(key)
    await time.pass(60_000)
    expect(queue.depth).to.equal(0) // their backoff is over
  })

  it('resumes at any answer, also a refusal, but not at a failure', async () => {
    const { time, state, breaker, fail } = aBreaker()
    await fail(...FIVE)
    for (const code of ['error', '500', '503', '401', '408', '429']) breaker.sent({ code, isFromApiServer: true })
    for (const code of ['200', '404']) breaker.sent({ code, isFromApiServer: false }) // of a proxy in front of it
    expect(breaker.isOpen).to.equal(true)
    breaker.sent({ code: '404', isFromApiServer: true })
    expect(breaker.isOpen).to.equal(false)
    await time.pass(60_000)
    expect([state.probes.length, time.pending]).to.deep.equal([1, 0])
  })

  it('does not pause again when a probe fails after another request was answered', async () => {
    const { time, state, breaker, fail, log } = aBreaker()
    await fail(...FIVE)
    const probe = Promise.withResolvers<void>()
    state.hangs = probe.promise
    await time.pass(1_000)
    breaker.sent({ code: '200', isFromApiServer: true })
    await time.pass(9_000)
    probe.resolve()
    await turn()
    expect(breaker.isOpen).to.equal(false)
    expect(log.lines.map(({ text }) => text)).to.deep.equal([
      'warn paused: the API server fails',
      'info resumed: the API server answers',
    ])
    expect([state.probes.length, time.pending]).to.deep.equal([2, 0])
  })

  it('does not pause when other requests are answered during its first probe', async () => {
    const { time, state, breaker, fail } = aBreaker()
    const probe = Promise.withResolvers<void>()
    state.hangs = probe.promise
    await fail(...FIVE)
    breaker.sent({ code: '500', isFromApiServer: true })
    breaker.sent({ code: '201', isFromApiServer: true })
    probe.resolve()
    await turn()
    expect(breaker.isOpen).to.equal(false)
    await time.pass(15_000)
    await fail(...FIVE)
    expect([state.probes.length, breaker.isOpen]).to.deep.equal([2, true])
  })

  const noAnswers = {
    'only failures follow during its probe, and passes that made no request': [
      { code: 'error', isFromApiServer: false },
    ],
    'the probe itself gets an answer that is none, such as 401 for a token that was revoked': [
      { code: '401', isFromApiServer: true },
      { code: '200', isFromApiServer: false },
    ],
  }
  for (const [sentence, sent] of Object.entries(noAnswers))
    it(`pauses when ${sentence}`, async () => {
      const { state, breaker, fail } = aBreaker()
      const probe = Promise.withResolvers<void>()
      state.hangs = probe.promise
      await fail(...FIVE)
      for (const each of sent) breaker.sent(each)
      breaker.succeeded(0)
      probe.resolve()
      await turn()
      expect(breaker.isOpen).to.equal(true)
      breaker.stop()
    })

  it('sends no probe after it was stopped, and leaves no timer', async () => {
    const { time, state, breaker, fail } = aBreaker()
    await fail(...FIVE)
    breaker.stop()
    await time.pass(60_000)
    expect([state.probes.length, time.pending]).to.deep.equal([1, 0])
  })

  it('leaves no timer if it is stopped during a probe', async () => {
    const { time, state, breaker, fail } = aBreaker()
    const probe = Promise.withResolvers<void>()
    state.hangs = probe.promise
    await fail(...FIVE)
    breaker.stop()
    probe.resolve()
    await turn()
    expect([time.pending, breaker.isOpen]).to.deep.equal([0, false])
    await time.pass(60_000)
    expect(state.probes).to.have.length(1)
  })

  it('leaves none either if it is stopped during a later probe', async () => {
    const { time, state, breaker, fail } = aBreaker()
    await fail(...FIVE)
    const probe = Promise.withResolvers<void>()
    state.hangs = probe.promise
    await time.pass(1_000)
    breaker.stop()
    probe.resolve()
    await turn()
    expect([time.pending, state.probes.length]).to.deep.equal([0, 2])
  })
})
