import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { mustSeeSource, seenIn, seenNow, withSeenSource } from '../../../common/situation/seen-now.ts'
import { anExperiment } from '../../builders.ts'
import { runState } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource } from '../plan/some-run.ts'

const facts = (of: Partial<Facts> = {}): Facts => ({
  ...someFacts({ experiment: aRunExperiment(), source: aSource() }),
  ...of,
})
const live = (image: string) => ({ source: known(aSource(10, image)), record: ABSENT })

describe('what a run sees of its source', () => {
  it('N12: is of the source that was just read, or else of the cached one', () => {
    expect(seenNow(facts())).to.deep.equal(seenIn(facts(), aSource()))
    const promotion = live('example/cart:3')
    expect(seenNow(facts({ promotion }))).to.deep.equal(seenIn(facts(), aSource(10, 'example/cart:3')))
  })

  it('N12: is not known without the source or the schema', () => {
    expect(seenNow(facts({ source: unknown('too large') }))).to.equal(undefined)
    expect(seenNow(facts({ schema: unknown('not read') }))).to.equal(undefined)
  })

  it('N12: stays as it was stored, and is forgotten on a way back', () => {
    const { run, steps } = runState(facts(), undefined) ?? expect.fail('there is a run')
    const seen = { values: 'a' }
    expect(withSeenSource(facts(), { ...run, seen }, steps).seen).to.deep.include(seen)
    expect(withSeenSource(facts(), run, steps).seen).to.deep.include(seenNow(facts()))
    expect(withSeenSource(facts(), { ...run, seen, path: 'Abort' }, steps)).to.not.have.property('seen')
  })
})

describe('whether the source must be read as it is now', () => {
  /** The experiment once its run rests. */
  const stored = (verb?: string): ExperimentDeployment => {
    const run = aRun()
    run.rest()
    if (verb) run.say(verb)
    if (verb) run.rest()
    return run.world.experiment
  }
  const without = ({ status, ...others }: ExperimentDeployment): ExperimentDeployment => {
    const { seen: _seen, ...strategy } = status?.strategy ?? expect.fail('there is a run')
    return { ...others, status: { ...status, strategy } }
  }

  it('N12: is when a run begins: the first, another one, and one that an earlier version stored', () => {
    expect(mustSeeSource(aRunExperiment())).to.equal(true)
    const { spec, ...others } = stored()
    expect(mustSeeSource({ ...others, spec: { ...spec, promotion: { mode: 'Automatic' } } })).to.equal(true)
    expect(mustSeeSource(without(stored()))).to.equal(true)
  })

  it('N12: is not in the midst of a run, on its way back, and without one', () => {
    expect([stored(), stored('abort'), anExperiment()].map(mustSeeSource)).to.deep.equal([false, false, false])
  })
})
