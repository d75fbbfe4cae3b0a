import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { runHash, shortRun } from '../../common/situation/run-hash.ts'
import { situationOf } from '../../common/situation/situation-of.ts'
import { runErrors } from '../../webhook/run-errors.ts'
import { aDeployment, anExperiment, imageOverride } from '../builders.ts'
import { someFacts, theFork } from '../common/plan/some-facts.ts'

const OTHERS = { services: [{ name: 'cart', selector: { app: 'other' } }], slices: [] }

/** The fields of the mistakes of a request that makes `experiment` of `previous`. */
const fieldsOf = (experiment: ExperimentDeployment, previous?: ExperimentDeployment) =>
  runErrors(
    situationOf(someFacts({ experiment, source: aDeployment({ spec: { replicas: 10 } }), traffic: OTHERS })),
    { experiment, previous },
    theFork(),
  ).map(({ field }) => field)

const heavy = { canary: { steps: [{ setWeight: 80 }] } }
const blueGreen = { blueGreen: { activeService: 'cart' } }
const relabelled = { template: { metadata: { labels: { app: 'new' } } } }
type SpecOf = NonNullable<Parameters<typeof anExperiment>[0]>
const NAMED = ['spec.strategy.blueGreen.activeService']

describe('the mistakes of a request in a run', () => {
  it('are those of a strategy that it sets or changes', () => {
    const fields = ['spec.strategy.canary.steps[0].setWeight']
    expect(fieldsOf(anExperiment({ strategy: heavy }))).to.deep.equal(fields)
    expect(fieldsOf(anExperiment({ strategy: heavy }), anExperiment())).to.deep.equal(fields)
    expect(fieldsOf(anExperiment({ strategy: heavy, replicas: 3 }), anExperiment({ strategy: heavy }))).to.be.empty
  })

  it('are those of the Services of a blue-green, if it or the override changes', () => {
    const before = anExperiment({ strategy: blueGreen })
    expect(fieldsOf(before)).to.deep.equal(NAMED)
    expect(fieldsOf(anExperiment({ strategy: blueGreen, replicas: 3 }), before)).to.be.empty
    const edited = anExperiment({ strategy: blueGreen, overrideSpec: imageOverride('example/cart:2') })
    expect(fieldsOf(edited, before)).to.deep.equal(NAMED)
  })

  it('are those of a promotion, if it is added or the override changes', () => {
    const fields = ['spec.overrideSpec.template.metadata.labels.app']
    const promoted = anExperiment({ overrideSpec: relabelled, promotion: {} })
    expect(fieldsOf(promoted)).to.deep.equal(fields)
    expect(fieldsOf(promoted, anExperiment({ overrideSpec: relabelled }))).to.deep.equal(fields)
    expect(fieldsOf({ ...promoted, spec: { ...promoted.spec, promotion: { mode: 'Export' } } }, promoted)).to.be.empty
  })

  it('are those of a source that cannot get smaller, if anything changes that it depends on', () => {
    const inside = { canary: { scaleDownSource: true, maxSurge: 0 } }
    const fields = ['spec.strategy.canary.scaleDownSource']
    const before = anExperiment({ strategy: inside })
    expect(fieldsOf(before)).to.deep.equal(fields)
    expect(fieldsOf(before, anExperiment({ strategy: { canary: {} } }))).to.deep.equal(fields)
    expect(fieldsOf(anExperiment({ strategy: inside, ttlSeconds: 60 }), before)).to.deep.equal([])
    const edits: readonly SpecOf[] = [
      { overrideSpec: imageOverride('example/cart:2') },
      { overrideType: 'Strategic' },
      { traffic: { mode: 'Shared' } },
      { promotion: { mode: 'Export' } },
      { analysis: { control: 'Source' } },
    ]
    for (const edit of edits)
      expect(fieldsOf(anExperiment({ strategy: inside, ...edit }), before)).to.deep.equal(fields)
    expect(fieldsOf(anExperiment({ strategy: { canary: {} } }), before)).to.deep.equal([])
  })

  it('are edits that the run forbids now', () => {
    const pinned = {
      run: shortRun(runHash(anExperiment({ strategy: blueGreen }))),
      revision: 'a',
      path: 'Forward',
      stepIndex: 3,
    }
    const status = { strategy: { ...pinned, since: '2026-11-21T10:00:00Z' } } as ExperimentDeployment['status'] & object
    const before = anExperiment({ strategy: blueGreen, status })
    const edited = anExperiment({ strategy: blueGreen, status, overrideType: 'Strategic' })
    expect(fieldsOf(edited, before)).to.deep.equal([...NAMED, 'spec.overrideType'])
  })
})
