import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { at, listOr, objectOr } from '../../../common/json/json.ts'
import { promotionRecordName } from '../../../common/workload/identity.ts'
import { ownerOfRevision } from '../../../common/writes/revision-owner.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'

const automatic = () =>
  aRun(aRunExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }] } }, promotion: { mode: 'Automatic' } }))
const imageIn = ({ world }: RunWorld) =>
  at(listOr(at(world.source?.spec, 'template', 'spec', 'containers'))[0], 'image')
const sourceWrites = (run: RunWorld) => run.rest().filter(({ role }) => role === 'source').length

/** Takes the whole memory of the run away, as a person who empties the status. */
function empty({ world }: RunWorld, status: ExperimentDeploymentStatus = {}) {
  world.experiment = { ...world.experiment, status }
}

function undone() {
  const run = automatic()
  run.rest()
  run.say('undo')
  run.rest()
  expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  return run
}

describe('the record of a promotion', () => {
  it('says of which run it is, what was changed and by whose word', () => {
    const run = automatic()
    run.rest()
    const { record, experiment } = run.world
    expect(record?.metadata.name).to.equal(promotionRecordName(experiment))
    expect(record?.data).to.deep.include({ run: run.strategy()?.run, attempt: 0, revision: run.strategy()?.revision })
    const [container] = listOr(at(record?.data, 'inverse', 'template', 'spec', 'containers'))
    expect(at(container, 'image')).to.equal('example/cart:1')
  })

  it('keeps an Automatic promotion from a second write after an undo and an emptied status', () => {
    const run = undone()
    empty(run)
    expect(sourceWrites(run)).to.equal(0)
    expect([imageIn(run), run.reasonOf('Ready')]).to.deep.equal(['example/cart:1', 'SourceReverted'])
    expect(run.messageOf('Ready')).to.equal(
      `controllerrevision/${run.world.record?.metadata.name} says that deployment/cart may have the change already, but the status does not know this record; "promote" writes the change, and "abort" ends the run`,
    )
    run.say('promote')
    expect(sourceWrites(run)).to.equal(1)
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  it('does not keep a promotion from it that somebody said after the status was emptied', () => {
    const run = aRun(aRunExperiment({ promotion: { mode: 'Manual' } }))
    for (const verb of ['promote', 'undo']) {
      run.rest()
      run.say(verb)
    }
    run.rest()
    empty(run)
    run.rest()
    run.say('promote')
    expect(sourceWrites(run)).to.equal(1)
  })

  it('does not keep a retry from it, which somebody said', () => {
    const run = undone()
    run.say('retry')
    expect(sourceWrites(run)).to.equal(1)
    expect(run.strategy()?.attempt).to.equal(1)
    expect(run.world.record?.data).to.deep.include({ attempt: 1 })
  })

  it('does not keep an edit from it, also one that was made before', () => {
    const run = undone()
    run.edit({ promotion: { mode: 'Manual' } })
    run.rest()
    run.edit({ promotion: { mode: 'Automatic' } })
    expect(sourceWrites(run)).to.equal(1)
    expect(run.strategy()?.attempt).to.equal(2)
  })

  it('undoes nothing after the status was emptied, because anybody may have written it', () => {
    const run = automatic()
    run.rest()
    empty(run)
    expect(sourceWrites(run)).to.equal(0)
    expect(run.world.experiment.status?.promotion?.written).to.not.equal(undefined)
    run.say('undo')
    expect(sourceWrites(run)).to.equal(0)
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  describe('that somebody has made before the promotion', () => {
    /** A run whose first pass at its promotion finds a record that says it is of this run. */
    function withForged(promotion: NonNullable<RunOf['promotion']>, { isOwned = true } = {}) {
      const run = aRun(aRunExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }] } }, promotion }))
      run.pass()
      const { experiment } = run.world
      const owner = isOwned ? ownerOfRevision(experiment) : {}
      const metadata = { name: promotionRecordName(experiment), namespace: 'shop', uid: 'forged', ...owner }
      const data = { run: run.strategy()?.run, attempt: 99, forward: {}, inverse: { paused: true } }
      run.world.record = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 1, data }
      run.rest()
      return run
    }
    const isPaused = ({ world }: RunWorld) => at(world.source?.spec, 'paused')

    it('A34: keeps an Automatic one waiting for a person, and undo does not write what it says', () => {
      const run = withForged({ mode: 'Automatic' })
      expect([imageIn(run), run.reasonOf('Ready')]).to.deep.equal(['example/cart:1', 'SourceReverted'])
      run.say('undo')
      expect(sourceWrites(run)).to.equal(0)
      expect([isPaused(run), run.world.experiment.status?.promotion?.record]).to.deep.equal([undefined, undefined])
    })

    it('does not keep it from being aborted', () => {
      const run = withForged({ mode: 'Automatic' })
      run.say('abort')
      run.rest()
      expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Aborted'])
    })

    it('is replaced when a person promotes, so that undo gives back the former values', () => {
      for (const mode of ['Automatic', 'Manual'] as const) {
        const run = withForged({ mode })
        run.say('promote')
        run.rest()
        expect(imageIn(run)).to.equal('example/cart:2')
        run.say('undo')
        run.rest()
        expect([imageIn(run), isPaused(run)]).to.deep.equal(['example/cart:1', undefined])
      }
    })

    it('is never deleted if it has another owner: the name is taken, until somebody removes it', () => {
      const run = withForged({ mode: 'Automatic' }, { isOwned: false })
      run.say('promote')
      run.rest()
      expect([imageIn(run), run.reasonOf('Ready')]).to.deep.equal(['example/cart:1', 'NameConflict'])
      expect(run.messageOf('Ready')).to.contain(`controllerrevision/${run.world.record?.metadata.name} already exists`)
      run.world.record = undefined
      run.rest()
      expect(imageIn(run)).to.equal('example/cart:2')
    })

    it('changes nothing where somebody else writes the source', () => {
      const run = withForged({ mode: 'Export' })
      const { patch, record } = run.world.experiment.status?.promotion ?? {}
      expect([run.strategy()?.stepName, patch === undefined, record]).to.deep.equal(['promote', false, undefined])
    })

    it('is not used where the promotion has to wait for its source', () => {
      const run = withForged({ mode: 'Manual' })
      run.world.source = { ...aSource(), status: { observedGeneration: 0 } }
      run.say('promote')
      run.rest()
      run.say('undo')
      expect([sourceWrites(run), isPaused(run)]).to.deep.equal([0, undefined])
    })
  })

  it('is not used once the strategy was removed from the spec', () => {
    const run = automatic()
    run.rest()
    const { strategy, promotion } = run.world.experiment.spec
    run.edit({ strategy: undefined, promotion: undefined })
    run.rest()
    run.edit({ strategy, promotion })
    run.rest()
    run.wait(31)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Promoted')
    run.say('undo')
    expect(sourceWrites(run)).to.equal(0)
  })

  it('takes over nothing from one that somebody puts in its place before the next one is stored', () => {
    const run = automatic()
    run.rest()
    const first = run.world.record
    const { metadata, ...changed } = aSource(10, 'example/cart:9')
    run.world.source = available({ ...changed, metadata: { ...metadata, generation: 3 } })
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('SourceReverted')
    run.say('promote', 'bob')
    const told = () => run.world.experiment.status?.promotion?.record?.hash
    const before = told()
    while (told() === before) run.pass()
    expect(run.world.record).to.equal(first)
    const data = { ...objectOr(first?.data), inverse: { paused: true } }
    if (first) run.world.record = { ...first, data }
    expect(sourceWrites(run)).to.equal(1)
    expect(at(run.world.record?.data, 'inverse')).to.have.all.keys('template')
  })

  it('of another run says nothing', () => {
    const run = automatic()
    run.rest()
    run.world.source = aSource()
    empty(run)
    run.edit({ promotion: { mode: 'Automatic', skipSteps: true } })
    expect(sourceWrites(run)).to.equal(1)
  })

  describe('that cannot be read', () => {
    const because = 'it is too large: it is nested deeper than 100 levels'
    const unread = (run: RunWorld) => ({
      promotion: { source: known(run.world.source ?? aSource()), record: unknown(because) },
    })
    const behindUnread = () => {
      const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
      expect(run.rest(40, unread(run)).filter(({ role }) => ['source', 'record'].includes(role))).to.deep.equal([])
      return run
    }

    it('N37d: keeps the source from being written, is told with its name, and keeps it no longer when it is gone', () => {
      const run = behindUnread()
      expect([run.reasonOf('Stalled'), run.messageOf('Ready')]).to.deep.equal([
        'NameConflict',
        `controllerrevision/${promotionRecordName(run.world.experiment)} could not be read (${because}); delete it, and the run goes on`,
      ])
      expect(sourceWrites(run)).to.equal(1)
    })

    it('N37d: does not keep it from being aborted', () => {
      const run = behindUnread()
      run.say('abort')
      run.rest(40, unread(run))
      expect(run.strategy()?.phase).to.equal('Aborted')
    })
  })
})
