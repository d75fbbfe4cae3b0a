import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type AnalysisRun, decodeRun, type RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { METRIC_ENGINES } from '../../../../common/analysis/metrics/registry.ts'
import { pluginAnswer } from '../../../../common/analysis/query/plugin.ts'
import { isFinal } from '../../../../common/analysis/run/look.ts'
import { memoryOf } from '../../../../common/analysis/run/memory.ts'
import { metricWithDefaults } from '../../../../common/api/analysis/defaults.ts'
import { KUBERNETES, METRIC_KINDS } from '../../../../common/api/analysis/metric.ts'
import { ASKED_KINDS, type Showing } from '../../../versions/kinds.ts'
import { ARMS, aPoll, CREATED_MS, lookedAt, metricOf, statusOf, TIMES, window } from './runs.ts'

/** Analysis runs as commit 21615a23 has stored them; test/versions writes them. They are named by kind and verdict. */
const STORED = readFileSync(join(import.meta.dirname, 'former-runs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const VERDICTS = ['Pass', 'Fail', 'Inconclusive', 'NoData', 'Error', 'Wait']

/** Decoded as the controller does it. */
const RUNS: Readonly<Record<string, AnalysisRun>> = Object.fromEntries(
  STORED.map((stored) => {
    const decoded = decodeRun(stored)
    if (decoded.is === 'malformed') throw new Error(JSON.stringify(decoded.errors))
    return [decoded.run.spec.experiment.name, decoded.run]
  }),
)
const FINISHED = Object.entries(RUNS).filter(([, { status }]) => status?.finishedAt !== undefined)
/** Those that wait, named by their kind or by what else they are about. */
const WAITING = Object.entries(RUNS)
  .filter(([, { status }]) => status?.verdict === 'Wait')
  .map(([name, run]) => [name.replace('-wait', ''), run] as const)

const firstOf = ({ spec: { metrics } }: AnalysisRun) => metrics[0] ?? { name: '', kind: 'Decision', provider: '' }
/** Where the next window of a metric begins. */
const endMs = ({ status }: AnalysisRun, name: string) =>
  Date.parse(status?.metrics?.find((each) => each.name === name)?.windowEnd ?? status?.startedAt ?? '')
const secondsOf = (ms: number) => (ms - CREATED_MS) / 1_000

/** Pods of which those of the fork have restarted again and again. */
const RESTARTED = { ...ARMS, treatment: ARMS.treatment.map((pod) => ({ ...pod, restarts: 60 })) }

/** The run after a look at one more window of each metric. A second one, beside that of a kind, always waits. */
function lookedOn(run: AnalysisRun, showing: Showing, times = TIMES): AnalysisRun {
  const toMs = Math.max(...run.spec.metrics.map(({ name }) => endMs(run, name))) + 10_000
  const windows = run.spec.metrics
    .filter(({ provider }) => provider !== KUBERNETES)
    .map(({ name, kind }) => {
      const fromMs = endMs(run, name)
      const { answers } = ASKED_KINDS[name] ?? {}
      const told = { window: { start: new Date(fromMs).toISOString() } }
      const said = pluginAnswer(kind, answers?.[showing](told) ?? { decision: 'Wait' })
      return window(said, secondsOf(fromMs), secondsOf(toMs), { metric: name })
    })
  const arms = showing === 'worse' ? RESTARTED : ARMS
  return lookedAt(run, aPoll(secondsOf(toMs), windows, { arms }), times)
}

describe('analysis runs that the version before has stored', () => {
  it('N38: are of every kind, at every verdict that the kind has', () => {
    expect(new Set(WAITING.map(([, run]) => firstOf(run).kind))).to.deep.equal(new Set(METRIC_KINDS))
    const found = new Set(Object.values(RUNS).map((run) => `${firstOf(run).kind} ${run.status?.verdict}`))
    const none = ['Decision NoData', 'Health NoData', 'Health Error'] // a plugin decides, and Kubernetes always answers
    const all = METRIC_KINDS.flatMap((kind) => VERDICTS.map((verdict) => `${kind} ${verdict}`))
    expect(all.filter((each) => !found.has(each))).to.have.members(none)
  })

  it('N31: ask what they asked: no new default is in what the subject covers', () => {
    for (const [name, { spec }] of Object.entries(RUNS))
      expect(spec.metrics.map(metricWithDefaults), name).to.deep.equal(spec.metrics)
  })

  for (const [name, run] of FINISHED)
    it(`N38: ${name}: keeps its verdict and what follows from it`, () => {
      const times = { ...TIMES, continueAfterPass: false }
      expect(isFinal(run.status, times)).to.equal(true)
      expect(statusOf(lookedOn(run, 'worse', times))).to.equal(run.status)
    })

  for (const [kind, run] of WAITING) {
    const { name, ...of } = firstOf(run)
    const { version } = METRIC_ENGINES[of.kind]
    const old = metricOf(run, name)
    const looked = lookedOn(run, 'neither')
    const metric = metricOf(looked, name)

    it(`N38: ${kind}: goes on by the clock that was running`, () => {
      expect(statusOf(looked)).to.include({ verdict: 'Wait', startedAt: statusOf(run).startedAt })
      expect(statusOf(looked).since).to.equal(statusOf(run).since)
      const times = { ...TIMES, maxSeconds: (endMs(looked, name) - Date.parse(statusOf(run).startedAt ?? '')) / 1_000 }
      expect(statusOf(lookedOn(run, 'neither', times)).verdict).to.equal('Inconclusive')
      const longer = { ...times, maxSeconds: times.maxSeconds + 1 }
      expect(statusOf(lookedOn(run, 'neither', longer)).verdict).to.equal('Wait')
    })

    if (version === 1)
      it(`N38: ${kind}: keeps its evidence, whose numbers mean the same`, () => {
        expect(metric.samples?.treatment).to.equal((old.samples?.treatment ?? 0) + (ASKED_KINDS[kind]?.perWindow ?? 0))
        expect(statusOf(looked).message).not.to.contain('another version')
      })
    else
      it(`N38: ${kind}: never takes former numbers for its own, and says that they do not count`, () => {
        expect(old.state).to.have.length.above(0)
        const begun: RunMetric = { name, verdict: 'Wait', reason: 'Measuring', since: old.since }
        const anew = { ...run, status: { ...statusOf(run), metrics: [{ ...begun, windowEnd: old.windowEnd ?? '' }] } }
        const fresh = metricOf(lookedOn(anew, 'neither'), name)
        expect(memoryOf(metric, of)).to.deep.equal(memoryOf(fresh, of))
        expect(metric).not.to.have.any.keys('state', 'twin')
        expect({ ...metric.samples }).to.deep.equal({ ...fresh.samples })
        const told = `another version of the controller had begun, so windows count only since ${metric.memory?.since}`
        expect(statusOf(looked).message).to.contain(told)
      })

    it(`N38: ${kind}: comes to a verdict`, () => {
      let next = looked
      for (let windows = 0; windows < 60 && !isFinal(next.status, TIMES); windows += 1) next = lookedOn(next, 'worse')
      expect(statusOf(next).verdict).to.equal('Fail')
    })
  }
})
