import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import { COMMAND } from '../../../common/api/names.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { storedSource } from '../../../common/situation/source-has.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { plan, strategyStatus } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, type RunWorld, START } from '../plan/some-run.ts'

describe('a run', () => {
  it('goes through its steps, and waits where the strategy says so', () => {
    const run = aRun()
    const seen: string[] = []
    const rest = () => {
      run.rest()
      seen.push(`${run.step()}: ${run.pods()} pods, ${run.reasonOf('Paused')}`)
    }
    rest()
    run.wait(3_600)
    rest()
    run.say('resume')
    rest()
    run.say('promote')
    rest()
    run.wait(30)
    rest()
    expect(seen).to.deep.equal([
      '1/7 Paused: 1 pods, PauseDuration',
      '3/7 Paused: 3 pods, PauseStep',
      '4/7 Paused: 3 pods, AwaitingPromotion',
      '6/7 Progressing: 3 pods, undefined',
      '7/7 Promoted: undefined pods, undefined',
    ])
  })

  it('is there only with a strategy or a promotion', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: {} }))
    run.rest()
    expect(run.step()).to.equal('1/4 Paused')
    const { conclusion } = plan({ ...run.facts(), experiment: { ...run.world.experiment, spec: withoutRun(run) } })
    expect(conclusion.run).to.equal(undefined)
  })

  it('either moves in a pass, and writes nothing then, or acts', () => {
    const run = aRun()
    const seen: string[] = []
    for (let passes = 0; passes < 4; passes += 1) {
      const { writes, conclusion } = run.pass()
      seen.push(`${writes.length} writes, ${conclusion.run?.moved?.reason}, ${run.step()}`)
    }
    expect(seen).to.deep.equal([
      '1 writes, undefined, 0/7 Progressing',
      '0 writes, StepCompleted, 1/7 Paused',
      '0 writes, undefined, 1/7 Paused',
      '0 writes, undefined, 1/7 Paused',
    ])
  })

  it('tells how long a pause lasts', () => {
    const run = aRun()
    run.rest()
    run.wait(600)
    expect(run.pass().conclusion.run?.restMs).to.equal(3_000_000)
  })

  it('believes the smaller one of two clocks, and takes a step in the future for one that begins', () => {
    const run = aRun()
    run.rest()
    run.wait(7_200)
    const passes = (stepElapsedMs?: number) => plan({ ...run.facts(), stepElapsedMs }).conclusion.run
    expect(passes(600_000)?.restMs).to.equal(3_000_000)
    expect(passes()?.moved?.reason).to.equal('StepCompleted')
    run.wait(-10_000)
    expect(passes()?.restMs).to.equal(3_600_000)
  })

  it('waits at a weight until its pods are available', () => {
    const run = aRun(aRunExperiment(), { isHealthy: false })
    run.rest()
    expect(run.step()).to.equal('0/7 Progressing')
  })

  it('waits at a weight until each Service that selects the fork lists its pods', () => {
    const services = [{ name: 'cart', selector: { app: 'cart' } }]
    const slices = (...pods: string[]) => [{ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) }]
    const run = aRun(aRunExperiment(), { traffic: { services, slices: slices('cart-1', 'cart-2', 'cart-3') } })
    run.rest()
    expect(run.step()).to.equal('0/7 Progressing')
    expect(run.strategy()?.weight).to.deep.equal({ desired: 10, actual: 0 })
    run.world.traffic = { services, slices: slices('cart-1', 'cart-2', 'cart-3', `${FORK}-7d9f-1`) }
    run.pass()
    expect(run.step()).to.equal('1/7 Paused')
    expect(run.strategy()?.weight).to.deep.equal({ desired: 10, actual: 25 })
  })

  it('does not wait for a Service that lists only those pods that got a label while they run', () => {
    const services = [{ name: 'leader', selector: { app: 'cart', role: 'leader' } }]
    const slices = [{ service: 'leader', ready: [{ address: 'leader', pod: `${FORK}-7d9f-1` }] }]
    const run = aRun(aRunExperiment(), { source: aSource(30), traffic: { services, slices } })
    run.rest()
    expect([run.pods(), run.step()]).to.deep.equal([3, '1/7 Paused'])
  })

  it('waits at a weight while the source has no pods', () => {
    const run = aRun(aRunExperiment(), { source: aSource(0) })
    run.rest()
    expect(run.step()).to.equal('0/7 Progressing')
  })

  it('stays at a step whose fork exceeded its deadline, or is aborted if the strategy says so', () => {
    const ends = (progressDeadlineAbort: boolean) => {
      const canary = { steps: [{ setWeight: 10 }], progressDeadlineAbort }
      const run = aRun(aRunExperiment({ strategy: { canary } }), { isHealthy: false })
      run.rest()
      const { fork } = run.world
      const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' }]
      if (fork) run.world.fork = { ...fork, status: { observedGeneration: fork.metadata.generation ?? 1, conditions } }
      run.world.isHealthy = true
      run.rest()
      return [run.step(), run.reasonOf('Stalled')]
    }
    expect(ends(false)).to.deep.equal(['0/4 Progressing', 'ProgressDeadlineExceeded'])
    expect(ends(true)).to.deep.equal(['1/1 Aborted', 'Aborted'])
  })

  it('goes on to its promotion when its revision is approved', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: {} }))
    run.rest()
    run.edit({ promotion: { approvedRevision: 'another' } })
    run.rest()
    expect(run.step()).to.equal('1/4 Paused')
    run.edit({ promotion: { approvedRevision: run.strategy()?.wholeRevision ?? '' } })
    run.rest()
    expect(run.step()).to.equal('3/4 Progressing')
  })

  it('goes on to its promotion when the source has the change by other hands', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: {} }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    expect([run.step(), run.world.experiment.status?.promotion?.written]).to.deep.equal([
      '3/4 Progressing',
      storedSource(run.world.source),
    ])
    expect(run.world.record).to.equal(undefined)
  })

  it('never has the change of an override that changes nothing', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: {}, overrideSpec: {} }))
    run.rest()
    expect(run.step()).to.equal('1/4 Paused')
  })

  it('keeps its memory while the fork cannot be derived', () => {
    const run = aRun()
    run.rest()
    const { weight: _unknown, ...before } = run.strategy() ?? {}
    run.world.source = undefined
    run.rest()
    expect(run.strategy()).to.deep.equal(before)
  })

  it('has no pods after an abort, until somebody says retry', () => {
    const run = aRun()
    run.rest()
    run.say('abort')
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('Stalled')]).to.deep.equal(['1/1 Aborted', 0, 'Aborted'])
    run.say('retry')
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('Stalled')]).to.deep.equal(['1/7 Paused', 1, undefined])
  })

  it('has no pods after an undo, and the source is as it was', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    run.rest()
    expect(run.step()).to.equal('2/3 Progressing')
    run.say('undo')
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('Ready')]).to.deep.equal(['2/2 Undone', 0, 'Undone'])
    expect(run.world.source?.spec).to.deep.equal(aSource().spec)
  })
})

