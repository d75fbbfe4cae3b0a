import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import { FORK_FINALIZER, OWNER_UID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { objectOr } from '../../../common/json/json.ts'
import { aDeployment, UID } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { imageIn } from '../run/promotions.ts'
import { aRun, aRunExperiment, aSource, type RunWorld, START } from './some-run.ts'

/** A run whose source has the change, and is not ready yet. */
function promoting() {
  const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
  while (run.world.source?.metadata.generation !== 2) run.pass()
  const { source } = run.world
  run.world.source = { ...source, status: { observedGeneration: 2, replicas: 10, updatedReplicas: 4 } }
  run.rest()
  return run
}

function deletedAfter(run: RunWorld, seconds: number, finalizers = [FORK_FINALIZER]) {
  const { world } = run
  const deletionTimestamp = new Date(world.now.getTime() - seconds * 1_000).toISOString()
  const { metadata } = world.experiment
  world.experiment = { ...world.experiment, metadata: { ...metadata, deletionTimestamp, finalizers } }
  return plan(run.facts())
}

const rolesOf = (writes: readonly { verb: string; role: string }[]) => writes.map(({ verb, role }) => `${verb} ${role}`)
const finalizersOf = ({ world }: RunWorld) => world.experiment.metadata.finalizers ?? []

describe('the finalizer of a promotion', () => {
  it('is there before the source is written, and goes with the fork', () => {
    const run = promoting()
    expect(finalizersOf(run)).to.deep.equal([FORK_FINALIZER])
    const { source } = run.world
    const counts = { replicas: 10, updatedReplicas: 10, readyReplicas: 10, availableReplicas: 10 }
    if (source) run.world.source = { ...source, status: { observedGeneration: 2, ...counts } }
    run.rest()
    expect(finalizersOf(run)).to.deep.equal([FORK_FINALIZER])
    run.wait(30)
    run.rest()
    expect([run.strategy()?.phase, finalizersOf(run)]).to.deep.equal(['Promoted', []])
  })

  it('is not there in an Export, which writes nothing', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Export' } }))
    run.rest()
    expect(finalizersOf(run)).to.deep.equal([])
  })
})

describe('a deletion in the middle of a promotion', () => {
  it('keeps the fork until the rollout of the source is over', () => {
    const run = promoting()
    const { writes, conclusion } = deletedAfter(run, 60)
    expect(writes).to.deep.equal([])
    expect([conclusion.reason, conclusion.is === 'waiting' && conclusion.retryAfterMs]).to.deep.equal([
      'Terminating',
      2_000,
    ])
    expect(conclusion.message).to.match(/^its fork serves until deployment\/cart has its pods: /)
  })

  it('waits at most the progress deadline of the source', () => {
    const run = promoting()
    expect(rolesOf(deletedAfter(run, 601).writes)).to.deep.equal(['patch fork'])
    const { source } = run.world
    if (source) run.world.source = { ...source, spec: { ...objectOr(source.spec), progressDeadlineSeconds: 50 } }
    expect(rolesOf(deletedAfter(run, 51).writes)).to.deep.equal(['patch fork'])
  })

  it('waits for nothing when the source is ready, or cannot be read', () => {
    const run = promoting()
    run.world.source = undefined
    expect(rolesOf(deletedAfter(run, 1).writes)).to.deep.equal(['patch fork'])
  })

  it('lets the experiment go when its fork shall be left alone', () => {
    const run = promoting()
    const { writes } = deletedAfter(run, 1, [FORK_FINALIZER, 'orphan'])
    expect(rolesOf(writes)).to.deep.equal(['patch experiment'])
  })

  it('deletes the record in another namespace, which garbage collection does not', () => {
    const sourceRef = { kind: 'Deployment' as const, name: 'cart', namespace: 'stock' }
    const run = aRun(aRunExperiment({ strategy: undefined, sourceRef }))
    const left = (labels: Record<string, string>): readonly string[] => {
      const record: KubeObject = aDeployment({ name: 'record', metadata: { labels } })
      deletedAfter(run, 1)
      const facts = run.facts()
      const promotion = { source: { is: 'absent' } as const, record: known(record) }
      return rolesOf(plan({ ...facts, fork: { is: 'absent' }, promotion }).writes)
    }
    expect(left({ [OWNER_UID]: UID })).to.deep.equal(['delete record', 'patch experiment'])
    expect(left({})).to.deep.equal(['patch experiment'])
  })
})

describe('an expiry in the middle of a promotion', () => {
  const metadata = { creationTimestamp: START.toISOString() }
  const expiring = () =>
    aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' }, ttlSeconds: 3_600, metadata }))
  const ends = (run: RunWorld) => {
    run.wait(4_000)
    run.rest()
    return [imageIn(run), run.strategy()?.phase, run.world.fork === undefined]
  }

  it('waits for the rollout of a source that has the change', () => {
    const run = expiring()
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { source } = run.world
    run.world.source = { ...(source ?? aDeployment()), status: { observedGeneration: 2, replicas: 10 } }
    expect(ends(run)).to.deep.equal(['example/cart:2', 'Progressing', false])
  })

  it('aborts where the source holds back, although what shall be written is recorded', () => {
    const run = expiring()
    while (!run.world.record) run.pass()
    run.world.source = aSource(10, 'example/cart:1', { paused: true })
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('SourceHoldsBack')
    expect(ends(run)).to.deep.equal(['example/cart:1', 'Aborted', true])
  })
})
