import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import { COMMAND } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionStatus } from '../../../common/api/strategy.ts'
import { sourceChanges, strategyLines } from '../../../common/describe/describe-run.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { type Run, runStatus } from '../../../common/strategy/run.ts'
import { aDeployment, anExperiment, installing } from '../../builders.ts'
import { plan, runState } from '../of-facts.ts'
import { applied, someFacts, theFork } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { aBlueGreen, aCutOver } from '../run/blue-greens.ts'
import { describedFacts } from './described.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const RECORDED: PromotionStatus = { mode: 'Manual', record: { name: 'record', hash: 'hash' } }

const ANOTHER_RUN = 'you give the command retry, or edit the override or the strategy'

const linesIn = (facts: Facts, fork: KubeObject) =>
  strategyLines(situationOf(facts), plan(facts), {
    fork,
    run: () => runState(facts, fork),
    isDryRunOfCreate: true,
  })

interface Told {
  readonly at?: Partial<Run>
  readonly command?: string
  readonly promotion?: PromotionStatus
}

/** The facts of a run that is at a step, after a command to it. */
function factsOf({ at = {}, command, promotion }: Told = {}) {
  const steps = [{ setWeight: 50 }, { pause: { duration: '1h' } }, { setWeight: 0 }, { pause: {} }]
  const strategy = { canary: { steps, scaleDownDelaySeconds: 0 } }
  const source = aDeployment()
  const fresh = { experiment: anExperiment({ strategy }), source, now: NOW }
  const fork = theFork(fresh)
  const state = runState(someFacts(fresh), applied(fresh)?.object)
  if (!state) throw new Error('an experiment with a strategy has a run')
  const run = { ...state.run, ...at }
  const stamp = `step=${run.stepIndex} revision=${run.revision} at=2026-11-21T10:00:00.000Z`
  const experiment = anExperiment({
    strategy,
    metadata: command === undefined ? {} : { annotations: { [COMMAND]: `${command} ${stamp}` } },
    status: { strategy: runStatus(run, state.steps, undefined), ...(promotion ? { promotion } : {}) },
  })
  return { facts: someFacts({ experiment, source, now: NOW, fork }), fork }
}

function linesOf(told: Told): readonly string[] {
  const { facts, fork } = factsOf(told)
  // what a promotion costs has its own test
  return linesIn(facts, fork).filter((line) => !line.startsWith('promote: '))
}

describe('the lines of the plan about a run and its commands', () => {
  const cases: Record<string, readonly [Told, ...string[]]> = {
    'are all steps of a new one': [
      {},
      'steps: 50% 11 of 22 pods; pause 1h; 0% no pods; pause until resumed; wait until promoted; promote; delete the fork',
    ],
    'are the steps that are left': [
      { at: { stepIndex: 3 } },
      'from step 4 of 7: pause until resumed; wait until promoted; promote; delete the fork',
    ],
    'are the steps after a command of this request': [
      { at: { stepIndex: 1 }, command: 'resume' },
      'from step 3 of 7: 0% no pods; pause until resumed; wait until promoted; promote; delete the fork',
    ],
    'are the promotion after its command': [
      { at: { stepIndex: 1 }, command: 'promote' },
      'from step 6 of 7: promote; delete the fork',
    ],
    'are the steps without a command that does not fit': [
      { at: { stepIndex: 4 }, command: 'retry' },
      'from step 5 of 7: wait until promoted; promote; delete the fork',
    ],
    'are the way back of an undo': [
      { at: { stepIndex: 7 }, command: 'undo', promotion: RECORDED },
      'restores the former values of the source, then takes all pods from the fork',
    ],
    'say that an aborted run has no pods': [
      { at: { path: 'Abort', stepIndex: 1 } },
      `the run was aborted; the fork has no pods until ${ANOTHER_RUN}`,
    ],
    'say that an undone run has no pods': [
      { at: { path: 'Undo', stepIndex: 2 } },
      `the run was undone; the fork has no pods until ${ANOTHER_RUN}`,
    ],
    'are all steps again after a retry': [
      { at: { path: 'Abort', stepIndex: 1 }, command: 'retry' },
      'steps: 50% 11 of 22 pods; pause 1h; 0% no pods; pause until resumed; wait until promoted; promote; delete the fork',
    ],
  }
  for (const [sentence, [told, ...lines]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(told)).to.deep.equal(lines))

  it('follow the line that the source has the change, and stand alone after a command', () => {
    const promoted = { at: { stepIndex: 7 }, promotion: RECORDED }
    const { facts } = factsOf(promoted)
    const planLines = (of: Facts) => describedFacts({ ...of, fork: ABSENT }).filter((line) => line.startsWith('[Plan]'))
    expect(planLines(facts)).to.deep.equal(['[Plan] creates no fork: the source has the change'])
    const { facts: undone } = factsOf({ ...promoted, command: 'undo' })
    expect(planLines(undone)).to.deep.equal([
      '[Plan] undone at step 7 of 7, Promoted',
      '[Plan] restores the former values of the source, then takes all pods from the fork',
    ])
  })

  it('are none without a strategy', () => {
    const facts = someFacts()
    expect(linesIn(facts, theFork())).to.deep.equal([])
  })

  it('tell what a promotion costs', () => {
    const { facts, fork } = factsOf()
    expect(linesIn(facts, fork)).to.include('promote: writes deployment/cart; at least 11 pods serving at any time')
  })

  it('tell that a promotion waits where the controller will not write the source', () => {
    const waits = 'promote: waits until deployment/cart has the change; status.promotion.patch says how'
    const { facts, fork } = factsOf()
    expect(linesIn({ ...facts, installed: installing() }, fork).at(-1), 'without the component').to.equal(waits)
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' }
    const source = aDeployment({ metadata: { labels } })
    const declared = { ...facts, source: known({ object: source, referents: [] }) }
    expect(linesIn(declared, fork).at(-1), 'where somebody declares it').to.equal(waits)
  })
})

