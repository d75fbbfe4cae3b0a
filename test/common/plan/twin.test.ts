import { expect } from 'chai'
import { EXPERIMENT_ID, ROLE } from '../../../common/api/names.ts'
import { at, listOr, objectOr } from '../../../common/json/json.ts'
import { forkSelector, twinName } from '../../../common/workload/identity.ts'
import { aPolicy, imageOverride, NO_POLICIES } from '../../builders.ts'
import { trafficOf } from '../describe/described.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'
import { type RunOf, START } from './some-run.ts'

const WITH_TWIN = { ...ANALYSIS, control: 'Twin' as const }

const aTwin = (of: RunOf = {}, world: Parameters<typeof anAnalysis>[1] = {}) =>
  anAnalysis({ analysis: WITH_TWIN, replicas: 2, ...of }, world)

describe('the twin of an analysis', () => {
  it('is a second fork without the override and with pods of its own, as soon as the run goes on', () => {
    const { world, writes, status } = aTwin()
    expect(writes).to.deep.equal(['apply newFork', 'create analysisRun', 'apply fork', 'apply newTwin'])
    const { fork, twin, source } = world
    expect(twin?.metadata.name).to.equal(twinName(world.experiment))
    expect(objectOr(twin?.spec).replicas).to.equal(2)
    const image = (of: unknown) => at(listOr(at(of, 'spec', 'template', 'spec', 'containers'))[0], 'image')
    expect([fork, twin, source].map(image)).to.deep.equal(['example/cart:2', 'example/cart:1', 'example/cart:1'])
    const selector = forkSelector(world.experiment, 'control')
    expect(objectOr(twin?.spec).selector).to.deep.equal(selector)
    expect(selector).to.not.deep.equal(forkSelector(world.experiment))
    const labels = at(twin, 'spec', 'template', 'metadata', 'labels')
    expect(labels).to.deep.include({ [ROLE]: 'control', [EXPERIMENT_ID]: selector.matchLabels[EXPERIMENT_ID] })
    expect(twin?.metadata.ownerReferences).to.deep.equal(fork?.metadata.ownerReferences)
    expect(status()?.twin).to.deep.equal({ name: twinName(world.experiment), uid: 'uid-of-twin', generation: 1 })
  })

  it('is not there without being asked for, and not while the analysis waits for a provider', () => {
    expect(anAnalysis().world.twin).to.equal(undefined)
    const missing = { ...WITH_TWIN, metrics: [{ ...ANALYSIS.metrics?.[0], provider: 'other' }] }
    expect(aTwin({ analysis: missing as typeof WITH_TWIN }).world.twin).to.equal(undefined)
  })

  it('goes with the verdict, whatever that is', () => {
    for (const decision of ['Pass', 'Fail'] as const) {
      const analysis = aTwin()
      expect(analysis.decides(decision)).to.include('delete twin')
      expect(analysis.world.twin).to.equal(undefined)
      expect(analysis.status()).to.not.have.property('twin')
      analysis.wait(60)
      expect(told(analysis.rest())).to.deep.equal([])
    }
  })

  it('stays after a Pass that is watched on', () => {
    const analysis = aTwin({ analysis: { ...WITH_TWIN, continueAfterPass: true } })
    analysis.decides('Pass')
    expect(analysis.world.twin).to.not.equal(undefined)
    expect(analysis.decides('Fail')).to.include('delete twin')
  })

  it('goes when it is not asked for any more, and with the analysis', () => {
    for (const analysis of [ANALYSIS, undefined]) {
      const run = aTwin()
      const { analysis: _former, ...others } = run.world.experiment.spec
      run.world.experiment = {
        ...run.world.experiment,
        metadata: { ...run.world.experiment.metadata, generation: 2 },
        spec: analysis ? { ...others, analysis } : others,
      }
      expect(told(run.rest())).to.include('delete twin')
      expect(run.world.twin).to.equal(undefined)
    }
  })

  it('goes although the pass that made it was killed before it wrote the status', () => {
    const run = aTwin()
    const { status } = run.world.experiment
    const { twin: _lost, ...analysis } = run.status() ?? { verdict: 'Wait' as const }
    run.world.experiment = { ...run.world.experiment, status: { ...status, analysis } as typeof status & object }
    run.edit({ replicas: 2, analysis: ANALYSIS, strategy: undefined })
    expect(told(run.rest())).to.include('delete twin')
    expect(run.world.twin).to.equal(undefined)
  })

  it('goes with the pods of a fork that must not be alone behind its Service', () => {
    const run = aTwin()
    const name = run.world.fork?.metadata.name ?? ''
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ aloneBehindService: 'Deny' })] }
    run.world.source = undefined
    run.world.traffic = trafficOf(0, name, 2)
    run.rest()
    run.wait(11)
    expect(told(run.rest())).to.deep.equal(['patch fork', 'patch twin', 'delete twin'])
    expect(run.world.twin).to.equal(undefined)
  })

  it('stays while its fork cannot be derived', () => {
    const run = aTwin()
    run.world.source = undefined
    expect(told(run.rest())).to.deep.equal([])
    expect(run.world.twin).to.not.equal(undefined)
  })

  it('goes before the source is written, because nobody compares it then', () => {
    const run = aTwin({
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
      promotion: { mode: 'Manual' },
    })
    run.world.stored = (source) => ({ ...source, status: { ...objectOr(source.status), observedGeneration: 0 } })
    run.say('promote')
    expect(told(run.rest())).to.include.members(['patch source', 'delete twin'])
    expect(run.step()).to.match(/Progressing$/)
    expect(run.world.twin).to.equal(undefined)
  })

  it('is neither made nor enlarged where a policy denies so many pods, and stays as it is', () => {
    const under = (maxReplicas: number) => ({ ...NO_POLICIES, policies: [aPolicy({ maxReplicas })] })
    const run = anAnalysis({ replicas: 2 })
    run.world.policies = under(2)
    run.edit({ replicas: 2, analysis: WITH_TWIN, strategy: undefined })
    expect(told(run.rest())).to.not.include('apply newTwin')
    run.world.policies = under(4)
    expect(told(run.rest())).to.deep.equal(['apply newTwin'])
    run.world.policies = under(3)
    expect(told(run.rest())).to.deep.equal([])
    expect(objectOr(run.world.twin?.spec).replicas).to.equal(2)
  })

  it('goes with an experiment that expires or is deleted', () => {
    const expiring = aTwin({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } })
    expiring.wait(3_600)
    expect(told(expiring.rest())).to.include.members(['delete fork', 'delete twin'])
    const deleted = aTwin()
    const { metadata } = deleted.world.experiment
    deleted.world.experiment = {
      ...deleted.world.experiment,
      metadata: { ...metadata, deletionTimestamp: deleted.world.now.toISOString() },
    }
    expect(told(deleted.pass().writes)).to.include.members(['patch fork', 'patch twin'])
    expect(told(deleted.pass().writes)).to.include.members(['delete fork', 'delete twin'])
  })

  it('keeps the experiment until it is gone, where garbage collection does not delete it', () => {
    const { world, pass } = aTwin({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'shop' } })
    world.experiment = {
      ...world.experiment,
      metadata: { ...world.experiment.metadata, deletionTimestamp: world.now.toISOString() },
    }
    world.fork = undefined
    const { writes, conclusion } = pass()
    expect(told(writes)).to.include('patch twin')
    expect(conclusion.message).to.equal(`deployment/${twinName(world.experiment)} is being deleted`)
    expect(told(pass().writes)).to.include('delete twin')
  })

  it('is as large as the fork', () => {
    const run = aTwin()
    run.edit({ replicas: 3, analysis: WITH_TWIN, strategy: undefined })
    expect(told(run.rest())).to.deep.equal(['apply fork', 'apply twin'])
    expect(objectOr(run.world.twin?.spec).replicas).to.equal(3)
    expect(run.status()?.twin?.generation).to.equal(2)
  })

  it('is made again for another question', () => {
    const run = aTwin()
    run.edit({ replicas: 2, overrideSpec: imageOverride('example/cart:3'), analysis: WITH_TWIN, strategy: undefined })
    const written = told(run.rest())
    expect(written.indexOf('delete twin')).to.be.below(written.indexOf('apply newTwin'))
    expect(run.world.twin).to.not.equal(undefined)
  })

  it('is restored when somebody changes or deletes it, at the pace of its repairs', () => {
    const run = aTwin()
    const { twin } = run.world
    if (!twin) throw new Error('there is no twin')
    const changes = [{ ...twin, metadata: { ...twin.metadata, generation: 7 } }, undefined]
    for (const changed of changes) {
      run.world.twin = changed
      run.world.twinRepairInMs = 500
      const waiting = run.pass()
      expect(told(waiting.writes)).to.deep.equal([])
      expect(waiting.conclusion.repairInMs).to.equal(500)
      run.world.twinRepairInMs = 0
      const [write] = run.pass().writes
      expect(write).to.include({ role: changed ? 'twin' : 'newTwin', isRepair: true })
      run.rest()
    }
  })

  it('is not restored after a write of ours that the status does not have', () => {
    const run = aTwin()
    const { twin } = run.world
    if (!twin) throw new Error('there is no twin')
    const { uid = '' } = twin.metadata
    const { experiment } = run.world
    const isRepair = (generation: number) => {
      run.world.experiment = experiment
      run.world.twin = { ...twin, metadata: { ...twin.metadata, generation: 7 } }
      run.world.twinUnreported = { uid, generation }
      return run.pass().writes.map((write) => 'isRepair' in write && write.isRepair)
    }
    expect([isRepair(6), isRepair(7)]).to.deep.equal([[true], []])
    expect(run.status()?.twin?.generation).to.equal(7)
  })

  it('A37: is repaired at the pace of all repairs if another client gives it an owner, or takes its hash', () => {
    const run = aTwin()
    const { twin } = run.world
    if (!twin) throw new Error('there is no twin')
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' }
    const ownerReferences = [...(twin.metadata.ownerReferences ?? []), other]
    const { experiment } = run.world
    for (const changed of [{ ownerReferences }, { annotations: {} }]) {
      run.world.experiment = experiment
      run.world.twin = { ...twin, metadata: { ...twin.metadata, ...changed } }
      expect(run.pass().writes.map((write) => 'isRepair' in write && write.isRepair)).to.deep.equal([true])
    }
  })

  it('is left as it is by others of its name', () => {
    const run = aTwin()
    const { twin } = run.world
    if (!twin) throw new Error('there is no twin')
    run.world.twin = { ...twin, spec: { ...objectOr(twin.spec), selector: { matchLabels: { app: 'other' } } } }
    expect(run.pass().writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(['apply newTwin'])
  })
})
