import { expect } from 'chai'
import { inside, labelOf, setSize } from '../plan/some-inside.ts'
import { aSource } from '../plan/some-run.ts'

describe('a canary inside its source, when its fork or somebody else changes', () => {
  it('takes the number of somebody else as the size, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    setSize(it, 3)
    it.rest()
    expect(it.sizes()[1]).to.equal(3)
    expect(it.run.reasonOf('Paused')).to.equal('SourceScaled')
    it.run.say('resume')
    it.rest()
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[0, 3], undefined])
  })

  it('takes the number of a source that was created again as the size, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    const { world } = it.run
    world.source = undefined
    it.rest()
    const again = aSource(5, 'example/cart:1', { strategy: { type: 'RollingUpdate' } })
    world.source = { ...again, metadata: { ...again.metadata, uid: 'another' } }
    it.rest()
    expect([it.sizes(), it.run.reasonOf('Paused'), labelOf(it)]).to.deep.equal([[2, 5], 'SourceScaled', undefined])
  })

  it('aborts when its fork has no ready pod', () => {
    const it = inside(5, [80])
    it.rest()
    it.pods.fork = 0
    it.pass()
    expect([it.run.strategy()?.path, it.run.strategy()?.cause]).to.deep.equal([
      'Abort',
      'deployment/cart gets its pods back, because no pod of the fork was ready',
    ])
    it.rest()
    expect(it.sizes()).to.deep.equal([0, 5])
  })
})