describe('the lines of the plan about an abort', () => {
  const KEPT = 'its pods get no requests and stay for 30s'
  const afterAbort = (run: RunWorld) => {
    run.rest()
    run.say('abort')
    if (!run.world.fork) throw new Error('there is a fork')
    return linesIn(run.facts(), run.world.fork)
  }

  it('say how long the pods of a gated fork are kept', () =>
    expect(afterAbort(aRun(aRunExperiment({ traffic: { mode: 'Gated' } })))).to.deep.equal([
      `the run was aborted; ${KEPT}, or until ${ANOTHER_RUN}`,
    ]))

  it('say that the fork of a blue-green serves until its Services are returned', () => {
    expect(afterAbort(aCutOver())).to.deep.equal([
      `the run was aborted; the fork serves until its Services send to the source again, then ${KEPT}, or until ${ANOTHER_RUN}`,
    ])
  })
})

describe('the lines of the plan about a blue-green that is promoted', () => {
  const firstLineAfter = (...words: readonly string[]) => {
    const run = aBlueGreen()
    for (const word of words) {
      run.rest()
      run.say(word)
    }
    const facts = run.facts()
    if (!run.world.fork) throw new Error('there is a fork')
    return linesIn(facts, run.world.fork)[0]
  }
  const rest = 'promote; both Services send to the source again; delete the fork after 30s'

  it('tell the cut-over that its preview skips', () =>
    expect(firstLineAfter('promote')).to.equal(
      `from step 8 of 10: 10 pods without requests; service/cart sends only to them (for about 2s both versions answer); ${rest}`,
    ))

  it('do not tell it again once it is cut over', () =>
    expect(firstLineAfter('resume', 'promote')).to.equal(`from step 8 of 10: ${rest}`))
})

describe('the lines of the plan about a promotion over a newer value', () => {
  const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }
  const told = (verb: string) => {
    const run = aRun(aRunExperiment({ strategy, promotion: { mode: 'Automatic' } }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:3')
    run.say(verb)
    const { fork = expect.fail('there is a fork') } = run.world
    const facts = run.facts()
    const changes = sourceChanges(situationOf(facts), plan(facts)).map(({ before, after }) => `${before} -> ${after}`)
    return { promotion: linesIn(facts, fork).find((line) => line.startsWith('promote: ')), changes }
  }

  it('N12: say that it waits, and what for, where the command does not promote', () =>
    expect(told('resume')).to.deep.equal({
      promotion:
        'promote: deployment/cart is not written without the command promote: others changed it: containers[cart].image was example/cart:1 and is example/cart:3',
      changes: [],
    }))

  it('N12: say what is written over, where it does', () => {
    const { promotion, changes } = told('promote')
    expect(promotion).to.contain('promote: writes deployment/cart')
    expect(changes).to.deep.equal(['example/cart:3 -> example/cart:2'])
  })
})
