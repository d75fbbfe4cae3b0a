import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { Poller } from '../../../controller/analysis/poller.ts'
import { anExperiment } from '../../builders.ts'
import { turn } from '../../virtual-time.ts'
import { aRun } from './a-run.ts'
import { ANALYSIS, ARMS, at, EXPERIMENT, FAILED, PODS, polling, RUN, SILENT, START, secondsOf } from './polling.ts'

const UID_OF_RUN = 'uid-of-run-1'

describe('a poll', () => {
  it('waits with its answers until a pass has recorded it', async () => {
    const { pollAt, waiting, diary, poller } = polling({ answer: SILENT })
    expect(await pollAt(75)).to.deep.equal({ afterMs: 5_000 })
    expect(waiting()).to.deep.equal({
      run: UID_OF_RUN,
      atMs: START + 75_000,
      looks: 0,
      arms: PODS,
      windows: [{ metric: 'errors', window: { start: START, end: START + 60_000 }, skipped: 0, answer: SILENT }],
    })
    expect(diary).to.deep.equal([`wake ${EXPERIMENT}`])
    expect(poller.waiting).to.equal(1)
  })

  it('is offered again, and nobody is asked again, if its pass was lost', async () => {
    const { pollAt, waiting, diary, asked } = polling({ answer: SILENT })
    await pollAt(75)
    const poll = waiting()
    expect(await pollAt(80)).to.deep.equal({ afterMs: 5_000 })
    expect(waiting()).to.equal(poll)
    expect([asked.length, diary]).to.deep.equal([1, [`wake ${EXPERIMENT}`, `wake ${EXPERIMENT}`]])
  })

  it('ends when a pass has recorded it, and the run waits until its next look', async () => {
    const { pollAt, waiting, record } = polling({ answer: SILENT })
    await pollAt(75)
    record({ looks: 1, startedAt: at(0), nextLookAt: at(135) })
    expect(await pollAt(76)).to.deep.equal({ afterMs: 59_000 })
    expect(waiting()).to.equal(undefined)
  })

  it('is made although a wrong clock wrote that the next look is far away', async () => {
    const { pollAt, asked, record } = polling({ answer: SILENT })
    await pollAt(75)
    record({ looks: 1, startedAt: at(0), nextLookAt: at(1_000_000) })
    await pollAt(76)
    expect(asked.length).to.equal(2)
  })

  const FOR_HOURS = { ...ANALYSIS, intervalSeconds: 3_600 }
  const hourly = (seconds: number) =>
    polling({
      answer: SILENT,
      analysis: FOR_HOURS,
      run: aRun({ status: { startedAt: at(0), nextLookAt: at(seconds) } }),
    })

  it('is made at once if the interval has become shorter than the wait for the next look', async () => {
    const { pollAt, asked, cluster } = hourly(3_615)
    expect(await pollAt(700)).to.deep.equal({ afterMs: 2_915_000 })
    cluster.experiments.set(EXPERIMENT, anExperiment({ analysis: { ...ANALYSIS, intervalSeconds: 600 } }))
    await pollAt(700)
    expect(asked.map(({ query }) => secondsOf(query.window))).to.deep.equal([[0, 600]])
  })

  it('waits for no look after the end of the analysis, which may be earlier now', async () => {
    const { pollAt, waiting, cluster } = hourly(7_215)
    expect(await pollAt(3_650)).to.deep.equal({ afterMs: 3_565_000 })
    cluster.experiments.set(EXPERIMENT, anExperiment({ analysis: { ...FOR_HOURS, maxSeconds: 3_700 } }))
    expect(await pollAt(3_650)).to.deep.equal({ afterMs: 65_000 })
    await pollAt(3_715)
    expect(waiting()?.atMs).to.equal(START + 3_715_000)
  })

  it('waits for its next look after a Pass, also when the time is over', async () => {
    const { pollAt, record } = polling({ analysis: { ...ANALYSIS, maxSeconds: 60, continueAfterPass: true } })
    record({ verdict: 'Pass', startedAt: at(0), nextLookAt: at(135) })
    expect(await pollAt(100)).to.deep.equal({ afterMs: 35_000 })
  })

  it('is made again after a pass that counted nothing of it', async () => {
    const { pollAt, waiting, asked, record } = polling({ answer: SILENT })
    await pollAt(75)
    record({ looks: 1, startedAt: at(0), nextLookAt: at(76) })
    await pollAt(76)
    expect([asked.length, waiting()?.looks]).to.deep.equal([2, 1])
  })

  it('is lost with an error of the API server, which is thrown', async () => {
    const { pollAt, waiting, cluster, asked } = polling()
    cluster.pods = () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'no' }))
    expect(await pollAt(75).catch((error: unknown) => error)).to.be.instanceOf(KubeError)
    expect([waiting(), asked.length]).to.deep.equal([undefined, 0])
  })

  it('is made once the answers of all metrics are there', async () => {
    const [first, second] = [aRun().spec.metrics, aRun().spec.metrics.map((of) => ({ ...of, name: 'others' }))]
    const { pollAt, waiting, asked, diary } = polling({ run: aRun({ metrics: [...first, ...second] }) })
    const polled = pollAt(75)
    await turn()
    expect(asked).to.have.length(2)
    asked[0]?.answer(SILENT)
    await turn()
    expect([waiting(), diary]).to.deep.equal([undefined, []])
    asked[1]?.answer(SILENT)
    await polled
    expect(waiting()?.windows.map(({ metric }) => metric)).to.deep.equal(['errors', 'others'])
  })

  const endings: Record<string, (world: ReturnType<typeof polling>) => unknown> = {
    'the run has its verdict': ({ record }) => record({ verdict: 'Fail' }),
    'the experiment is gone': ({ cluster }) => cluster.experiments.delete(EXPERIMENT),
    'another experiment has its name': ({ cluster }) =>
      cluster.experiments.set(EXPERIMENT, anExperiment({ analysis: ANALYSIS, metadata: { uid: 'another' } })),
    'the experiment has no analysis any more': ({ cluster }) => cluster.experiments.set(EXPERIMENT, anExperiment()),
    'another question is asked': ({ poller }) => poller.follow(EXPERIMENT, { ...ARMS, run: 'run-2' }),
    'no pods are compared any more': ({ poller }) => poller.follow(EXPERIMENT, undefined),
    'the experiment was forgotten': ({ poller }) => poller.forget(EXPERIMENT),
  }
  for (const [sentence, end] of Object.entries(endings))
    it(`is dropped and not repeated when ${sentence}`, async () => {
      const world = polling({ answer: SILENT })
      await world.pollAt(75)
      end(world)
      expect(await world.pollAt(80)).to.equal('never')
      expect(world.waiting()).to.equal(undefined)
      expect(world.asked).to.have.length(1)
    })

  it('goes on after a Pass if the analysis does', async () => {
    const { pollAt, record, asked } = polling({
      answer: SILENT,
      analysis: { ...ANALYSIS, continueAfterPass: true },
    })
    record({ verdict: 'Pass', startedAt: at(0) })
    await pollAt(75)
    expect(asked).to.have.length(1)
  })

  it('is dropped with its run', async () => {
    const { pollAt, waiting, cluster, poller, diary } = polling({ answer: SILENT })
    await pollAt(75)
    cluster.runs.delete(RUN)
    poller.forgetRun(RUN, aRun())
    expect([waiting(), diary.at(-1)]).to.deep.equal([undefined, `forget ${RUN}`])
    expect(await pollAt(80)).to.equal('never')
  })
})

