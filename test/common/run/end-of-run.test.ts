import { expect } from 'chai'
import type { RunPath } from '../../../common/api/strategy.ts'
import { endOfRun } from '../../../common/run/end-of-run.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'
import { CANARY, type RunOf } from '../plan/some-run.ts'

const SHUT = 'its pods get no requests and stay'
const NEXT = 'you give the command retry, or edit the override or the strategy'
const GATED: RunOf = { strategy: CANARY, traffic: { mode: 'Gated' } }
const BLUE_GREEN: RunOf = { strategy: { blueGreen: { activeService: 'cart', abortScaleDownDelaySeconds: 90 } } }
const KEPT: RunOf = { strategy: { blueGreen: { activeService: 'cart', abortScaleDownDelaySeconds: 0 } } }

/** The run of an experiment at a step of its way back, which began at 10:00:00. */
function stateAt(of: RunOf, path: RunPath, stepIndex: number) {
  const { spec } = anExperiment(of as Parameters<typeof anExperiment>[0])
  const runSpec = strategyRunSpec(spec)
  if (!runSpec) throw new Error('it has a strategy')
  const run = { run: 'aaaa', revision: 'bbbb', path, stepIndex, since: '2026-11-21T10:00:00.000Z' }
  return { run, steps: compileSteps(runSpec, path) }
}

describe('the end of a run that goes back', () => {
  const cases: Readonly<Record<string, readonly [RunOf, RunPath, stepIndex: number, string]>> = {
    'is no pods for a canary': [{ strategy: CANARY }, 'Abort', 0, `the fork has no pods until ${NEXT}`],
    'is no pods after an undo': [{ strategy: CANARY }, 'Undo', 2, `the fork has no pods until ${NEXT}`],
    'is how long the pods of a gated fork are kept': [GATED, 'Abort', 0, `${SHUT} for 30s, or until ${NEXT}`],
    'is until when they are kept, once they are shut': [
      GATED,
      'Abort',
      1,
      `${SHUT} until 2026-11-21T10:00:30Z, or until ${NEXT}`,
    ],
    'is no pods after that': [GATED, 'Abort', 2, `the fork has no pods until ${NEXT}`],
    'is that the Services of a blue-green are returned first': [
      BLUE_GREEN,
      'Abort',
      0,
      `the fork serves until its Services send to the source again, then ${SHUT} for 1m30s, or until ${NEXT}`,
    ],
    'is so for an undo, whose pods are not kept': [
      BLUE_GREEN,
      'Undo',
      1,
      `the fork serves until its Services send to the source again, then the fork has no pods until ${NEXT}`,
    ],
    'has no time where the pods are kept without one': [KEPT, 'Abort', 2, `${SHUT} until ${NEXT}`],
  }
  for (const [sentence, [of, path, stepIndex, text]] of Object.entries(cases))
    it(sentence, () => expect(endOfRun(stateAt(of, path, stepIndex))).to.equal(text))

  it('says that retry alone does not help after a verdict that rolls back', () =>
    expect(endOfRun(stateAt({ strategy: CANARY }, 'Abort', 1), { isRolledBack: true })).to.equal(
      'the fork has no pods until you edit the override, or raise spec.analysis.attempt and then give the command retry',
    ))
})
