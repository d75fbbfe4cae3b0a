import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { aRun, aRunExperiment, aSource } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { withFormerRecord } from './promotions.ts'

const automatic = () => aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))

describe('the changes in the record of a promotion', () => {
  it('N11: name each change by its path, beside the patches of an earlier version', () => {
    const run = automatic()
    run.rest()
    expect(at(run.world.record?.data, 'changes')).to.deep.equal([
      { path: 'template.spec.containers[cart].image', before: 'example/cart:1', after: 'example/cart:2' },
    ])
    expect(run.world.record?.data).to.include.keys('forward', 'inverse')
  })

  it('N11: are left out where the record would be larger than a MiB', () => {
    const containers = [{ name: 'cart', image: 'example/cart:1', args: ['x'.repeat(530_000)] }]
    const of = { strategy: undefined, overrideType: 'Strategic', promotion: { mode: 'Automatic' } } as const
    const run = aRun(aRunExperiment(of), { source: aSource(10, 'any', { template: { spec: { containers } } }) })
    run.rest()
    expect(run.world.record?.data).to.include.keys('forward', 'inverse').and.not.include.keys('changes')
    run.say('undo')
    run.rest()
    expect(run.strategy()?.phase).to.equal('Undone')
  })

  it('N11: come instead of those of an earlier version when the source is promoted again', () => {
    const run = automatic()
    run.rest()
    withFormerRecord(run)
    const { metadata, ...changed } = aSource(10, 'example/cart:0')
    run.world.source = available({ ...changed, metadata: { ...metadata, generation: 3 } })
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('SourceReverted')
    run.say('promote')
    run.rest()
    expect(at(run.world.record?.data, 'changes')).to.deep.equal([
      { path: 'template.spec.containers[cart].image', before: 'example/cart:0', after: 'example/cart:2' },
    ])
  })
})
