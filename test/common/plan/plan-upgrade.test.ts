import { expect } from 'chai'
import { DERIVED_HASH } from '../../../common/api/names.ts'
import { revisionOf } from '../../../common/fork/gated-spec.ts'
import { anExperiment } from '../../builders.ts'
import { assess, plan } from '../of-facts.ts'
import { imageIn } from '../run/promotions.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'
import { aRun, aRunExperiment, type RunOf } from './some-run.ts'

const fork = theFork()
const ofOtherVersion = {
  ...fork,
  metadata: { ...fork.metadata, annotations: { ...fork.metadata.annotations, [DERIVED_HASH]: 'of another version' } },
}
const planned = (given: Given) => plan(someFacts(given))
/** The source as the status of the last pass has it. */
const source = planned({ fork: ofOtherVersion }).conclusion.source?.()
const status = source ? { ...leftAt(3), source } : leftAt(3)
const upgraded: Given = { fork: ofOtherVersion, experiment: anExperiment({ status }) }

describe('R13: the plan for a fork that another version of the controller derived', () => {
  it('applies it at once, and says why', () => {
    const { writes, conclusion } = planned(upgraded)
    expect(writes.map(({ verb }) => verb)).to.deep.equal(['apply'])
    expect(conclusion).to.deep.include({ reason: 'Updating' })
    expect(conclusion.message).to.include('this version derives it differently')
  })

  it('writes nothing more when it has its own hash', () =>
    expect(planned({ ...upgraded, fork }).writes).to.deep.equal([]))

  it('keeps a pace if the other version writes its hash again', () => {
    const { writes, conclusion } = planned({ ...upgraded, driftBackoffMs: 8_000 })
    expect(writes).to.deep.equal([])
    expect(conclusion).to.deep.include({ is: 'waiting', retryAfterMs: 8_000 })
  })
})

describe('a run whose revision another version made of the template alone', () => {
  function begun(of: RunOf = {}) {
    const run = aRun(aRunExperiment(of))
    run.rest()
    const { experiment } = run.world
    const [strategy, wanted] = [run.strategy(), assess(run.facts())]
    if (!strategy || wanted.is !== 'wanted') throw new Error('there is a run')
    const revision = revisionOf(wanted.fork)
    const { wholeRun: _run, wholeRevision: _revision, ...former } = strategy
    run.world.experiment = { ...experiment, status: { ...experiment.status, strategy: { ...former, revision } } }
    return { run, revision }
  }
  const MANUAL = { strategy: { canary: { steps: [{ setWeight: 10 }] } }, promotion: { mode: 'Manual' } } as const

  it('goes on with its pause', () => {
    const { run } = begun()
    const { status } = run.world.experiment
    run.wait(3_000)
    run.rest()
    const { wholeRun, wholeRevision } = run.strategy() ?? {}
    const added = { ...status, strategy: { ...status?.strategy, wholeRun, wholeRevision } }
    expect(run.world.experiment.status).to.deep.equal(added)
    run.wait(660)
    run.rest()
    expect(run.step()).to.equal('3/7 Paused')
  })

  it('is promoted by an approval of that revision, which is stored already', () => {
    const { run, revision } = begun(MANUAL)
    run.edit({ promotion: { ...MANUAL.promotion, approvedRevision: revision } })
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  it('is not promoted by it after an edit, which has another revision', () => {
    const { run, revision } = begun(MANUAL)
    run.edit({ promotion: { ...MANUAL.promotion, approvedRevision: revision, force: true } })
    run.rest()
    expect([imageIn(run), run.reasonOf('Paused')]).to.deep.equal(['example/cart:1', 'AwaitingPromotion'])
    expect(run.strategy()?.revision).to.not.equal(revision)
  })
})
