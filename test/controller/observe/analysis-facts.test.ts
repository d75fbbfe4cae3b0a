import { expect } from 'chai'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import type { AnalysisSpec, AnalysisVerdict } from '../../../common/api/analysis/analysis.ts'
import { type Known, knownValue } from '../../../common/api/known.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { twinName } from '../../../common/workload/identity.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { analysisFacts, twinFacts } from '../../../controller/observe/analysis-facts.ts'
import type { Ports } from '../../../controller/observe/ports.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { ANALYSIS, anAnalysis } from '../../common/plan/an-analysis.ts'
import { aRun } from '../analysis/a-run.ts'
import { anAnalysisPort, aPoll } from './an-analysis.ts'
import { KEY, observing } from './observing.ts'

const read = (spec: AnalysisSpec | undefined, port = anAnalysisPort(), isUnreadable = false) => {
  const { ports, diary } = observing({ analysis: port, isUnreadable })
  const experiment = anExperiment(spec ? { analysis: spec } : {})
  return analysisFacts(ports, KEY, experiment, deployment).then((facts) => ({ facts, diary }))
}
/** Whether the source is read while the status names `run`. */
const readsSource = async (run: AnalysisRun | undefined, of: SourceOf = {}) => {
  const { control = 'Source', adapter = deployment, isNamed = true } = of
  const { ports, diary } = observing({ analysis: anAnalysisPort({ runs: run ? [run] : [] }), live: aDeployment() })
  const told = { verdict: 'Wait', reason: 'Measuring', message: '', since: '2026-11-21T10:00:00Z', attempt: 1 } as const
  const named = run && isNamed ? { run: run.metadata.name } : {}
  const status = { analysis: { ...told, ...named } }
  const experiment = anExperiment({ analysis: { control, continueAfterPass: of.isWatched ?? false }, status })
  const facts = await analysisFacts(ports, KEY, experiment, adapter)
  return diary.includes('live shop/cart') && facts?.source?.is === 'known'
}
interface SourceOf {
  readonly control?: 'Source' | 'Twin'
  readonly adapter?: WorkloadKind
  /** whether the status names the run */
  readonly isNamed?: boolean
  readonly isWatched?: boolean
}
const anEnded = (verdict: AnalysisVerdict) => aRun({ status: { verdict, finishedAt: '2026-11-21T10:00:00Z' } })
const readTwin = async (of: Partial<Ports['workloads']>, given: Parameters<typeof anExperiment>[0] = {}) => {
  const { ports, diary } = observing()
  const experiment = anExperiment(given)
  const workloads = { ...ports.workloads, ...of }
  return { found: await twinFacts({ ...ports, workloads }, KEY, experiment, deployment), diary }
}
const namesIn = (all: Known<ReadonlyMap<string, unknown>> | undefined) => [...((all && knownValue(all)) ?? []).keys()]

describe('the facts of an analysis', () => {
  it('are absent where the component is not installed', async () => {
    const { ports, diary } = observing()
    expect(await analysisFacts(ports, KEY, anExperiment({ analysis: {} }), deployment)).to.equal(undefined)
    expect(diary).to.deep.equal([])
  })

  it('are the templates that it names, each in its scope', async () => {
    const { facts } = await read({
      templates: [{ name: 'errors' }, { name: 'errors-everywhere', scope: 'Cluster' }],
    })
    expect(namesIn(facts?.templates)).to.deep.equal(['errors'])
    expect(namesIn(facts?.clusterTemplates)).to.deep.equal(['errors-everywhere'])
    expect(knownValue(facts?.providers ?? { is: 'absent' })?.get('prom')?.is).to.equal('known')
  })

  it('are no templates of the other scope, and none that are not there', async () => {
    const { facts } = await read({
      templates: [
        { name: 'errors-everywhere', scope: 'Namespace' },
        { name: 'errors', scope: 'Cluster' },
        { name: 'gone' },
      ],
    })
    expect([...namesIn(facts?.templates)]).to.deep.equal([])
    // that of the cluster may be meant
    expect([...namesIn(facts?.clusterTemplates)]).to.deep.equal(['errors-everywhere'])
  })

  it('are the labels of its namespace; where they cannot be read, only its name', async () => {
    expect((await read({})).facts?.namespace).to.deep.equal({ name: 'shop', labels: {} })
    expect((await read({}, anAnalysisPort(), true)).facts?.namespace).to.deep.equal({
      name: 'shop',
      labels: { 'kubernetes.io/metadata.name': 'shop' },
    })
  })

  it('are its runs, and the poll of one of them that no pass has recorded', async () => {
    const runs = [aRun(), aRun({ name: 'run-2' })]
    const polls = [aPoll('uid-of-run-2'), aPoll('of-another')]
    const { facts } = await read({}, anAnalysisPort({ runs, polls }))
    expect(facts?.runs).to.deep.equal(runs)
    expect(facts?.poll).to.equal(polls[0])
    expect((await read({}, anAnalysisPort({ runs, polls: polls.slice(1) }))).facts?.poll).to.equal(undefined)
  })

  it('are still the runs of an experiment without an analysis, whose namespace is not read', async () => {
    const runs = [aRun()]
    const { facts, diary } = await read(undefined, anAnalysisPort({ runs }))
    expect([facts?.runs, facts?.namespace, diary]).to.deep.equal([runs, undefined, []])
  })
})

describe('the source of an analysis', () => {
  it('is read as it is now before a run begins, or goes on again', async () => {
    expect(await readsSource(undefined)).to.equal(true)
    expect(await readsSource(aRun(), { isNamed: false })).to.equal(true)
    expect(await readsSource(anEnded('Aborted'))).to.equal(true)
    expect(await readsSource(anEnded('Pass'), { isWatched: true })).to.equal(true)
  })

  it('is not read while a run goes on, unless a twin is compared with it, and not after a verdict', async () => {
    expect(await readsSource(aRun())).to.equal(false)
    expect(await readsSource(aRun(), { control: 'Twin' })).to.equal(true)
    expect(await readsSource(anEnded('Fail'), { control: 'Twin' })).to.equal(false)
    expect(await readsSource(anEnded('Pass'))).to.equal(false)
  })

  it('is not read where its stable revision is compared, nor without an analysis', async () => {
    expect(await readsSource(undefined, { adapter: rollout })).to.equal(false)
    const { facts, diary } = await read(undefined, anAnalysisPort({ runs: [aRun()] }))
    expect([facts?.source, diary]).to.deep.equal([undefined, []])
  })

  it('is unknown where it may not be read', async () => {
    const { ports, diary } = observing({ analysis: anAnalysisPort() })
    const facts = await analysisFacts(ports, KEY, anExperiment({ analysis: {} }), undefined)
    expect([facts?.source?.is, diary]).to.deep.equal(['unknown', ['namespace shop']])
  })
})

describe('the facts of a twin', () => {
  const theTwin = () => {
    const { world } = anAnalysis({ analysis: { ...ANALYSIS, control: 'Twin' } })
    if (!world.twin) throw new Error('there is no twin')
    return world.twin
  }

  it('are absent where no twin is asked for, and none is there', async () =>
    expect((await readTwin({})).found).to.equal(undefined))

  it('are those of a twin that is there, although the experiment does not say so', async () => {
    const twin = theTwin()
    const cached: Ports['workloads']['cached'] = (_kind, _namespace, name) =>
      name === twinName(anExperiment()) ? twin : undefined
    const { found, diary } = await readTwin({ cached })
    expect(found?.object).to.deep.equal({ is: 'known', value: twin })
    expect(diary).to.deep.equal([])
  })
})
