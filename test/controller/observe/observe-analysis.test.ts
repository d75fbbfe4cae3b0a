import { expect } from 'chai'
import { FORK_FINALIZER } from '../../../common/api/names.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { anExperiment } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { aRun } from '../analysis/a-run.ts'
import { anAnalysisPort } from './an-analysis.ts'
import { observing } from './observing.ts'

const DELETED = { deletionTimestamp: '2026-11-21T10:00:00Z', finalizers: [FORK_FINALIZER] }
const runs = [aRun()]
const analysis = anAnalysisPort({ runs })

describe('observe, with an analysis', () => {
  it('collects its facts beside all others', async () => {
    const { facts, diary } = observing({ experiment: anExperiment({ analysis: {} }), cached: theFork(), analysis })
    const found = await facts()
    expect(found.analysis?.runs).to.deep.equal(runs)
    expect(found.source.is).to.equal('known')
    expect(found.analysis?.source).to.deep.equal({ is: 'absent' })
    expect(diary).to.deep.equal(['source shop/cart', 'neighbours shop', 'namespace shop', 'live shop/cart'])
  })

  it('has no facts of one where the component is not installed', async () => {
    const { facts, diary } = observing({ experiment: anExperiment({ analysis: {} }), cached: theFork() })
    expect((await facts()).analysis).to.equal(undefined)
    expect(diary).to.deep.equal(['source shop/cart', 'neighbours shop'])
  })

  it('knows its runs while the experiment is being deleted', async () => {
    const experiment = anExperiment({ analysis: {}, metadata: DELETED })
    expect((await observing({ experiment, analysis }).facts()).analysis?.runs).to.deep.equal(runs)
  })

  it('deletes an experiment whose namespace cannot be read all the same', async () => {
    const experiment = anExperiment({ analysis: {}, metadata: DELETED })
    const failing = observing({ experiment, analysis })
    failing.ports.policies.namespace = () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'no' }))
    const found = await failing.facts()
    expect([found.fork.is, found.analysis]).to.deep.equal(['absent', undefined])
  })
})
