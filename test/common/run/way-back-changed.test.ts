import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, listOr } from '../../../common/json/json.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { imageIn, promotionIn, withFormerRecord, writesOf } from './promotions.ts'

describe('an undo where somebody has changed the source since', () => {
  const sourceWith = (cart: string, sidecar: string, replicas = 10) => {
    const containers = [
      { name: 'cart', image: cart },
      { name: 'sidecar', image: sidecar },
    ]
    return aSource(replicas, 'any', { template: { spec: { containers } } })
  }

  /** A run that has written the image of `cart`, and not seen yet that the source has it. */
  function written() {
    const experiment = aRunExperiment({ overrideType: 'Strategic', promotion: { mode: 'Manual' } })
    const run = aRun(experiment, { source: sourceWith('example/cart:1', 'sidecar:1') })
    run.rest()
    run.say('promote')
    while (!promotionIn(run)?.written) run.pass()
    return run
  }

  /** The undo after `changed` came while the source replaced its pods. */
  function undone(run: RunWorld, changed: KubeObject) {
    const generation = (run.world.source?.metadata.generation ?? 0) + 1
    run.world.source = { ...changed, metadata: { ...changed.metadata, generation }, status: {} }
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('Promoting')
    run.world.source = available(run.world.source)
    run.rest()
    run.say('undo')
    return writesOf(run)
  }

  const imagesIn = ({ world }: RunWorld) =>
    listOr(at(world.source?.spec, 'template', 'spec', 'containers')).map((container) => at(container, 'image'))

  it('N11: takes back what it wrote, and leaves the change of another item of the same list', () => {
    const run = written()
    expect(undone(run, sourceWith('example/cart:2', 'sidecar:2'))).to.include('patch source')
    expect([imagesIn(run), run.strategy()?.phase]).to.deep.equal([['example/cart:1', 'sidecar:2'], 'Undone'])
  })

  it('N11: leaves such a change that comes while the source replaces its pods', () => {
    const run = written()
    run.rest()
    run.say('undo')
    while (!promotionIn(run)?.restored) run.pass()
    const { metadata } = run.world.source ?? aSource()
    const generation = (metadata.generation ?? 0) + 1
    const changed = sourceWith('example/cart:1', 'sidecar:2')
    run.world.source = available({ ...changed, metadata: { ...changed.metadata, generation } })
    expect(writesOf(run)).to.not.include('patch source')
    expect([imagesIn(run), run.strategy()?.phase]).to.deep.equal([['example/cart:1', 'sidecar:2'], 'Undone'])
  })

  it('N11: is refused by a record of an earlier version, whose lists are whole, and never comes later', () => {
    const run = written()
    run.rest()
    withFormerRecord(run)
    const before = run.world.source
    run.world.source = sourceWith('example/cart:2', 'sidecar:2')
    run.rest()
    run.say('undo')
    expect(writesOf(run)).to.deep.equal([])
    const { answer, message } = run.strategy()?.command ?? {}
    const why = 'deployment/cart was changed after the promotion, so it stays as it is'
    expect([answer, message]).to.deep.equal(['Refused', `undo: ${why}; change the source by hand`])
    run.world.source = before
    expect(writesOf(run)).to.not.include('patch source')
  })

  it('N11: is made by a record of an earlier version, where the change is as it was', () => {
    const run = written()
    run.rest()
    withFormerRecord(run)
    run.say('undo')
    expect(writesOf(run)).to.include('patch source')
    expect([imagesIn(run), run.strategy()?.phase]).to.deep.equal([['example/cart:1', 'sidecar:1'], 'Undone'])
  })

  it('N11: an undo that an earlier version could not make stays as it is, and ends by abort', () => {
    const run = written()
    run.rest()
    run.say('undo')
    while (run.strategy()?.stepName !== 'restore') run.pass()
    withFormerRecord(run)
    run.world.source = sourceWith('example/cart:2', 'sidecar:2')
    expect(writesOf(run)).to.not.include('patch source')
    const why = 'deployment/cart was changed after the promotion, so it stays as it is'
    expect([run.reasonOf('Ready'), run.messageOf()]).to.deep.equal([
      'SourceDrifted',
      `${why}; change the source by hand, or give the command abort, which leaves deployment/cart as it is`,
    ])
    run.say('abort')
    run.rest()
    expect([imagesIn(run), run.strategy()?.phase]).to.deep.equal([['example/cart:2', 'sidecar:2'], 'Aborted'])
  })

  it('N11: keeps the fork, although it is aborted, until the rollout of the source ends', () => {
    const run = written()
    run.rest()
    run.say('undo')
    while (!promotionIn(run)?.restored) run.pass()
    const { status: _none, ...source } = run.world.source ?? aSource()
    run.world.source = source
    const pods = run.pods()
    run.say('abort')
    run.rest()
    expect(run.strategy()?.command?.answer).to.equal('Refused')
    expect([run.pods(), run.strategy()?.phase]).to.deep.equal([pods, 'Undoing'])
    run.world.source = available(source)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Undone')
  })

  it('restores what it wrote, if the change is about something else', () => {
    const run = written()
    expect(undone(run, sourceWith('example/cart:2', 'sidecar:1', 7))).to.include('patch source')
    expect([imageIn(run), run.world.source && replicasOf(run.world.source)]).to.deep.equal(['example/cart:1', 7])
  })

  it('N11: does so also after the reply to the write was lost', () => {
    const run = written()
    const { written: _lost, ...others } = promotionIn(run) ?? { mode: 'Manual' as const }
    run.world.experiment = { ...run.world.experiment, status: { ...run.world.experiment.status, promotion: others } }
    expect(undone(run, sourceWith('example/cart:2', 'sidecar:2'))).to.include('patch source')
    expect(imagesIn(run)).to.deep.equal(['example/cart:1', 'sidecar:2'])
  })
})
