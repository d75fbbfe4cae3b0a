import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import { openPods } from '../../../common/strategy/gate.ts'
import { ANY_SCHEMA, imageOverride, installing } from '../../builders.ts'
import { serving } from '../plan/simulated-pods.ts'
import { aService } from '../plan/simulated-services.ts'
import { aRun, aRunExperiment, type RunWorld } from '../plan/some-run.ts'
import { aBlueGreen, aCutOver, ID, once, PREVIEWED, pinsOf, previewSpec, told, withAvailable } from './blue-greens.ts'
import { imageIn } from './promotions.ts'

const aborted = (run: RunWorld): void => run.say('abort')

function deleted(run: RunWorld): void {
  const { experiment, now } = run.world
  const metadata = { ...experiment.metadata, deletionTimestamp: now.toISOString() }
  run.world.experiment = { ...experiment, metadata }
}

const CREATED = { creationTimestamp: '2026-11-21T10:00:00Z' }

describe('the way back of a blue-green', () => {
  it('unpins, waits for the slices, and only then shuts the pods', () => {
    const run = aCutOver()
    run.say('abort')
    expect(once(told(run.rest()))).to.deep.equal(['patch service cart', 'patch service cart-preview', 'apply pod'])
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
    expect([run.world.pods.length, openPods(run.world.pods)]).to.deep.equal([10, 0])
    expect(run.reasonOf('Ready')).to.equal('Aborted')
  })

  it('takes back publishNotReadyAddresses only where nobody else wrote it', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('abort')
    run.rest()
    expect(previewSpec(run)).not.to.have.property('publishNotReadyAddresses')
    const other = aBlueGreen()
    const preview = aService('cart-preview')
    const spec = { ...(preview.spec as object), publishNotReadyAddresses: true }
    other.world.services = { active: aService('cart'), preview: { ...preview, spec } }
    other.rest()
    const { preview: pinned } = other.world.services
    if (pinned) {
      const metadata = { ...pinned.metadata, managedFields: [{ manager: 'kubectl', operation: 'Update' }] }
      other.world.services = { ...other.world.services, preview: { ...pinned, metadata } }
    }
    other.say('abort')
    other.rest()
    expect(previewSpec(other).publishNotReadyAddresses).to.equal(true)
  })

  const taken: Record<
    string,
    { by: (run: RunWorld) => void; published?: true; selector?: object; entries?: object[] }
  > = {
    'takes back what it published, although another client took its label': { by: aborted },
    'does so before the fork of a deleted experiment goes': { by: deleted },
    'leaves it to another experiment that has the preview now': {
      by: aborted,
      selector: { [EXPERIMENT_ID]: '0123456789' },
      published: true,
    },
    'leaves it to a client that wrote it, too': {
      by: aborted,
      entries: [{ manager: 'team', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:publishNotReadyAddresses': {} } } }],
      published: true,
    },
  }
  for (const [title, { by, published, selector = {}, entries = [] }] of Object.entries(taken))
    it(title, () => {
      const run = aBlueGreen()
      run.rest()
      const { preview, active } = run.world.services ?? {}
      if (!preview) throw new Error('there is a preview')
      const managedFields = [...(preview.metadata.managedFields ?? []), ...entries]
      const metadata = { ...preview.metadata, managedFields } as KubeObject['metadata']
      const spec = { ...objectOr(preview.spec), selector: { app: 'cart', ...selector } }
      run.world.services = { active, preview: { ...preview, metadata, spec } }
      by(run)
      const writes = told([...run.pass().writes, ...run.pass().writes, ...run.pass().writes])
      expect(previewSpec(run).publishNotReadyAddresses).to.equal(published)
      expect(writes.filter((line) => line === 'patch service cart-preview').length).to.equal(published ? 0 : 1)
    })

  it('shuts no pod until the active Service lists the source', () => {
    const run = aCutOver()
    run.say('abort')
    run.pass()
    // the slices that the cache has are late
    const pods = run.world.pods.map(({ name }) => ({ address: name, pod: name }))
    run.world.traffic = { services: [], slices: [{ service: 'cart', ready: pods }] }
    run.rest()
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal(['shared', 10])
    expect(run.reasonOf('Ready')).to.equal('WaitsForSource')
    delete run.world.traffic
    run.rest()
    expect(serving(run.world.pods)).to.equal(0)
  })

  it('shuts no pod while the source gets its pods, and only some are available', () => {
    const run = aCutOver()
    const { source } = run.world
    run.world.source = withAvailable(source, 1)
    run.say('abort')
    run.rest()
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal(['shared', 10])
    expect(run.reasonOf('Ready')).to.equal('WaitsForSource')
    run.world.source = withAvailable(source, 10)
    run.rest()
    expect(serving(run.world.pods)).to.equal(0)
  })

  it('does not wait longer than ten minutes for more pods of the source', () => {
    const run = aCutOver()
    run.world.source = withAvailable(run.world.source, 1)
    run.say('abort')
    run.rest()
    run.world.lostPins = { ...run.world.lostPins, unchangedMs: 600_000 }
    run.rest()
    expect(serving(run.world.pods)).to.equal(0)
  })

  it('is taken when no ready pod of the fork is left: Returned', () => {
    const run = aCutOver()
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, isReady: false, hasReadyContainers: false }))
    const { writes, conclusion } = run.pass()
    expect([writes, conclusion.run?.moved?.reason]).to.deep.equal([[], 'Returned'])
    expect(told(run.pass().writes).slice(0, 1)).to.deep.equal(['patch service cart'])
    run.rest()
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
  })

  it('is taken when the fork is deleted: Returned', () => {
    const run = aCutOver()
    Object.assign(run.world, { fork: undefined, pods: [] })
    run.rest()
    expect([pinsOf(run)[0], run.reasonOf('Ready')]).to.deep.equal(['shared', 'Aborted'])
  })

  it('is taken before the fork is made again, while its former pods still answer', () => {
    const run = aCutOver()
    run.world.fork = undefined
    const { writes, conclusion } = run.pass()
    expect([writes, conclusion.run?.moved?.reason]).to.deep.equal([[], 'Returned'])
    expect(conclusion.run?.moved?.message).to.equal(
      'service/cart sends to the source again, because the fork was deleted',
    )
    expect(told(run.pass().writes)[0]).to.equal('patch service cart')
  })

  it('is not taken while the source cannot answer either', () => {
    const run = aCutOver()
    run.world.source = withAvailable(run.world.source, 0)
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, isReady: false, hasReadyContainers: false }))
    for (let passes = 0; passes < 5; passes += 1) run.pass()
    expect([pinsOf(run)[0], run.strategy()?.path]).to.deep.equal([ID, 'Forward'])
  })

  it('undoes behind the pin: restore, return, remove', () => {
    const run = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    for (let passes = 0; passes < 3; passes += 1) run.pass()
    run.say('undo')
    run.rest()
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
    expect([run.reasonOf('Ready'), serving(run.world.pods)]).to.deep.equal(['Undone', 0])
  })

  it('comes first when somebody edits the run', () => {
    const run = aCutOver()
    run.edit({ overrideSpec: imageOverride('example/cart:3') })
    run.rest()
    expect(pinsOf(run)[0]).to.equal('shared')
    expect(JSON.stringify(run.world.fork?.spec)).to.contain('example/cart:3')
  })

  it('comes first when the status is emptied: a step that wants no pin takes off what it finds', () => {
    const run = aCutOver()
    const { status: _emptied, ...experiment } = run.world.experiment
    run.world.experiment = experiment
    run.rest()
    expect([run.step(), pinsOf(run)]).to.deep.equal(['2/10 Paused', ['shared', ID]])
  })

  it('comes first when the experiment expires', () => {
    const run = aCutOver(PREVIEWED, { metadata: CREATED, ttlSeconds: 600 })
    run.wait(601)
    const writes = once(told(run.rest()))
    expect(writes.slice(0, 2)).to.deep.equal(['patch service cart', 'patch service cart-preview'])
    expect(writes.at(-1)).to.equal('delete fork')
    expect(run.reasonOf('Ready')).to.equal('Expired')
  })

  it('comes first when the experiment is deleted', () => {
    const run = aCutOver()
    deleted(run)
    expect(told(run.pass().writes)).to.deep.equal(['patch service cart', 'patch service cart-preview'])
    expect(told(run.pass().writes)).to.deep.equal(['patch fork'])
  })
})

