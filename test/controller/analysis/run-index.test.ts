import { expect } from 'chai'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import { experimentOf, RunIndex } from '../../../controller/analysis/run-index.ts'
import { UID } from '../../builders.ts'
import { aRun } from './a-run.ts'

const EXPERIMENT = 'shop/faster-cart'

/** An index to which these runs were added, one after the other. */
function indexOf(...runs: readonly AnalysisRun[]): RunIndex {
  const index = new RunIndex()
  for (const run of runs) index.update({ is: 'added', key: `shop/${run.metadata.name}`, after: run })
  return index
}

const namesOf = (runs: readonly AnalysisRun[]): readonly string[] => runs.map(({ metadata }) => metadata.name)

describe('the index of analysis runs', () => {
  it('names the experiment of a run in its own namespace', () => expect(experimentOf(aRun())).to.equal(EXPERIMENT))

  it('has the runs of an experiment, and of no other one', () => {
    const index = indexOf(aRun(), aRun({ name: 'run-2' }), aRun({ name: 'run-3', experiment: { name: 'other' } }))
    expect(namesOf(index.of(EXPERIMENT, UID))).to.deep.equal(['run-1', 'run-2'])
    expect(index.keysOf(EXPERIMENT)).to.deep.equal(['shop/run-1', 'shop/run-2'])
    expect(index.keysOf('shop/third')).to.deep.equal([])
    expect(index.of('shop/third', UID)).to.deep.equal([])
  })

  it('keeps the runs of a former experiment of the same name apart', () => {
    const index = indexOf(aRun(), aRun({ name: 'old', experiment: { uid: 'former' } }))
    expect(namesOf(index.of(EXPERIMENT, UID))).to.deep.equal(['run-1'])
    expect(namesOf(index.of(EXPERIMENT, 'former'))).to.deep.equal(['old'])
    expect(index.keysOf(EXPERIMENT)).to.deep.equal(['shop/run-1', 'shop/old'])
  })

  it('has a run as it is after its last change, and names its experiment at each change', () => {
    const index = indexOf(aRun())
    const [before, after] = [aRun(), aRun({ status: { looks: 2 } })]
    expect(index.update({ is: 'updated', key: 'shop/run-1', before, after })).to.equal(EXPERIMENT)
    expect(index.of(EXPERIMENT, UID)).to.deep.equal([after])
    expect(index.update({ is: 'deleted', key: 'shop/run-1', before: after })).to.equal(EXPERIMENT)
    expect([index.of(EXPERIMENT, UID), index.keysOf(EXPERIMENT), index.size]).to.deep.equal([[], [], 0])
  })

  it('has a run that was recreated under its name once', () => {
    const index = indexOf(aRun())
    index.update({ is: 'deleted', key: 'shop/run-1', before: aRun() })
    index.update({ is: 'added', key: 'shop/run-1', after: aRun({ uid: 'again' }) })
    expect(index.of(EXPERIMENT, UID).map(({ metadata }) => metadata.uid)).to.deep.equal(['again'])
  })
})
