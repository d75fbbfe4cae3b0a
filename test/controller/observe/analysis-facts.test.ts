import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { type Known, knownValue } from '../../../common/api/known.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { twinName } from '../../../common/workload/identity.ts'
import { analysisFacts, twinFacts } from '../../../controller/observe/analysis-facts.ts'
import type { Ports } from '../../../controller/observe/ports.ts'
import { anExperiment } from '../../builders.ts'
import { ANALYSIS, anAnalysis } from '../../common/plan/an-analysis.ts'
import { aRun } from '../analysis/a-run.ts'
import { anAnalysisPort, aPoll } from './an-analysis.ts'
import { KEY, observing } from './observing.ts'

const read = (spec: AnalysisSpec | undefined, port = anAnalysisPort(), isUnreadable = false) => {
  const { ports, diary } = observing({ analysis: port, isUnreadable })
  const experiment = anExperiment(spec ? { analysis: spec } : {})
  return analysisFacts(ports, KEY, experiment).then((facts) => ({ facts, diary }))
}
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
    expect(await analysisFacts(ports, KEY, anExperiment({ analysis: {} }))).to.equal(undefined)
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
    expect([...namesIn(facts?.templates), ...namesIn(facts?.clusterTemplates)]).to.deep.equal([])
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