const NO_GATE = { gate: undefined, installed: installing('promotion') }

/** The command `undo` after the end of a gated canary. */
function undone() {
  const strategy = { canary: { steps: [{ setWeight: 20 }] } }
  const run = aRun(aRunExperiment({ strategy, traffic: { mode: 'Gated' }, promotion: { mode: 'Automatic' } }))
  run.rest()
  run.wait(31)
  run.rest()
  expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  run.say('undo')
  return run
}

describe('an undo where no fork can be derived', () => {
  it('restores the source, for which it needs no fork', () => {
    const run = undone()
    const writes = run.rest(40, NO_GATE).map(({ verb, role }) => `${verb} ${role}`)
    expect(writes.filter((write) => write !== 'patch experiment')).to.deep.equal(['patch source'])
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('takes the pods of a fork that nobody gates, after that', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    run.rest()
    expect([run.strategy()?.stepName, imageIn(run)]).to.deep.equal(['drain 30s', 'example/cart:2'])
    run.say('undo')
    const message = 'unknown field since the last upgrade'
    const check = () => [{ field: 'spec.overrideSpec.template', message, cause: 'FieldValueInvalid' as const }]
    const writes = run.rest(40, { schema: known({ ...ANY_SCHEMA, hash: 'newer', check }) })
    expect(writes.map(({ verb, role }) => `${verb} ${role}`)).to.include.members(['patch source', 'patch fork'])
    expect([imageIn(run), run.pods(), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 0, 'Undone'])
  })

  const cases: Readonly<Record<string, Partial<Facts>>> = {
    'waits for the schema, with which it compares the source': { schema: ABSENT },
    'writes nothing where the source was not read, as without consent': { ...NO_GATE, promotion: undefined },
    'writes nothing where admission checks no permissions': { isExcluded: true },
  }
  for (const [title, but] of Object.entries(cases))
    it(title, () => {
      const run = undone()
      run.rest(40, but)
      expect([imageIn(run), run.strategy()?.stepName]).to.deep.equal(['example/cart:2', 'restore'])
    })
})
