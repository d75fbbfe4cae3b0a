import { expect } from 'chai'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld, START } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { aCutOver, pinsOf, withAvailable } from './blue-greens.ts'
import { imageIn, promotionIn, writesOf } from './promotions.ts'

/** The source at a later version, with another image. */
function changeTo({ world }: RunWorld, image: string) {
  const changed = aSource(10, image)
  const generation = (world.source?.metadata.generation ?? 0) + 1
  world.source = available({ ...changed, metadata: { ...changed.metadata, generation } })
}

const told = (run: RunWorld) => [run.reasonOf('Ready'), run.reasonOf('Promoted')]

const STRATEGY = { canary: { steps: [{ setWeight: 10 }], scaleDownDelaySeconds: 3_600 } }

describe('a source that is changed back while its fork is kept for a while', () => {
  const draining = () => {
    const run = aRun(aRunExperiment({ strategy: STRATEGY, promotion: { mode: 'Automatic' } }))
    run.rest()
    expect([run.step(), run.reasonOf('Promoted')]).to.deep.equal(['2/3 Progressing', 'Promoted'])
    return run
  }

  it('is told, keeps the fork, and is written again when somebody says so', () => {
    const run = draining()
    changeTo(run, 'example/cart:1')
    expect(writesOf(run)).to.deep.equal([])
    expect([run.step(), ...told(run)]).to.deep.equal(['1/3 Progressing', 'SourceReverted', undefined])
    run.wait(3_700)
    run.rest()
    expect(run.world.fork).to.not.equal(undefined)
    run.say('promote')
    expect(writesOf(run)).to.include('patch source')
    expect([imageIn(run), run.step()]).to.deep.equal(['example/cart:2', '2/3 Progressing'])
  })

  it('may be undone where the controller may not write it any more', () => {
    const run = draining()
    run.world.isPromotionInstalled = false
    changeTo(run, 'example/cart:1')
    run.rest()
    expect(run.messageOf()).to.contain('apply status.promotion.patch where it is declared, or give the command undo')
    run.say('undo')
    expect(writesOf(run)).to.not.include('patch source')
    expect(run.strategy()?.phase).to.equal('Undone')
  })

  it('goes on by itself when it has the change again, with the whole delay', () => {
    const run = draining()
    changeTo(run, 'example/cart:1')
    run.rest()
    run.wait(3_000)
    changeTo(run, 'example/cart:2')
    run.rest()
    expect([run.step(), run.reasonOf('Promoted')]).to.deep.equal(['2/3 Progressing', 'Promoted'])
    run.wait(3_000)
    run.rest()
    expect(run.world.fork).to.not.equal(undefined)
  })

  it('is not judged by a state that is older than the write', () => {
    const run = draining()
    run.world.source = aSource()
    run.rest()
    expect([run.step(), run.reasonOf('Promoted')]).to.deep.equal(['2/3 Progressing', 'Promoted'])
  })

  it('keeps the fork of a blue-green, and its Service where it is', () => {
    const run = aCutOver({ scaleDownDelaySeconds: 60 })
    run.say('promote')
    run.rest()
    expect([run.step(), pinsOf(run)[0]]).to.deep.equal(['7/8 Progressing', 'shared'])
    changeTo(run, 'example/cart:1')
    run.wait(61)
    expect(writesOf(run)).to.deep.equal([])
    expect([run.step(), ...told(run)]).to.deep.equal(['7/8 Progressing', 'SourceReverted', undefined])
    expect(run.messageOf()).to.equal(
      'deployment/cart no longer has the change; the fork is kept until it is there again',
    )
    changeTo(run, 'example/cart:2')
    run.rest()
    expect([run.step(), run.world.fork]).to.deep.equal(['8/8 Promoted', undefined])
  })

  it('is not said to have the change while the Services of a blue-green are returned, which goes on', () => {
    const run = aCutOver({ scaleDownDelaySeconds: 60 })
    run.say('promote')
    while (run.strategy()?.stepName !== 'return') run.pass()
    const { source } = run.world
    changeTo(run, 'example/cart:1')
    run.world.source = withAvailable(run.world.source, 0)
    run.rest()
    expect([run.step(), ...told(run), pinsOf(run)[0]]).to.deep.equal([
      '6/8 Progressing',
      'WaitsForSource',
      undefined,
      'shared',
    ])
    run.world.source = source
    run.rest()
    expect([run.step(), run.reasonOf('Promoted')]).to.deep.equal(['7/8 Progressing', 'Promoted'])
  })

  it('is not written without a word, where others had made the change and took it back at once', () => {
    const run = aRun(aRunExperiment({ strategy: STRATEGY, promotion: { mode: 'Manual' } }))
    run.rest()
    changeTo(run, 'example/cart:2')
    while (run.strategy()?.stepName !== 'promote') run.pass()
    changeTo(run, 'example/cart:1')
    expect(writesOf(run)).to.not.include('patch source')
    expect([imageIn(run), ...told(run)]).to.deep.equal(['example/cart:1', 'SourceReverted', undefined])
    run.say('promote')
    expect(writesOf(run)).to.include('patch source')
  })
})

