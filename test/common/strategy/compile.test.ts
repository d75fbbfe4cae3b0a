import { expect } from 'chai'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { MAX_PAUSE_SECONDS } from '../../../common/api/strategy.ts'
import { compileSteps, nameOfStep, type RunStep } from '../../../common/strategy/compile.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'

type SpecOf = NonNullable<Parameters<typeof anExperiment>[0]>

function stepsOf(of: SpecOf, path: Parameters<typeof compileSteps>[1] = 'Forward'): readonly RunStep[] {
  const spec = strategyRunSpec(anExperiment(of).spec)
  if (!spec) throw new Error('nothing to compile')
  return compileSteps(spec, path)
}

const namesOf = (of: SpecOf, path?: Parameters<typeof compileSteps>[1]) => stepsOf(of, path).map(nameOfStep)
const canary = (...steps: NonNullable<CanaryStrategy['steps']>) => ({
  strategy: { canary: { steps } },
})
const AUTOMATIC = { promotion: { mode: 'Automatic' } } as const

describe('a strategy compiles to', () => {
  it('canary: its steps, await, promote, drain', () =>
    expect(namesOf(canary({ setWeight: 10 }, { pause: { duration: '1h' } }, { pause: {} }))).to.deep.equal([
      'setWeight 10%',
      'pause 1h',
      'pause',
      'await',
      'promote',
      'drain 30s',
    ]))

  it('canary without steps: size maxSurge, await, promote, drain', () =>
    expect(namesOf({ strategy: { canary: {} } })).to.deep.equal(['maxSurge', 'await', 'promote', 'drain 30s']))

  it('an analysis step where the user writes one', () =>
    expect(namesOf({ analysis: {}, ...canary({ setWeight: 10 }, { analysis: {} }) })).to.deep.equal([
      ...['setWeight 10%', 'analysis', 'await', 'promote', 'drain 30s'],
    ]))

  it('an analysis step before an automatic promotion, if there is an analysis and nobody wrote one', () => {
    const names = (of: SpecOf) => namesOf({ ...canary({ setWeight: 10 }), ...of }).slice(1, -1)
    expect(names({ analysis: {}, ...AUTOMATIC })).to.deep.equal(['analysis', 'promote'])
    expect(names(AUTOMATIC)).to.deep.equal(['promote'])
    expect(names({ analysis: {} })).to.deep.equal(['await', 'promote'])
    const written = { analysis: {}, ...AUTOMATIC, ...canary({ analysis: {} }, { setWeight: 10 }) }
    expect(namesOf(written)).to.deep.equal(['analysis', 'setWeight 10%', 'promote', 'drain 30s'])
    const blueGreen = { strategy: { blueGreen: { activeService: 'cart' } }, analysis: {}, ...AUTOMATIC }
    expect(namesOf(blueGreen).slice(-5)).to.deep.equal(['pause 30s', 'analysis', 'promote', 'return', 'drain 30s'])
  })

  it('promotion alone: size replicas, await, promote, drain', () =>
    expect(namesOf({ promotion: {} })).to.deep.equal(['replicas', 'await', 'promote', 'drain 30s']))

  it('await: in Manual only', () => {
    for (const mode of ['Automatic', 'Export'] as const)
      expect(namesOf({ promotion: { mode } })).to.deep.equal(['replicas', 'promote', 'drain 30s'])
    expect(namesOf({ promotion: { mode: 'Manual' } })).to.contain('await')
  })

  it('abort: size 0', () => expect(namesOf(canary({ setWeight: 10 }), 'Abort')).to.deep.equal(['remove']))

  it('undo: restore, size 0', () =>
    expect(namesOf(canary({ setWeight: 10 }), 'Undo')).to.deep.equal(['restore', 'remove']))

  it('no step for the weight 100, which is the promotion', () =>
    expect(namesOf({ ...canary({ setWeight: 50 }, { setWeight: 100 }), ...AUTOMATIC })).to.deep.equal([
      'setWeight 50%',
      'promote',
      'drain 30s',
    ]))

  it('steps that know where the user wrote them', () =>
    expect(stepsOf(canary({ pause: {} }, { setWeight: 0 }, { setWeight: 20 })).slice(0, 3)).to.deep.equal([
      { is: 'pause' },
      { is: 'setWeight', weight: 0, field: 'spec.strategy.canary.steps[1].setWeight' },
      { is: 'setWeight', weight: 20, field: 'spec.strategy.canary.steps[2].setWeight' },
    ]))

  it('the longest pause where a duration has a mistake, so that nothing goes on by mistake', () =>
    expect(stepsOf(canary({ pause: { duration: 'soon' } }, {}))).to.deep.include.members([
      { is: 'pause', seconds: MAX_PAUSE_SECONDS },
      { is: 'pause' },
    ]))

  it('a drain of as many seconds as the user says', () =>
    expect(stepsOf({ strategy: { canary: { scaleDownDelaySeconds: 0 } } })).to.deep.include({
      is: 'drain',
      seconds: 0,
    }))
})
