import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { Sweeper } from '../../../controller/orphans/sweeper.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const REFUSED = new KubeError({ kind: 'forbidden', attempted: 'delete', message: 'no' })

/** A sweeper that looks at `a` and `b`. `failing` may change. */
function world(failing: ReadonlySet<string> = new Set()) {
  const [time, log, looks]: [VirtualTime, ReturnType<typeof diaryLog>, string[]] = [new VirtualTime(), diaryLog(), []]
  const now = { failing }
  const sweep = async () => {
    for (const uid of ['a', 'b'])
      await sweeper.look({ name: uid, uid }, { fork: uid }, async () => {
        looks.push(`${uid} ${time.now() / 1_000}`)
        if (now.failing.has(uid)) throw REFUSED
      })
  }
  const sweeper: Sweeper = new Sweeper({ sweep, what: 'a fork', timers: time, log })
  return { time, log, looks, now, sweeper }
}

describe('Sweeper', () => {
  it('looks at everything at once and every 30 s, until it is stopped', async () => {
    const { time, looks, sweeper } = world()
    sweeper.start()
    await time.pass(60_000)
    expect(looks).to.deep.equal(['a 0', 'b 0', 'a 30', 'b 30', 'a 60', 'b 60'])
    await sweeper.stop()
    expect(time.pending).to.equal(0)
  })

  it('waits for a running sweep when it is stopped, and starts no other one', async () => {
    const [time, ending] = [new VirtualTime(), Promise.withResolvers<void>()]
    let sweeps = 0
    const sweep = () => {
      sweeps += 1
      return ending.promise
    }
    const sweeper = new Sweeper({ sweep, what: 'a fork', timers: time, log: diaryLog() })
    sweeper.start()
    let hasStopped = false
    const stopping = sweeper.stop().then(() => {
      hasStopped = true
    })
    await turn()
    expect([sweeper.isStopped, hasStopped]).to.deep.equal([true, false])
    ending.resolve()
    await stopping
    await time.pass(60_000)
    expect(sweeps).to.equal(1)
  })

  it('aborts the requests of a running sweep 20 s after the stop, so that the Lease is released in time', async () => {
    const time = new VirtualTime()
    const sweep = () => new Promise<void>((resolve) => sweeper.signal.addEventListener('abort', () => resolve()))
    const sweeper: Sweeper = new Sweeper({ sweep, what: 'a fork', timers: time, log: diaryLog() })
    sweeper.start()
    let stoppedAtMs: number | undefined
    const stopping = sweeper.stop().then(() => {
      stoppedAtMs = time.now()
    })
    await time.pass(19_999)
    expect(stoppedAtMs).to.equal(undefined)
    await time.pass(1)
    await stopping
    expect([stoppedAtMs, time.pending]).to.deep.equal([20_000, 0])
  })

  it('O6: looks again at what failed after 30 s and then every minute, and at all else every 30 s', async () => {
    const { time, looks, log, now, sweeper } = world(new Set(['a']))
    sweeper.start()
    await time.pass(120_000)
    expect(looks.filter((look) => look.startsWith('a'))).to.deep.equal(['a 0', 'a 30', 'a 90'])
    expect(looks.filter((look) => look.startsWith('b'))).to.have.length(5)
    expect(log.lines.map(({ text, facts }) => [text, facts.fork, facts.failures])).to.deep.equal([
      ['warn a fork is looked at again', 'a', 1],
      ['warn a fork is looked at again', 'a', 2],
    ])
    now.failing = new Set()
    await time.pass(60_000)
    expect(looks.slice(-4)).to.deep.equal(['a 150', 'b 150', 'a 180', 'b 180'])
    expect(sweeper.failing).to.equal(0)
    await sweeper.stop()
  })

  it('looks at what is due although the timer of the sweep has run a little early', async () => {
    const { sweeper, time } = world()
    let looks = 0
    const look = () =>
      sweeper.look({ name: 'a', uid: 'a' }, {}, async () => {
        looks += 1
        throw REFUSED
      })
    await look()
    await time.pass(28_999)
    await look()
    expect(looks).to.equal(1)
    await time.pass(1)
    await look()
    expect(looks).to.equal(2)
  })

  it('forgets what is gone, and what needs no look any more', async () => {
    const { sweeper } = world(new Set(['a', 'b']))
    sweeper.start()
    await turn()
    expect(sweeper.failing).to.equal(2)
    sweeper.begin(new Set(['a']))
    expect(sweeper.failing).to.equal(1)
    sweeper.succeeded('a')
    expect(sweeper.failing).to.equal(0)
    await sweeper.stop()
  })

  for (const kind of ['timeout', 'server', 'unreachable', 'forbidden'] as const) {
    const isSlow = kind === 'timeout' || kind === 'server'
    it(`${isSlow ? 'leaves' : 'does not leave'} the rest of a namespace to the next sweep after ${kind}`, async () => {
      const { sweeper } = world()
      const looks: string[] = []
      const look = (uid: string, namespace = 'shop') =>
        sweeper.look({ name: uid, namespace, uid }, {}, async () => {
          looks.push(uid)
          if (uid === 'a') throw new KubeError({ kind, message: 'no' })
        })
      await look('a')
      await look('b')
      await look('c', 'stock')
      expect(looks).to.deep.equal(isSlow ? ['a', 'c'] : ['a', 'b', 'c'])
      sweeper.begin(new Set(['a', 'b', 'c']))
      await look('b')
      expect(looks.at(-1)).to.equal('b')
    })
  }

  it('begins with what has failed least, so that nothing is left out for ever', async () => {
    const { sweeper, time, now } = world(new Set(['a']))
    sweeper.start()
    await turn()
    expect(sweeper.inOrder(['a', 'b', 'c'], (each) => each)).to.deep.equal(['b', 'c', 'a'])
    now.failing = new Set()
    await time.pass(30_000)
    expect(sweeper.inOrder(['a', 'b', 'c'], (each) => each)).to.deep.equal(['a', 'b', 'c'])
    await sweeper.stop()
  })

  it('throws what is no KubeError, because it is a bug', async () => {
    const { sweeper } = world()
    const bug = new TypeError('a bug')
    const found = await sweeper
      .look({ name: 'a', uid: 'a' }, {}, () => Promise.reject(bug))
      .catch((error: unknown) => error)
    expect(found).to.equal(bug)
  })
})