describe('following the pods of an experiment', () => {
  it('polls its runs, once for the same pods', () => {
    const { poller, diary } = polling()
    poller.follow(EXPERIMENT, { ...ARMS })
    expect(diary).to.deep.equal([])
    poller.follow(EXPERIMENT, { ...ARMS, providers: [] })
    poller.follow(EXPERIMENT, undefined)
    expect(diary).to.deep.equal([`poll ${RUN}`, `poll ${RUN}`])
  })

  it('asks nobody before', async () => {
    const { poller, pollAt, asked } = polling()
    poller.forget(EXPERIMENT)
    expect(await pollAt(75)).to.equal('never')
    expect(asked).to.deep.equal([])
  })
})

describe('the lag of the poller', () => {
  const lagOf = (...given: readonly Parameters<typeof aRun>[0][]) => {
    const { poller, cluster } = polling()
    for (const [index, of] of given.entries()) cluster.runs.set(`shop/run-${index + 1}`, aRun(of))
    cluster.nowMs = START + 100_000
    return poller.lagMs
  }

  it('is that of the most overdue look', () => {
    const due = (seconds: number) => ({ status: { startedAt: at(0), nextLookAt: at(seconds) } })
    expect(lagOf(due(90), due(70), due(300))).to.equal(30_000)
  })

  it('is none of a run that waits for pods, has not begun or has ended', () =>
    expect(lagOf({ status: { nextLookAt: at(0) } }, {}, { status: { startedAt: at(0) } })).to.equal(0))

  it('is none of a run whose pods are not followed', () =>
    expect(lagOf({ experiment: { name: 'other' }, status: { startedAt: at(0), nextLookAt: at(0) } })).to.equal(0))
})

/** How much the poller remembers. */
const entriesOf = (poller: Poller): number => poller.entryCount

describe('the poller remembers nothing', () => {
  it('of experiments and runs that are gone', async () => {
    const { cluster, poller, pollAt } = polling({ answer: FAILED })
    await pollAt(75)
    expect(entriesOf(poller)).to.equal(3)
    cluster.experiments.clear()
    cluster.runs.clear()
    poller.forget(EXPERIMENT)
    poller.forgetRun(RUN, aRun())
    expect(entriesOf(poller)).to.equal(0)
  })

  for (const answer of [FAILED, SILENT])
    it(`of a run that went while its provider was asked: ${answer.is}`, async () => {
      const { cluster, poller, pollAt, asked, diary } = polling()
      const polled = pollAt(75)
      await turn()
      cluster.experiments.clear()
      cluster.runs.clear()
      poller.forget(EXPERIMENT)
      poller.forgetRun(RUN, aRun())
      asked[0]?.answer(answer)
      expect(await polled).to.equal('never')
      expect([entriesOf(poller), diary]).to.deep.equal([0, [`forget ${RUN}`]])
    })

  it('of a run that was recreated while the provider was asked for the former one', async () => {
    const { cluster, poller, pollAt, asked } = polling()
    const polled = pollAt(75)
    await turn()
    cluster.runs.set(RUN, aRun({ uid: 'again' }))
    poller.forgetRun(RUN, aRun())
    asked[0]?.answer(FAILED)
    await polled
    expect([poller.poll('uid-of-run-1'), entriesOf(poller)]).to.deep.equal([undefined, 1])
  })

  it('of an experiment that went during its pass', () => {
    const { cluster, poller } = polling()
    cluster.experiments.clear()
    poller.forget(EXPERIMENT)
    poller.follow(EXPERIMENT, { ...ARMS, providers: [] })
    expect(entriesOf(poller)).to.equal(0)
  })
})