function withoutRun({ world: { experiment } }: ReturnType<typeof aRun>) {
  const { strategy: _strategy, promotion: _promotion, ...spec } = experiment.spec
  return spec
}

describe('a run that turns back', () => {
  it('tells the steps of the way back at once', () => {
    const experiment = anExperiment({
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
      metadata: { annotations: { [COMMAND]: 'abort' } },
    })
    const facts = someFacts({ experiment })
    const { strategy } = strategyStatus(facts, plan(facts).conclusion)
    expect([strategy?.path, strategy?.step, strategy?.stepName]).to.deep.equal(['Abort', '0/1 Aborting', 'remove'])
  })
})

describe('a run of which an object cannot be read', () => {
  const because = 'it is too large: it is nested deeper than 100 levels'
  const UNREAD: Readonly<Record<string, { but: Partial<Facts>; told: string }>> = {
    'its pinned base': {
      but: { revision: unknown(because) },
      told: `the pinned base, controllerrevision/${FORK}, could not be read now (${because})`,
    },
    'its source': { but: { source: unknown(because) }, told: `deployment/cart could not be read now (${because})` },
  }
  for (const [what, { but, told }] of Object.entries(UNREAD))
    it(`N37d: says so of ${what}, and is aborted all the same`, () => {
      const run = aRun(aRunExperiment({ onSourceChange: what === 'its source' ? 'Follow' : 'Pin' }))
      run.rest()
      run.rest(40, but)
      expect(run.messageOf('Ready')).to.contain(told)
      run.say('abort')
      run.rest(40, but)
      expect([run.strategy()?.phase, run.pods()]).to.deep.equal(['Aborted', 0])
    })
})

describe('a run that somebody paused', () => {
  it('goes all the way back when its experiment expires, and can be retried', () => {
    const run = aRun(aRunExperiment({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } }))
    run.rest()
    run.say('pause')
    run.rest()
    run.wait(3_600)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Aborted')
    run.edit({ ttlSeconds: 36_000 })
    run.say('retry')
    run.rest()
    expect(run.strategy()?.phase).to.equal('Paused')
  })
})

/** A run at its first pause, with one pod beside ten. */
function aFreeRun(): RunWorld {
  const run = aRun()
  run.rest()
  expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  return run
}

describe('what happens to a run whose source is scaled', () => {
  it('S changes: the pods follow, and a step that was reached stays reached', () => {
    const run = aFreeRun()
    const since = run.strategy()?.since
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    expect([run.step(), run.pods(), run.strategy()?.since]).to.deep.equal(['1/7 Paused', 6, since])
    run.wait(5)
    run.world.source = aSource(4)
    run.rest()
    expect([run.step(), run.pods(), run.strategy()?.since]).to.deep.equal(['1/7 Paused', 1, since])
  })

  it('S changes: the pods follow once in five seconds, with all changes of that time', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.wait(2)
    run.world.source = aSource(70)
    expect(run.pass()).to.deep.include({ writes: [] })
    expect(run.pass().conclusion).to.deep.include({ is: 'waiting', reason: 'Updating', retryAfterMs: 3_000 })
    run.wait(2)
    run.world.source = aSource(90)
    run.rest()
    expect(run.pods()).to.equal(6)
    run.wait(1)
    expect(run.rest()).to.have.length(1)
    expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 10])
  })

  it('S changes: the next step does not wait for the five seconds', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.say('resume')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['3/7 Paused', 13])
  })

  it('S changes: a clock of the API server that is ahead delays nothing', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.wait(-30)
    run.world.source = aSource(70)
    run.rest()
    expect(run.pods()).to.equal(8)
  })
})
