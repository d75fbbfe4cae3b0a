import { expect } from 'chai'
import type { WindowAnswer } from '../../../common/analysis/query/window-query.ts'
import { statusAfterLook } from '../../../common/analysis/run/look.ts'
import type { Poll } from '../../../common/analysis/run/poll.ts'
import { analysisWithDefaults } from '../../../common/api/analysis/defaults.ts'
import { unknown } from '../../../common/api/known.ts'
import { turn } from '../../virtual-time.ts'
import { aRun, ERRORS, HEALTH_METRIC } from './a-run.ts'
import { ANALYSIS, ARMS, aPod, aProvider, at, EXPERIMENT, FAILED, PODS, polling, RUN, SILENT } from './polling.ts'

const TIMES = analysisWithDefaults(ANALYSIS)
const begun = aRun({ status: { startedAt: at(0) } })
const answers = ({ waiting }: Pick<ReturnType<typeof polling>, 'waiting'>) =>
  waiting()?.windows.map(({ answer }) => answer)

describe('a provider', () => {
  it('that is not there is not asked', async () => {
    const world = polling({ run: begun })
    world.cluster.providers.delete('prom')
    await world.pollAt(60)
    expect(answers(world)).to.deep.equal([{ is: 'failed', message: 'there is no provider "prom"' }])
  })

  it('that is not as the API says is not asked', async () => {
    const world = polling({ run: begun })
    world.cluster.providers.set('prom', unknown('spec.type: missing'))
    await world.pollAt(75)
    expect(answers(world)).to.deep.equal([{ is: 'failed', message: 'there is no provider "prom"' }])
  })

  it('that is not for the namespace is not asked', async () => {
    const world = polling({ run: begun })
    world.poller.follow(EXPERIMENT, { ...ARMS, providers: ['web'] })
    await world.pollAt(75)
    expect(answers(world)).to.deep.equal([{ is: 'failed', message: 'provider "prom" is not for this namespace' }])
    expect(world.asked).to.deep.equal([])
  })

  it('that fails is asked again after one interval, then after two', async () => {
    const world = polling({ run: begun, answer: FAILED })
    await world.pollAt(75)
    expect(answers(world)).to.deep.equal([FAILED])
    world.record({ looks: 2 })
    expect(await world.pollAt(80)).to.deep.equal({ afterMs: 55_000 })
    await world.pollAt(135)
    world.record({ looks: 3 })
    expect(await world.pollAt(240)).to.deep.equal({ afterMs: 15_000 })
    expect(world.asked).to.have.length(2)
    await world.pollAt(255)
    expect(world.asked).to.have.length(3)
  })

  it('gets the time that it asks for', async () => {
    const busy: WindowAnswer = { is: 'failed', message: '429', retryAfterMs: 200_000 }
    const { pollAt, record, asked } = polling({ run: begun, answer: busy })
    await pollAt(75)
    record({ looks: 2 })
    expect(await pollAt(274)).to.deep.equal({ afterMs: 1_000 })
    await pollAt(275)
    expect(asked).to.have.length(2)
  })

  it('that fails does not hold up another one', async () => {
    const metrics = [ERRORS, { ...ERRORS, name: 'others', provider: 'web' }]
    const world = polling({ run: aRun({ metrics, status: { startedAt: at(0) } }) })
    world.cluster.providers.set('web', aProvider('web'))
    const first = world.pollAt(75)
    await turn()
    for (const { provider, answer } of world.asked) answer(provider === 'prom' ? FAILED : SILENT)
    await first
    world.record({ looks: 2 })
    void world.pollAt(134)
    await turn()
    expect(world.asked.slice(2).map(({ provider }) => provider)).to.deep.equal(['web'])
  })

  it('that works again is asked before a run ends for want of data', async () => {
    const limited: WindowAnswer = { is: 'failed', message: '429', retryAfterMs: 3_600_000 }
    const world = polling({ run: begun })
    const first = world.pollAt(75)
    await turn()
    world.asked[0]?.answer(limited)
    await first
    const metric = { name: 'errors', verdict: 'Wait', reason: 'ProviderFailed', since: at(75) } as const
    world.record({ looks: 2, metrics: [metric] })
    await world.pollAt(674)
    expect(world.asked).to.have.length(1)
    world.cluster.busy.add('prom')
    expect(await world.pollAt(675)).to.deep.equal({ afterMs: 615_000 })
    expect([world.waiting(), world.asked.length]).to.deep.equal([undefined, 1])
    world.cluster.busy.clear()
    const last = world.pollAt(680)
    await turn()
    world.asked[1]?.answer(SILENT)
    await last
    expect(answers(world)).to.deep.equal([SILENT])
  })

  it('that is busy does not keep a fork that restarts from its end', async () => {
    const run = aRun({ metrics: [ERRORS, HEALTH_METRIC], status: { startedAt: at(0) } })
    const world = polling({ run })
    world.cluster.busy.add('prom')
    const restarts = (count: number) => ({ ...PODS, treatment: [{ ...aPod('fork-1'), restarts: count }] })
    world.cluster.pods = async () => restarts(0)
    await world.pollAt(60)
    const health = statusAfterLook(run, { poll: world.waiting() as Poll, times: TIMES, lagSeconds: () => 0 })
    world.record(health)
    world.cluster.pods = async () => restarts(50)
    await world.pollAt(120)
    expect([world.waiting()?.looks, world.waiting()?.windows, world.asked]).to.deep.equal([2, [], []])
  })

  it('that asks for much time does not keep the run from its end, and is asked once more', async () => {
    const busy: WindowAnswer = { is: 'failed', message: '429', retryAfterMs: 3_600_000 }
    const world = polling({ run: begun, analysis: { ...ANALYSIS, maxSeconds: 600 }, answer: busy })
    await world.pollAt(75)
    world.record({ looks: 2 })
    await world.pollAt(614)
    expect(world.waiting()).to.equal(undefined)
    await world.pollAt(615)
    expect([answers(world), world.asked.length]).to.deep.equal([[busy], 2])
  })

  it('that is busy is asked when it has a place, and its run occupies no worker', async () => {
    const { cluster, pollAt, poller, asked, diary } = polling({ run: begun })
    cluster.busy.add('prom')
    expect(await pollAt(75)).to.deep.equal({ afterMs: 615_000 })
    expect([asked, diary, poller.entryCount]).to.deep.equal([[], [], 2])
    await poller.work('shop/another')
    expect(diary).to.deep.equal([])
    cluster.busy.clear()
    await poller.work('shop/another')
    expect([diary, poller.entryCount]).to.deep.equal([[`poll ${RUN}`], 1])
    void pollAt(76)
    await turn()
    expect(asked).to.have.length(1)
  })

  it('that is busy does not hold up another one', async () => {
    const metrics = [ERRORS, { ...ERRORS, name: 'others', provider: 'web' }]
    const world = polling({ run: aRun({ metrics, status: { startedAt: at(0) } }), answer: SILENT })
    world.cluster.providers.set('web', aProvider('web'))
    world.cluster.busy.add('web')
    await world.pollAt(75)
    expect(world.asked.map(({ provider }) => provider)).to.deep.equal(['prom'])
    world.record({ looks: 2 })
    world.diary.length = 0
    world.cluster.busy.clear()
    await world.poller.work('shop/another')
    expect(world.diary).to.deep.equal([`poll ${RUN}`])
  })

  it('that is busy keeps nothing of a run that is gone', async () => {
    const { cluster, pollAt, poller } = polling({ run: begun })
    cluster.busy.add('prom')
    await pollAt(75)
    cluster.runs.clear()
    poller.forget(EXPERIMENT)
    poller.forgetRun(RUN, begun)
    expect(poller.entryCount).to.equal(0)
  })
})
