import { expect } from 'chai'
import { imageOverride } from '../../builders.ts'
import { type Inside, inside, labelOf, passes } from '../plan/some-inside.ts'

describe('the sizes on which a run works', () => {
  it('has the sizes of Argo at 20, 40, 60 and 80 % of five pods', () => {
    const it = inside(5, [20, 40, 60, 80])
    const seen = [20, 40, 60, 80].map(() => {
      it.rest()
      const sizes = it.sizes()
      it.run.say('resume')
      return sizes
    })
    expect(seen).to.deep.equal([[1, 4], [2, 3], [3, 2], [4, 1]]) // biome-ignore format: pairs
  })

  it('begins again with another image only when the source has its pods', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.edit({ overrideSpec: imageOverride('example/cart:3') })
    it.rest()
    expect([it.sizes(), it.run.strategy()?.attempt, labelOf(it)]).to.deep.equal([[4, 1], 1, 'uid.5.1'])
    expect(JSON.stringify(it.run.world.fork?.spec)).to.contain('example/cart:3')
  })

  /** Passes until the source is written. Its rollout does not end. */
  function isWritten(it: Inside): void {
    it.rest()
    it.run.say('promote')
    for (let count = 0; count < 60 && !it.run.world.experiment.status?.promotion?.written; count += 1) {
      it.pass()
      it.start()
      it.pods.isStalled = JSON.stringify(it.run.world.source?.spec).includes('example/cart:2')
    }
  }
  const crash = (it: Inside) => () => {
    it.pods.fork = 0
    it.run.wait(120)
  }

  it('give a source that is written its pods back when no pod of the fork is ready', () => {
    const it = inside(5, [80])
    isWritten(it)
    passes(it, 20, crash(it))
    expect(it.sizes()[1]).to.equal(5)
  })

  it('let an undo be made while no pod of the fork is ready', () => {
    const it = inside(5, [80])
    isWritten(it)
    it.run.say('undo')
    passes(it, 20, crash(it))
    expect(JSON.stringify(it.run.world.source?.spec)).to.contain('example/cart:1')
  })
})
