import { expect } from 'chai'
import { SCALED } from '../../../common/api/names.ts'
import { inside, loseLabel, setSize } from '../plan/some-inside.ts'

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
})
