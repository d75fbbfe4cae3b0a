import { expect } from 'chai'
import { SCALED } from '../../../common/api/names.ts'
import { imageOverride } from '../../builders.ts'
import { inside, labelOf, loseLabel, passes, setLabel, setSize } from '../plan/some-inside.ts'

describe('what is on a source that a canary made smaller', () => {
  it('gives the source its pods back at once when its label is gone, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    loseLabel(it)
    it.rest()
    expect([it.sizes()[1], it.run.reasonOf('Paused')]).to.deep.equal([5, 'SourceScaled'])
  })

  it('leaves a source alone that another experiment makes smaller', () => {
    const it = inside(5, [20])
    const { world } = it.run
    const others = 'c3d4.5.1'
    setSize(it, 1)
    world.source = world.source && {
      ...world.source,
      metadata: { ...world.source.metadata, labels: { [SCALED]: others } },
    }
    it.rest()
    expect([it.sizes(), it.run.reasonOf('Ready'), it.run.step()]).to.deep.equal([
      [0, 1],
      'SourceIsBusy',
      '0/6 Progressing',
    ])
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), world.source?.metadata.labels]).to.deep.equal([[0, 1], { [SCALED]: others }])
    expect(it.run.step()).to.equal('1/1 Aborted')
  })

  const OTHER = '99999999-9999-9999-9999-999999999999'

  for (const [end, weights] of [
    ['promote', [80]],
    ['abort', [20]],
  ] as const)
    it(`leaves the small source of another experiment alone after the command ${end}`, () => {
      const it = inside(5, weights)
      it.rest()
      it.run.say(end)
      it.rest()
      setLabel(it, `${OTHER}.5.1`, 1)
      passes(it, 4)
      expect([it.sizes()[1], it.run.world.source?.metadata.labels?.[SCALED]]).to.deep.equal([1, `${OTHER}.5.1`])
    })

  it('keeps the pods and the template of a fork whose source got the label of another experiment', () => {
    const it = inside(5, [80])
    it.rest()
    setLabel(it, `${OTHER}.5.1`)
    it.run.edit({ overrideSpec: imageOverride('example/cart:3') })
    it.pass()
    it.run.say('abort')
    passes(it, 3)
    expect(it.pods.fork + it.pods.source).to.be.at.least(5)
    expect(JSON.stringify(it.run.world.fork?.spec)).to.contain('example/cart:2')
  })

  it('does not change a number that somebody sets while the run is held', () => {
    const it = inside(5, [80])
    it.rest()
    loseLabel(it)
    it.rest()
    it.run.wait(3_600)
    setSize(it, 1)
    passes(it, 2)
    expect(it.sizes()[1]).to.equal(1)
  })

  it('does not change a number that somebody sets just before our first write', () => {
    const it = inside(5, [20])
    for (let count = 0; count < 30 && it.run.strategy()?.scaled === undefined; count += 1) {
      it.pass()
      it.start()
    }
    setSize(it, 4)
    passes(it, 3)
    expect(it.sizes()[1]).to.equal(4)
  })

  it('does not change a number that somebody sets just after our last write', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.say('abort')
    for (let count = 0; count < 60 && !(it.sizes()[1] === 5 && labelOf(it) === undefined); count += 1) {
      it.pass()
      it.start()
    }
    setSize(it, 4)
    passes(it, 2)
    expect(it.sizes()[1]).to.equal(4)
  })
})
