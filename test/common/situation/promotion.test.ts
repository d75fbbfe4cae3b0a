import { expect } from 'chai'
import { PROMOTION_MANAGER } from '../../../common/api/names.ts'
import {
  hasOverride,
  promotionInto,
  promotionWriter,
  sourceOverride,
  versionWith,
} from '../../../common/situation/promotion.ts'
import { storedSource } from '../../../common/situation/source-has.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { aDeployment, installing } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource, type RunOf } from '../plan/some-run.ts'

const source = aSource()
const marked = { ...source, metadata: { ...source.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } }
const factsOf = (of: RunOf = {}) => someFacts({ experiment: aRunExperiment(of), source })

describe('the promotion into a source', () => {
  it('lays the override over the present spec of the source', () => {
    const facts = factsOf()
    expect(sourceOverride(facts, source).spec).to.deep.equal(source.spec)
    expect(hasOverride(facts, source)).to.equal(false)
    expect(hasOverride(facts, aSource(10, 'example/cart:2'))).to.equal(true)
  })
})

describe('who writes a source', () => {
  const writer = (
    of: RunOf,
    { from = source as typeof source | undefined, installed = installing('promotion') } = {},
  ) => {
    const facts = factsOf(of)
    const spec = strategyRunSpec(facts.experiment.spec)
    if (!spec) throw new Error('the experiment has a run')
    const promotion = from && promotionInto(facts, from)
    const { mode, because } = promotionWriter(spec, { source: from, promotion, installed })
    return [mode, because?.reason]
  }

  it('is the controller by the mode of the spec', () => {
    expect(writer({ promotion: { mode: 'Automatic' } })).to.deep.equal(['Automatic', undefined])
    expect(writer({})).to.deep.equal(['Manual', undefined])
    expect(writer({ promotion: { mode: 'Export' } })).to.deep.equal(['Export', undefined])
  })

  it('is somebody else without the component, also while there is no source', () => {
    expect(writer({}, { installed: installing() })).to.deep.equal(['Export', 'NotInstalled'])
    expect(writer({}, { from: undefined, installed: installing() })).to.deep.equal(['Export', 'NotInstalled'])
    expect(writer({}, { from: undefined })).to.deep.equal(['Manual', undefined])
  })

  it('is who declares the source, unless it is forced', () => {
    expect(writer({}, { from: marked })).to.deep.equal(['Export', 'SourceIsDeclared'])
    expect(writer({ promotion: { force: true } }, { from: marked })).to.deep.equal(['Manual', undefined])
  })
})

describe('versionWith', () => {
  const RECORD = { mode: 'Manual', record: { name: 'cart-promotion', hash: 'abc' } } as const
  const wrote = (manager: string, time: string, fields: object = { 'f:spec': {} }) => ({
    manager,
    time,
    operation: 'Update' as const,
    fieldsV1: fields as never,
  })
  const sourceBy = (...managedFields: readonly ReturnType<typeof wrote>[]) =>
    aDeployment({ metadata: { uid: 'u', generation: 7, managedFields } })
  const ours = wrote(PROMOTION_MANAGER, '2026-11-21T10:00:05Z')
  const before = wrote('kubectl', '2026-11-21T10:00:04Z')

  it('is the present version where others made the change, and that of our write as long as it is stored', () => {
    expect(versionWith(sourceBy(), undefined)).to.deep.equal(storedSource(sourceBy()))
    const written = { uid: 'u', generation: 2 }
    expect(versionWith(sourceBy(before, ours), { ...RECORD, written })).to.equal(written)
  })

  it('N10: has the hash of what our write stored only as long as the source is so', () => {
    const written = storedSource(sourceBy(before, ours))
    expect(versionWith(sourceBy(before, ours), { ...RECORD, written })).to.equal(written)
    const edited = aDeployment({ image: 'cart:9', metadata: { uid: 'u', generation: 8 } })
    expect(versionWith(edited, { ...RECORD, written })).to.deep.equal({ uid: 'u', generation: 7 })
  })

  it('is the present version after a lost reply, if nobody has written the spec since', () => {
    const status = wrote('kube-controller-manager', '2026-11-21T10:00:09Z', { 'f:status': {} })
    expect(versionWith(sourceBy(before, ours, status), RECORD)).to.deep.equal(storedSource(sourceBy()))
  })

  it('is that of nobody after a lost reply, if others may have written the spec since', () => {
    for (const time of ['2026-11-21T10:00:05Z', '2026-11-21T10:00:06Z'])
      expect(versionWith(sourceBy(before, ours, wrote('helm', time)), RECORD).generation, time).to.equal(0)
    expect(versionWith(sourceBy(before), RECORD).generation).to.equal(0)
  })
})
