import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionStatus } from '../../../common/api/strategy.ts'
import type { RunReport } from '../../../common/outcome/conclusion.ts'
import { limitedWeight, promotedCondition } from '../../../common/run/run-status.ts'
import { anExperiment } from '../../builders.ts'
import { pausedCondition, plan, statusOf, strategyStatus } from '../of-facts.ts'
import { aService } from '../plan/simulated-services.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { aBlueGreen, aCutOver } from './blue-greens.ts'

/** The report of the next pass. */
function reportOf(run: RunWorld): RunReport {
  const report = plan(run.facts()).conclusion.run
  if (!report) throw new Error('there is no run')
  return report
}
function aPausedRun(): RunWorld {
  const run = aRun()
  run.rest()
  return run
}
const WRITTEN: PromotionStatus = {
  mode: 'Manual',
  record: { name: 'x-promotion', hash: 'abc' },
  written: { uid: 'u', generation: 2 },
}

describe('status.strategy', () => {
  it('is the memory of the run, with its step for people', () => {
    expect(aPausedRun().strategy()).to.deep.include({
      path: 'Forward',
      phase: 'Paused',
      stepIndex: 1,
      stepName: 'pause 1h',
      since: '2026-11-21T10:00:00.000Z',
      step: '1/7 Paused',
      weight: { desired: 10 },
    })
  })

  it('stays the same while nothing happens', () => {
    const run = aPausedRun()
    run.wait(60)
    const before = run.world.experiment.status
    run.pass()
    expect(run.world.experiment.status).to.deep.equal(before)
  })

  it('stays as it is while there is no report, and goes with the strategy', () => {
    const run = aPausedRun()
    const facts = run.facts()
    const { run: _report, ...conclusion } = plan(facts).conclusion
    expect(strategyStatus(facts, conclusion).strategy).to.equal(run.strategy())
    const without = anExperiment({ ...(run.world.experiment.status ? { status: run.world.experiment.status } : {}) })
    expect(strategyStatus({ ...facts, experiment: without }, conclusion)).to.deep.equal({})
  })
})

describe('status.promotion', () => {
  /** What is left of a stored promotion after a pass that moved the run as this command says. */
  const keptAfter = (
    by: 'promote' | 'retry' | 'undo',
    change: Partial<RunReport['run']> = {},
    promotion: PromotionStatus = WRITTEN,
  ) => {
    const run = aPausedRun()
    const { experiment } = run.world
    run.world.experiment = { ...experiment, status: { ...experiment.status, promotion } }
    const facts = run.facts()
    const { conclusion } = plan(facts)
    const report = reportOf(run)
    const moved = {
      ...report,
      run: { ...report.run, ...change },
      moved: { reason: 'Resumed' as const, message: '', by },
    }
    return strategyStatus(facts, { ...conclusion, run: moved }).promotion
  }

  it('stays while the run goes back', () => expect(keptAfter('undo')).to.equal(WRITTEN))

  it('N11: keeps what was written but not what was restored when it is undone again', () =>
    expect(keptAfter('undo', {}, { ...WRITTEN, restored: { uid: 'u', generation: 3 } })).to.deep.equal(WRITTEN))

  it('keeps the record but not what was written when it is promoted again', () =>
    expect(keptAfter('promote')).to.deep.equal({ mode: 'Manual', record: WRITTEN.record }))

  it('is gone when the run begins again, or is another one', () => {
    expect(keptAfter('retry')).to.equal(undefined)
    expect(keptAfter('undo', { run: 'another' })).to.equal(undefined)
  })
})

