import { expect } from 'chai'
import { DeadlineExceeded, startDeadline, unlessAborted } from '../../../common/program/deadline.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('startDeadline', () => {
  it('aborts with DeadlineExceeded after the limit, and not before', async () => {
    const time = new VirtualTime()
    const { signal } = startDeadline(time, 1_000)
    await time.pass(999)
    expect(signal.aborted).to.equal(false)
    await time.pass(1)
    expect(signal.reason).to.be.instanceOf(DeadlineExceeded).and.to.include({ message: 'timed out after 1000 ms' })
  })

  it('counts the limit again after a restart', async () => {
    const time = new VirtualTime()
    const deadline = startDeadline(time, 1_000)
    await time.pass(900)
    deadline.restart()
    await time.pass(999)
    expect(deadline.signal.aborted).to.equal(false)
    await time.pass(1)
    expect(deadline.signal.aborted).to.equal(true)
  })

  it('aborts with the reason of its parent, also if the parent has aborted before', () => {
    const time = new VirtualTime()
    const parent = new AbortController()
    const deadline = startDeadline(time, 1_000, parent.signal)
    const reason = new Error('enough')
    parent.abort(reason)
    expect(deadline.signal.reason).to.equal(reason)
    expect(startDeadline(time, 1_000, parent.signal).signal.reason).to.equal(reason)
  })

  it('aborts with the reason given to `abort`', () => {
    const deadline = startDeadline(new VirtualTime(), 1_000)
    const reason = new Error('the stream cannot be trusted')
    deadline.abort(reason)
    expect(deadline.signal.reason).to.equal(reason)
  })

  it('has no limit once it is lifted, but still follows its parent', async () => {
    const time = new VirtualTime()
    const parent = new AbortController()
    const deadline = startDeadline(time, 1_000, parent.signal)
    deadline.lift()
    expect(time.pending).to.equal(0)
    await time.pass(10_000)
    expect(deadline.signal.aborted).to.equal(false)
    parent.abort()
    expect(deadline.signal.aborted).to.equal(true)
  })

  it('follows neither limit nor parent once it has ended', async () => {
    const time = new VirtualTime()
    const parent = new AbortController()
    const deadline = startDeadline(time, 1_000, parent.signal)
    deadline.end()
    parent.abort()
    await time.pass(10_000)
    expect([deadline.signal.aborted, time.pending]).to.deep.equal([false, 0])
  })
})

describe('unlessAborted', () => {
  const messageOf = (promise: Promise<unknown>) => promise.catch((error: Error) => error.message)

  it('returns what the promise returns, with or without a signal', async () => {
    expect(await unlessAborted(Promise.resolve(1), undefined)).to.equal(1)
    expect(await unlessAborted(Promise.resolve(2), new AbortController().signal)).to.equal(2)
  })

  it('throws what the promise throws', async () => {
    const failed = unlessAborted(Promise.reject(new Error('broken')), new AbortController().signal)
    expect(await messageOf(failed)).to.equal('broken')
  })

  it('has a handler for a promise that fails after the signal aborted', async () => {
    const caller = new AbortController()
    caller.abort(new Error('enough'))
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.prependListener('unhandledRejection', note)
    const late = Promise.withResolvers<never>()
    expect(await messageOf(unlessAborted(late.promise, caller.signal))).to.equal('enough')
    late.reject(new Error('too late'))
    await new Promise(setImmediate)
    process.removeListener('unhandledRejection', note)
    expect(unhandled).to.deep.equal([])
  })

  it('throws the reason of a signal that aborts before the promise ends', async () => {
    const caller = new AbortController()
    const outcome = messageOf(unlessAborted(new Promise(() => {}), caller.signal))
    caller.abort(new Error('enough'))
    expect(await outcome).to.equal('enough')
  })

  it('throws the reason of a signal that has aborted before', async () => {
    const aborted = AbortSignal.abort(new Error('enough'))
    expect(await messageOf(unlessAborted(Promise.resolve(1), aborted))).to.equal('enough')
  })
})
