import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { objectOr } from '../../../common/json/json.ts'
import { changesIn } from '../../../common/situation/undo.ts'
import { imageOverride, POD } from '../../builders.ts'
import { undoOf } from '../of-facts.ts'
import { aRun, aRunExperiment, aSource } from '../plan/some-run.ts'
import { withFormerRecord } from '../run/promotions.ts'

const IMAGE = 'template.spec.containers[cart].image'

function promoted() {
  const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
  run.rest()
  return run
}

/** The status as an earlier version stored it: without the hash of what the API server returned for the undo. */
function withoutHash({ world }: ReturnType<typeof aRun>): void {
  const { status } = world.experiment
  const { promotion } = status ?? {}
  if (!promotion?.restored) throw new Error('the undo has written the source')
  const { hash: _hash, ...restored } = promotion.restored
  world.experiment = { ...world.experiment, status: { ...status, promotion: { ...promotion, restored } } }
}

describe('what an undo can do', () => {
  it('N11: takes back what the source still has', () => {
    const run = promoted()
    const undo = undoOf(run.facts())
    expect(undo).to.deep.include({ is: 'possible', isDone: false, taken: [IMAGE], left: [] })
    run.world.source = aSource(10, 'example/cart:3')
    expect(undoOf(run.facts())).to.deep.include({ is: 'possible', isDone: true, taken: [], left: [IMAGE] })
  })

  it('N11: is not known without the source, the schema or a promotion', () => {
    const run = promoted()
    const facts = run.facts()
    expect(undoOf({ ...facts, promotion: undefined })).to.equal(undefined)
    expect(undoOf({ ...facts, schema: ABSENT })).to.equal(undefined)
    expect(undoOf(aRun().facts())).to.equal(undefined)
  })

  it('N11: is nothing where the record is gone, or cannot be read, unless nothing was written', () => {
    const run = promoted()
    const { promotion, ...facts } = run.facts()
    const withRecord = (record: typeof ABSENT | ReturnType<typeof unknown>) =>
      promotion && undoOf({ ...facts, promotion: { ...promotion, record } })
    expect(withRecord(ABSENT)).to.deep.equal({ is: 'impossible', because: 'the record of the former values is gone' })
    expect(withRecord(unknown('it is too large'))).to.deep.equal({
      is: 'impossible',
      because: 'the record of the former values is not known: it is too large',
    })
    const early = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    while (!early.world.experiment.status?.promotion?.record) early.pass()
    early.world.record = undefined
    expect(undoOf(early.facts())).to.deep.include({ is: 'possible', isDone: true })
  })

  it('N11: is all or nothing by a record of an earlier version', () => {
    const run = promoted()
    withFormerRecord(run)
    expect(undoOf(run.facts())).to.deep.include({ is: 'possible', isDone: false, taken: [IMAGE] })
    run.world.source = aSource(10, 'example/cart:3')
    expect(undoOf(run.facts())).to.deep.equal({
      is: 'impossible',
      because: 'deployment/cart was changed after the promotion, so it stays as it is',
    })
    run.world.source = aSource()
    expect(undoOf(run.facts())).to.deep.include({ is: 'possible', isDone: true, taken: [] })
  })

  it('N11: is not made a second time by a record of an earlier version', () => {
    const run = promoted()
    withFormerRecord(run)
    run.say('undo')
    while (!run.world.experiment.status?.promotion?.restored) run.pass()
    const { metadata, ...others } = aSource(10, 'example/cart:2')
    const withGeneration = (generation: number) => ({ ...others, metadata: { ...metadata, generation } })
    const { generation = 0 } = run.world.source?.metadata ?? {}
    const impossible = {
      is: 'impossible',
      because: 'deployment/cart was changed after it was restored, so it stays as it is',
    }
    run.world.source = withGeneration(generation + 1)
    expect(undoOf(run.facts())).to.deep.equal(impossible)
    withoutHash(run)
    expect(undoOf(run.facts())).to.deep.equal(impossible)
    run.world.source = withGeneration(generation)
    expect(undoOf(run.facts())).to.deep.include({ is: 'possible', isDone: false }) // it was not stored
  })

  it('N11: the changes in a record of an earlier version follow from its patches', () => {
    const { record } = promoted().world
    const { changes, ...data } = objectOr(record?.data)
    const spec = objectOr(aSource().spec) as JsonObject
    if (!record) throw new Error('there is a record')
    const of = { spec, shape: POD }
    expect(changesIn({ ...record, data }, of)).to.deep.equal(changesIn(record, of))
    expect(changes).to.have.lengthOf(1)
    expect(changesIn({ ...record, data: {} }, of)).to.equal(undefined)
    expect(known(record).is).to.equal('known')
  })

  it('N11: lists without keys are one value', () => {
    const overrideSpec = {
      template: { spec: { containers: [{ name: 'cart', image: 'example/cart:1', args: ['b'] }] } },
    }
    const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode: 'Automatic' } }))
    run.rest()
    const undo = undoOf(run.facts())
    expect(undo?.is === 'possible' && undo.taken).to.deep.equal(['template.spec.containers[cart].args'])
    expect(imageOverride('x')).to.have.property('template')
  })
})
