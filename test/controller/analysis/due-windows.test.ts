import { expect } from 'chai'
import type { RunMetric } from '../../../common/analysis/kinds/run.ts'
import { LATENCY } from '../../../common/analysis/metrics/latency.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { aRun, ERRORS, HEALTH_METRIC } from './a-run.ts'
import { ANALYSIS, aPod, aProvider, at, PODS, polling, SILENT, START, secondsOf } from './polling.ts'

const stored = (name: string, windowEnd: number): RunMetric => ({
  ...{ name, verdict: 'Wait', reason: 'Measuring', since: at(0), windowEnd: at(windowEnd) },
})
const OF_WEB: Metric = { name: 'slow', kind: 'Value', provider: 'web', web: { path: '/', pointers: { value: '/v' } } }

/** The windows that were asked for, by metric: `errors 0–60`. */
const windowsIn = ({ asked }: Pick<ReturnType<typeof polling>, 'asked'>): readonly string[] =>
  asked.map(({ query }) => `${query.metric.name} ${secondsOf(query.window).join('–')}`)

describe('a run is polled', () => {
  it('first when nobody has looked at it: for its pods, and no window', async () => {
    const { pollAt, waiting, asked } = polling()
    expect(await pollAt(1)).to.deep.equal({ afterMs: 5_000 })
    expect([waiting()?.windows, asked.length]).to.deep.equal([[], 0])
  })

  it('for a window once that has ended and the provider has had time to collect it', async () => {
    const world = polling({ run: aRun({ status: { startedAt: at(0) } }), answer: SILENT })
    expect(await world.pollAt(74)).to.deep.equal({ afterMs: 60_000 })
    expect(windowsIn(world)).to.deep.equal([])
    await world.pollAt(75)
    expect(windowsIn(world)).to.deep.equal(['errors 0–60'])
  })

  it('with the lag of each provider', async () => {
    const metrics = [ERRORS, OF_WEB]
    const world = polling({ run: aRun({ metrics, status: { startedAt: at(0) } }), answer: SILENT })
    world.cluster.providers.set('web', aProvider('web', { type: 'Web', lagSeconds: 90 }))
    await world.pollAt(120)
    expect(windowsIn(world)).to.deep.equal(['errors 0–60'])
    world.record({ looks: 2 })
    await world.pollAt(150)
    expect(windowsIn(world).slice(1)).to.deep.equal(['errors 0–120', 'slow 0–60'])
  })

  it('not before its next look', async () => {
    const { pollAt, asked } = polling({ run: aRun({ status: { startedAt: at(0), nextLookAt: at(200) } }) })
    expect(await pollAt(150)).to.deep.equal({ afterMs: 50_000 })
    expect(asked).to.deep.equal([])
  })

  it('for the window of each metric, from the end of its last one', async () => {
    const metrics = [stored('errors', 60), stored('slow', 180)]
    const run = aRun({ metrics: [ERRORS, OF_WEB], status: { startedAt: at(0), metrics } })
    const world = polling({ run, answer: SILENT })
    world.cluster.providers.set('web', aProvider('web', { type: 'Web' }))
    await world.pollAt(200)
    expect(windowsIn(world)).to.deep.equal(['errors 60–180'])
    world.record({ looks: 2 })
    await world.pollAt(255)
    expect(windowsIn(world).slice(1)).to.deep.equal(['errors 60–240', 'slow 180–240'])
  })

  it('for the last ten intervals; older ones are skipped', async () => {
    const world = polling({ run: aRun({ status: { startedAt: at(0) } }), answer: SILENT })
    await world.pollAt(13 * 60 + 15)
    expect(windowsIn(world)).to.deep.equal(['errors 180–780'])
    expect(world.waiting()?.windows[0]?.skipped).to.equal(3)
  })

  it('with the names of the pods that count in the window, and of their workloads', async () => {
    const { pollAt, asked, cluster } = polling({
      analysis: { ...ANALYSIS, warmUpSeconds: 30 },
      run: aRun({ status: { startedAt: at(0) } }),
      answer: SILENT,
    })
    cluster.pods = async () => ({ ...PODS, treatment: [aPod('fork-1'), aPod('young', START - 29_000)] })
    await pollAt(75)
    const { metric, namespace, arms, run } = asked[0]?.query ?? {}
    expect({ metric, namespace, arms, run }).to.deep.equal({
      metric: ERRORS,
      namespace: 'shop',
      arms: {
        treatment: { workload: 'fork', pods: ['fork-1'] },
        control: { workload: 'cart', pods: ['cart-1', 'cart-2'] },
      },
      run: { name: 'run-1', uid: 'uid-of-run-1' },
    })
  })

  it('with the boundaries of its earlier windows, which stay', async () => {
    const arms = { treatment: [{ exceeding: [9, 1], total: 10 }], control: [{ exceeding: [8, 2], total: 10 }] }
    const data = { is: 'coarse', boundaries: [0.1, 0.2], ...arms } as const
    const state = LATENCY.fold([], data, { tolerancePercent: 10, maxRegressionPercent: 25 }) ?? []
    const metrics = [{ ...stored('errors', 60), memory: { version: 2, numbers: state } }]
    const { pollAt, asked } = polling({ run: aRun({ status: { startedAt: at(0), metrics } }), answer: SILENT })
    await pollAt(135)
    expect(asked[0]?.query.boundaries).to.deep.equal([0.1, 0.2])
  })

  for (const arm of ['treatment', 'control'] as const)
    it(`without a question where the ${arm} has no pod that counts: that is silence`, async () => {
      const { pollAt, asked, waiting, cluster } = polling({ run: aRun({ status: { startedAt: at(0) } }) })
      cluster.pods = async () => ({ ...PODS, [arm]: [aPod('late', START + 1)] })
      await pollAt(75)
      expect(asked).to.deep.equal([])
      expect(waiting()?.windows[0]?.answer).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
    })

  it('each interval while no pod counts, without a look that would find the same', async () => {
    const { pollAt, waiting, cluster } = polling({ run: aRun({ status: {} }) })
    cluster.pods = async () => ({ ...PODS, treatment: [] })
    expect(await pollAt(300)).to.deep.equal({ afterMs: 60_000 })
    cluster.pods = async () => ({ ...PODS, treatment: [aPod('fork-1', START + 310_000)] })
    expect(await pollAt(300)).to.deep.equal({ afterMs: 10_000 })
    expect(waiting()).to.equal(undefined)
  })
})

describe('a run that asks Kubernetes alone', () => {
  const run = aRun({ metrics: [HEALTH_METRIC], status: { startedAt: at(0), metrics: [stored('health', 60)] } })

  it('is polled when an interval has passed since its last look, for its pods', async () => {
    const { pollAt, waiting, asked } = polling({ run })
    expect(await pollAt(119)).to.deep.equal({ afterMs: 60_000 })
    expect(waiting()).to.equal(undefined)
    await pollAt(120)
    expect([waiting()?.arms, waiting()?.windows, asked.length]).to.deep.equal([PODS, [], 0])
  })

  it('is not polled before it has begun', async () => {
    const { pollAt, waiting, cluster } = polling({ run: aRun({ metrics: [HEALTH_METRIC], status: {} }) })
    cluster.pods = async () => ({ ...PODS, control: [] })
    expect(await pollAt(300)).to.deep.equal({ afterMs: 60_000 })
    expect(waiting()).to.equal(undefined)
  })
})
