import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import type { PromotionSpec, Strategy, StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { DescribeOptions } from '../../../common/describe/describe.ts'
import { aDeployment, anExperiment, FORK, imageOverride, installing } from '../../builders.ts'
import { evaluate, plan } from '../of-facts.ts'
import { type Given, someFacts, theFork } from '../plan/some-facts.ts'
import { available } from '../plan/some-world.ts'
import { described, describedFacts } from './described.ts'

const STEPS = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: { duration: '1h30m' } }, { setWeight: 0 }]
const CANARY: Strategy = { canary: { steps: STEPS } }
const NOW = '2026-11-21T10:00:00.000Z'

/** The lines about steps, for a source of ten pods. */
const lines = (given: Given & { strategy?: Strategy; replicas?: number; source?: never; pods?: number } = {}) => {
  const { strategy = CANARY, replicas = 1, pods = 10, ...more } = given
  return described({
    source: aDeployment({ spec: { replicas: pods } }),
    experiment: anExperiment({ strategy, replicas }),
    ...more,
  })
    .map((line) => line.replace('[Plan] ', ''))
    .filter((line) => !/^(creates|template|revision: |\[)/.test(line))
}

/** The run of the strategy as the controller would store it at its first step. */
function stored(strategy = CANARY): StrategyRunStatus {
  const facts = someFacts({
    source: aDeployment({ spec: { replicas: 10 } }),
    experiment: anExperiment({ strategy, replicas: 1 }),
  })
  const { run } = plan(facts, evaluate(facts)).conclusion
  if (!run) throw new Error('there is no run')
  const { steps, run: first } = run
  return { ...first, phase: 'Progressing', stepName: 'x', step: `0/${steps.length} Progressing` }
}

/** The plan for an experiment with this stored run. */
function during(strategy: StrategyRunStatus, word?: string) {
  const stamp = `step=${strategy.stepIndex} revision=${strategy.revision} at=${NOW}`
  const annotations = word === undefined ? {} : { [COMMAND]: `${word} ${stamp}`, [COMMAND_BY]: 'ada' }
  const experiment = anExperiment({ strategy: CANARY, replicas: 1, metadata: { annotations }, status: { strategy } })
  const source = aDeployment({ spec: { replicas: 10 } })
  const fork = theFork({ experiment: anExperiment({ strategy: CANARY, replicas: 1 }), source })
  return lines({ experiment, fork, now: new Date(NOW) })
}

/** The plan where pods and Services may be written, as in a review. */
function linesOfGated(of: Parameters<typeof anExperiment>[0], given: Given = {}): readonly string[] {
  const facts = someFacts({ source: aDeployment({ spec: { replicas: 10 } }), experiment: anExperiment(of), ...given })
  const read = { gate: { pods: unknown('not read') }, cutOver: { services: unknown('not read') } }
  return describedFacts({ ...facts, ...read, installed: installing('promotion', 'gate', 'cutOver') }).map((line) =>
    line.replace('[Plan] ', ''),
  )
}

describe('the description of a run', () => {
  it('tells every step with its pods and their share', () => {
    expect(lines()).to.include(
      'steps: 20% 3 of 13 pods (23%); pause until resumed; 50% 10 of 20; pause 1h30m; 0% no pods; wait until promoted; promote; delete the fork after 30s',
    )
  })

  it('tells the pods of a canary without steps, and of one that is only its whole weight', () => {
    expect(lines({ strategy: { canary: { maxSurge: '30%' } } })).to.include(
      'steps: 3 of 13 pods (23%); wait until promoted; promote; delete the fork after 30s',
    )
    expect(lines({ strategy: { canary: { steps: [{ setWeight: 100 }] } } })).to.include(
      'steps: wait until promoted; promote; delete the fork after 30s',
    )
  })

  it('needs several lines for many steps, each short enough for a warning', () => {
    const steps = Array.from({ length: 25 }, (_, at) => [{ setWeight: at + 1 }, { pause: { duration: '1h30m' } }])
    const found = lines({ strategy: { canary: { steps: steps.flat() } } }).filter((line) =>
      /^(steps:|then) /.test(line),
    )
    expect(found.length).to.be.above(1)
    for (const line of found) expect(line.length).to.be.below(250)
    expect(found.join('; ').match(/pause 1h30m/g)).to.have.length(25)
  })

  it('says that a source without pods makes the run wait, and does not advise to scale the fork', () => {
    const found = lines({ pods: 0 })
    expect(found).to.include(
      'steps: 20%; pause until resumed; 50%; pause 1h30m; 0% no pods; wait until promoted; promote; delete the fork after 30s',
    )
    expect(found).to.include(
      'the source has no pods, so a weight means 0 pods: the run waits until the source has some',
    )
    expect(found).to.include('no pods, so no requests')
  })

  it('says that spec.replicas is not used while a weight decides', () => {
    expect(lines({ replicas: 4 })).to.include('spec.replicas 4 is not used while a weight decides')
    expect(lines({ replicas: 4, strategy: { canary: { steps: [{ pause: {} }] } } }).join()).to.not.contain('not used')
  })

  it('says of a blue-green what its pods depend on', () => {
    const strategy = { blueGreen: { activeService: 'cart', previewService: 'preview' } }
    const found = linesOfGated({ strategy, replicas: 4 })
    expect(found).to.include('spec.replicas 4 is not used in a blue-green')
    expect(found.join().match(/no requests|without requests/g)).to.deep.equal(['without requests'])
    expect(found).to.include(
      '[ServiceNotFound] service/preview does not exist, or has no selector: the run waits for it',
    )
    expect(found.join()).not.to.contain('a weight')
  })

  it('N1: names the Service of the source that may be meant, and no other', () => {
    const services = [
      { name: 'cart', selector: { app: 'cart' } },
      { name: 'crab', selector: { app: 'secret' } },
    ]
    const warnedOf = (activeService: string) => {
      const facts = someFacts({
        experiment: anExperiment({ strategy: { blueGreen: { activeService } } }),
        traffic: { services, slices: [] },
      })
      const read = { gate: { pods: unknown('not read') }, cutOver: { services: unknown('not read') } }
      return describedFacts({ ...facts, ...read, installed: installing('promotion', 'gate', 'cutOver') }).filter(
        (line) => line.startsWith('[ServiceNotFound]'),
      )
    }
    const missing = 'does not exist, or has no selector: the run waits for it'
    expect(warnedOf('crat')).to.deep.equal([`[ServiceNotFound] service/crat ${missing}; did you mean cart?`])
    expect(warnedOf('crabs')).to.deep.equal([`[ServiceNotFound] service/crabs ${missing}`])
    expect(warnedOf('cart')).to.deep.equal([])
  })

  it('N2: says that a fork without a gate loses its pods before it is gated', () => {
    const source = aDeployment({ spec: { replicas: 10 } })
    const fork = available(theFork({ experiment: anExperiment({ replicas: 3 }), source }))
    const first = 'first the fork loses its pods, which have no gate: nothing can shut them'
    const blueGreen = linesOfGated({ strategy: { blueGreen: { activeService: 'cart' } }, replicas: 3 }, { fork })
    expect(
      blueGreen.filter((line) => /^(updates|first|steps)/.test(line)).map((line) => line.slice(0, 75)),
    ).to.deep.equal([
      `updates deployment/${FORK} in shop: 0 pods, from deployment/cart`.slice(0, 75),
      first,
      'steps: 10 pods without requests; service/cart sends only to them (for about',
    ])
    const canary = { strategy: { canary: { steps: [{ pause: {} }] } }, traffic: { mode: 'Gated' } } as const
    expect(linesOfGated(canary, { fork })).to.include(first)
    expect(linesOfGated(canary).join()).to.not.contain(first)
  })

  it('N6: says of a blue-green when its Service is returned by itself, until it is', () => {
    const of = (maxUnavailable?: number | string, pods = 10) => {
      const blueGreen = { activeService: 'cart', ...(maxUnavailable ? { maxUnavailable } : {}) }
      return linesOfGated({ strategy: { blueGreen } }, { source: aDeployment({ spec: { replicas: pods } }) })
    }
    const back = 'service/cart sends to the source again when no pod of the fork is ready'
    const or = (promised: number) => `${back}, or fewer than ${promised} for 60s while the source has more`
    expect([of(), of(2), of('25%')].map((found) => found.filter((line) => line.startsWith(back)))).to.deep.equal([
      [or(10)],
      [or(8)],
      [or(8)],
    ])
    expect([of(undefined, 1), of('100%')].map((found) => found.filter((line) => line.startsWith(back)))).to.deep.equal([
      [back],
      [back],
    ])
  })

  it('says that an edit begins another run', () => {
    expect(during({ ...stored({ canary: {} }), stepIndex: 1 })).to.satisfy((found: string[]) =>
      found.some((line) => line.startsWith('a new run begins: 20% 3 of 13 pods (23%); ')),
    )
  })

  it('N31: tells the whole revision, which promote names, where the uid is known and something promotes', () => {
    const of = (promotion: PromotionSpec, more: Partial<DescribeOptions> = {}) =>
      described({ experiment: anExperiment({ strategy: CANARY, promotion }) }, more).filter((line) =>
        line.startsWith('[Plan] revision: '),
      )
    const { wholeRevision = '' } = stored()
    expect(wholeRevision).to.match(/^[0-9a-f]{64}$/)
    expect(described({ experiment: anExperiment({ strategy: CANARY, replicas: 1 }) })).to.include(
      `[Plan] revision: ${wholeRevision}`,
    )
    expect(of({})).to.have.lengthOf(1)
    expect([of({}, { isDryRunOfCreate: true }), of({ mode: 'Export' })]).to.deep.equal([[], []])
  })

  it('N33: tells what promote writes into the source, with old and new values', () => {
    const overrideSpec = imageOverride('example/cart:2')
    const experiment = anExperiment({ strategy: CANARY, overrideSpec })
    const { run } = plan(someFacts({ experiment })).conclusion
    if (!run) throw new Error('there is a run')
    const strategy = { ...run.run, phase: 'Progressing', stepName: 'x', step: '0/8 Progressing' } as const
    const annotations = { [COMMAND]: `promote step=0 revision=${strategy.revision} at=${NOW}`, [COMMAND_BY]: 'ada' }
    const said = anExperiment({ strategy: CANARY, overrideSpec, metadata: { annotations }, status: { strategy } })
    const fork = theFork({ experiment })
    const told = described({ experiment: said, fork, now: new Date(NOW) })
    expect(told).to.include('[Plan] deployment/cart: containers[cart].image: example/cart:1 -> example/cart:2')
    const unsaid = anExperiment({ strategy: CANARY, overrideSpec, status: { strategy } })
    expect(described({ experiment: unsaid, fork, now: new Date(NOW) }).join()).not.to.contain('deployment/cart: ')
  })

  it('N10: says where only the API server can tell whether the source has the change', () => {
    const overrideSpec = { template: { spec: { shareProcessNamespace: false } } }
    const fork = aDeployment({ name: 'fork', metadata: { uid: 'f', generation: 1 } })
    const { apiVersion, kind } = fork
    const experimentResourceRef = { apiVersion, kind, name: 'fork', namespace: 'shop', uid: 'f', generation: 1 }
    const doubt =
      '[Plan] only the API server can tell whether deployment/cart has this already, and the controller asks it: shareProcessNamespace'
    const told = (status: object) =>
      described({ experiment: anExperiment({ strategy: CANARY, overrideSpec, status }), fork })
    expect(told({ experimentResourceRef })).to.include(doubt)
    expect(told({})).not.to.include(doubt)
  })

  it('tells what a word does, and the steps that are left then', () => {
    const paused = { ...stored(), stepIndex: 1 }
    expect(during(paused)).to.include(
      'from step 2 of 8: pause until resumed; 50% 10 of 20 pods; pause 1h30m; 0% no pods; wait until promoted; promote; delete the fork after 30s',
    )
    expect(during(paused, 'resume')).to.deep.equal([
      'ada: goes on after step 2 of 8, Paused',
      'from step 3 of 8: 50% 10 of 20 pods; pause 1h30m; 0% no pods; wait until promoted; promote; delete the fork after 30s',
      'promote: writes deployment/cart; at least 10 pods serving at any time',
    ])
    expect(during(paused, 'pause').at(-2)).to.match(/^paused until resumed, at step 2 of 8: pause until resumed; 50% /)
    expect(during(paused, 'abort').at(-1)).to.equal(
      'the run was aborted; the fork has no pods until you give the command retry, or edit the override or the strategy',
    )
    expect(during({ ...stored(), path: 'Abort', stepIndex: 1 }, 'retry').at(-2)).to.match(/^steps: 20% 3 of 13 pods/)
  })
})