describe('the condition Paused', () => {
  const facts = someFacts({ experiment: aRunExperiment() })
  const resume =
    'kubectl annotate --overwrite expd/faster-cart --namespace=shop experiment-controller.example.com/command=resume'
  const paused = (report: RunReport | undefined) =>
    pausedCondition(facts, report).map(({ status, reason, message }) => `${status} ${reason}: ${message}`)
  const at = (run: Partial<RunReport['run']>, of: Partial<RunReport> = {}): RunReport => {
    const report = reportOf(aPausedRun())
    return { ...report, ...of, run: { ...report.run, ...run } }
  }

  it('says until when, or by which word', () => {
    expect(paused(at({}))).to.deep.equal([
      `True PauseDuration: until 2026-11-21T11:00:00Z, or until somebody resumes it: ${resume}`,
    ])
    expect(paused(at({ stepIndex: 3 }))).to.deep.equal([`True PauseStep: until somebody resumes it: ${resume}`])
    expect(paused(at({ stepIndex: 2, held: true }))).to.deep.equal([
      `True PausedByCommand: until somebody resumes it: ${resume}`,
    ])
    expect(paused(at({ stepIndex: 4 }))).to.deep.equal([
      `True AwaitingPromotion: until somebody promotes it: ${resume.replace('=resume', '=promote')}`,
    ])
  })

  it('says what the analysis waits for, and how to go on without it', () => {
    const steps: RunReport['steps'] = [{ is: 'analysis' }]
    const analysis = { isInconclusive: true, message: 'Inconclusive: too few' }
    expect(paused(at({ stepIndex: 0 }, { steps, analysis }))).to.deep.equal([
      `True AnalysisInconclusive: Inconclusive: too few; it waits until somebody resumes it: ${resume}`,
    ])
    expect(paused(at({ stepIndex: 0 }, { steps }))).to.deep.equal([
      `True AnalysisStep: until the analysis passes (the analysis has no verdict yet), or until somebody resumes it: ${resume}`,
    ])
  })

  it('says what a promotion waits for', () =>
    expect(paused(at({ stepIndex: 5 }, { paused: { reason: 'AwaitingSource', message: 'until …' } }))).to.deep.equal([
      'True AwaitingSource: until …',
    ]))

  it('is absent while the run does not wait', () => {
    for (const run of [{ stepIndex: 2 }, { stepIndex: 7 }, { path: 'Abort', stepIndex: 0 }] as const)
      expect(paused(at(run))).to.deep.equal([])
    expect(paused(undefined)).to.deep.equal([])
  })
})

describe('the condition Promoted', () => {
  const message = (of: Partial<RunReport['run']>, promotion: PromotionStatus | undefined) => {
    const report = reportOf(aPausedRun())
    const found = { ...report, run: { ...report.run, ...of }, ...(promotion ? { promotion } : {}) }
    return promotedCondition(aRunExperiment(), found).map((each) => `${each.status} ${each.reason}: ${each.message}`)
  }

  it('is there once the source has the change, also after the fork is gone', () => {
    expect(message({ stepIndex: 6 }, WRITTEN)).to.deep.equal([
      'True Promoted: the source has the change; the fork is kept for a while',
    ])
    expect(message({ stepIndex: 7 }, WRITTEN)).to.deep.equal(['True Promoted: the source has the change'])
  })

  it('is absent before, and on a way back', () => {
    expect(message({ stepIndex: 5 }, undefined)).to.deep.equal([])
    expect(message({ path: 'Undo', stepIndex: 0 }, WRITTEN)).to.deep.equal([])
    expect(promotedCondition(aRunExperiment(), undefined)).to.deep.equal([])
  })
})

describe('the warning WeightLimited', () => {
  it('is there while maxSurge allows fewer pods than the weight needs', () => {
    const canary = { maxSurge: 2, steps: [{ setWeight: 20 }, { pause: {} }] }
    const run = aRun(aRunExperiment({ strategy: { canary } }), { source: aSource(8) })
    run.rest()
    expect([run.step(), run.pods(), limitedWeight(reportOf(run))]).to.deep.equal(['1/5 Paused', 2, []])
    run.world.source = aSource(50)
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/5 Paused', 2])
    const facts = run.facts()
    expect(statusOf(facts, plan(facts).conclusion).warnings).to.deep.include({
      reason: 'WeightLimited',
      message: '20% needs 13 pods, and maxSurge allows 2; raise maxSurge',
    })
    expect(limitedWeight(undefined)).to.deep.equal([])
  })
})

describe('ownedServices', () => {
  const warningsOf = (service: KubeObject) => {
    const run = aBlueGreen({})
    run.world.services = { active: service }
    run.rest()
    return run.world.experiment.status?.warnings?.map(({ reason, message }) => `${reason}: ${message}`) ?? []
  }
  const cart = aService('cart')

  it('names a tool that declares the Service, and whoever applies its selector', () => {
    const metadata = { ...cart.metadata, labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }
    expect(warningsOf({ ...cart, metadata })).to.include(
      'ServiceIsOwned: service/cart is declared by Flux, which may undo a cut-over',
    )
    const fieldsV1 = { 'f:spec': { 'f:selector': {} } }
    const managedFields = [{ manager: 'team', operation: 'Apply', fieldsV1 }]
    expect(warningsOf({ ...cart, metadata: { ...cart.metadata, managedFields } })).to.include(
      'ServiceIsOwned: service/cart is declared by a server-side apply of "team", which may undo a cut-over',
    )
  })

  it('is silent about a Service that nobody declares, and once the run is on its way back', () => {
    expect(warningsOf(cart).join()).not.to.contain('ServiceIsOwned')
    const run = aCutOver()
    const metadata = { ...cart.metadata, labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }
    run.say('abort')
    run.rest()
    run.world.services = { active: { ...cart, metadata } }
    run.rest()
    expect(JSON.stringify(run.world.experiment.status?.warnings ?? [])).not.to.contain('ServiceIsOwned')
  })
})