describe('a change that others made and took back', () => {
  /** A run without a word of ours, at `step`, whose source had the change and lost it. */
  function takenBackAt(step: string, of: RunOf = {}) {
    const metadata = { creationTimestamp: START.toISOString() }
    const promotion = { mode: 'Export' } as const
    const run = aRun(aRunExperiment({ strategy: STRATEGY, promotion, metadata, ...of }))
    run.rest()
    changeTo(run, 'example/cart:2')
    if (step === 'promote') run.world.source = withAvailable(run.world.source, 0) // its own rollout goes on
    const isThere = () => run.strategy()?.stepName === step && promotionIn(run)?.written !== undefined
    for (let passes = 0; passes < 40 && !isThere(); passes += 1) run.pass()
    expect(isThere()).to.equal(true)
    changeTo(run, 'example/cart:1')
    return run
  }
  const ended = (run: RunWorld) => [run.strategy()?.phase, run.pods() ?? 0, imageIn(run)]

  it('ends the run while its fork is kept for a while: the fork has what was just rolled back', () => {
    const run = takenBackAt('drain 1h')
    expect(writesOf(run)).to.not.include('patch source')
    expect(ended(run)).to.deep.equal(['Aborted', 0, 'example/cart:1'])
  })

  it('is waited for again, with the patch and what else can be said', () => {
    const run = takenBackAt('promote')
    run.rest()
    expect([run.step(), ...told(run)]).to.deep.equal(['1/3 Progressing', 'SourceReverted', undefined])
    expect(run.messageOf()).to.equal(
      'deployment/cart no longer has the change; the fork is kept; ' +
        'apply status.promotion.patch where it is declared, or give the command abort',
    )
    expect(promotionIn(run)?.patch).to.contain('example/cart:2')
    changeTo(run, 'example/cart:2')
    run.rest()
    expect([run.step(), run.reasonOf('Promoted')]).to.deep.equal(['2/3 Progressing', 'Promoted'])
  })

  it('leaves nothing that keeps a blue-green from its way back when no pod of the fork is ready', () => {
    const run = aCutOver({}, { promotion: { mode: 'Export' } })
    run.wait(31)
    run.rest()
    changeTo(run, 'example/cart:2')
    run.world.source = withAvailable(run.world.source, 0) // its own rollout goes on
    run.rest()
    expect(promotionIn(run)?.written).to.not.equal(undefined)
    changeTo(run, 'example/cart:1')
    run.rest()
    expect([run.strategy()?.stepName, run.reasonOf('Ready')]).to.deep.equal(['promote', 'SourceReverted'])
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, isReady: false, hasReadyContainers: false }))
    expect(run.pass().conclusion.run?.moved?.reason).to.equal('Returned')
    run.rest()
    expect([run.strategy()?.phase, pinsOf(run)[0]]).to.deep.equal(['Aborted', 'shared'])
  })

  it('may be aborted before, and expires', () => {
    const aborted = takenBackAt('promote')
    aborted.rest()
    aborted.say('abort')
    aborted.rest()
    expect(ended(aborted)).to.deep.equal(['Aborted', 0, 'example/cart:1'])
    const expired = takenBackAt('promote', { ttlSeconds: 3_600 })
    expired.wait(3_601)
    expired.rest()
    expect([expired.reasonOf('Ready'), expired.world.fork]).to.deep.equal(['Expired', undefined])
  })
})
