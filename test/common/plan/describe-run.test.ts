import { expect } from 'chai'
import { strategyLines } from '../../../common/plan/describe-run.ts'
import { aFork } from '../../builders.ts'
import { someFacts } from './some-facts.ts'
import { aRun, aRunExperiment, aSource } from './some-run.ts'

const linesOf = (
  of: Parameters<typeof aRunExperiment>[0],
  source: ReturnType<typeof aSource> | undefined = aSource(),
) => strategyLines(someFacts({ experiment: aRunExperiment(of), source }), aFork())
const PROMOTE = 'promote: writes deployment/cart; at most 3 pods beside it, never fewer than 10 serve'

describe('the lines about a strategy', () => {
  it('are none without strategy and promotion', () => expect(strategyLines(someFacts(), aFork())).to.deep.equal([]))

  it('tell all steps with their pods and shares, and what the promotion costs', () =>
    expect(linesOf({})).to.deep.equal([
      'steps: 10% 1 of 11 (9%); pause 1h; 20% 3 of 13 (23%); pause until resumed; wait until promoted; promote; ' +
        'delete the fork after 30s',
      PROMOTE,
    ]))

  it('tell how many pods a promotion may cost', () => {
    const strategy = { canary: { maxUnavailable: '25%', steps: [{ setWeight: 5 }] } }
    expect(linesOf({ strategy }).at(-1)).to.equal(
      'promote: writes deployment/cart; at most 1 pod beside it, never fewer than 8 serve',
    )
  })

  it('tell that an export waits', () =>
    expect(linesOf({ promotion: { mode: 'Export' } }).at(-1)).to.equal(
      'promote: waits until deployment/cart has the change; status.promotion.patch says how',
    ))

  it('tell the names of the steps while the source is not known', () => {
    const facts = someFacts({ experiment: aRunExperiment(), source: undefined })
    expect(strategyLines(facts, aFork())).to.deep.equal([
      'steps: setWeight 10%; pause 1h; setWeight 20%; pause; await; promote; drain 30s',
    ])
  })

  it('are as many as fifty steps need, each no longer than a warning may be', () => {
    const steps = Array.from({ length: 50 }, (_, index) => ({ setWeight: index + 1 }))
    const lines = linesOf({ strategy: { canary: { steps } } })
    expect(lines.length).to.be.above(3)
    expect(Math.max(...lines.map(({ length }) => length))).to.be.below(240)
    expect(lines.slice(1, -1).every((line) => line.startsWith('then '))).to.equal(true)
    const told = lines.slice(0, -1).join('; ')
    for (const { setWeight } of steps) expect(told).to.match(new RegExp(`[ ;]${setWeight}% \\d`))
  })

  it('tell only the rest of a run that goes on', () => {
    const run = aRun()
    run.rest()
    const { fork } = run.world
    if (!fork) throw new Error('there is no fork')
    expect(strategyLines(run.facts(), fork)[0]).to.match(/^from step 2 of 7: pause 1h; 20% /)
    run.sayUnstamped('abort')
    run.rest()
    expect(strategyLines(run.facts(), run.world.fork ?? fork)).to.deep.equal(['the run was aborted: no pods'])
  })
})
