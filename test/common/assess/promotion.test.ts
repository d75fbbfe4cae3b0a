import { expect } from 'chai'
import { overriddenSource, promotionInto, promotionWriter } from '../../../common/assess/promotion.ts'
import { runSpecOf } from '../../../common/strategy/run-spec.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource, type RunOf } from '../plan/some-run.ts'

const source = aSource()
const marked = { ...source, metadata: { ...source.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } }
const factsOf = (of: RunOf = {}) => someFacts({ experiment: aRunExperiment(of), source })

describe('the promotion into a source', () => {
  it('lays the override over the present spec of the source', () => {
    const facts = factsOf()
    expect(overriddenSource(facts, source).spec).to.deep.equal(source.spec)
    expect(promotionInto(facts, source)?.isDone).to.equal(false)
    expect(promotionInto(facts, aSource(10, 'example/cart:2'))?.isDone).to.equal(true)
  })
})

describe('who writes a source', () => {
  const writer = (of: RunOf, { from = source as typeof source | undefined, isInstalled = true } = {}) => {
    const facts = factsOf(of)
    const spec = runSpecOf(facts.experiment.spec)
    if (!spec) throw new Error('the experiment has a run')
    const promotion = from && promotionInto(facts, from)
    const { mode, because } = promotionWriter(spec, { source: from, promotion, isInstalled })
    return [mode, because?.reason]
  }

  it('is the controller by the mode of the spec', () => {
    expect(writer({ promotion: { mode: 'Automatic' } })).to.deep.equal(['Automatic', undefined])
    expect(writer({})).to.deep.equal(['Manual', undefined])
    expect(writer({ promotion: { mode: 'Export' } })).to.deep.equal(['Export', undefined])
  })

  it('is somebody else without the component, also while there is no source', () => {
    expect(writer({}, { isInstalled: false })).to.deep.equal(['Export', 'NotInstalled'])
    expect(writer({}, { from: undefined, isInstalled: false })).to.deep.equal(['Export', 'NotInstalled'])
    expect(writer({}, { from: undefined })).to.deep.equal(['Manual', undefined])
  })

  it('is who declares the source, unless it is forced', () => {
    expect(writer({}, { from: marked })).to.deep.equal(['Export', 'SourceIsDeclared'])
    expect(writer({ promotion: { force: true } }, { from: marked })).to.deep.equal(['Manual', undefined])
  })
})
