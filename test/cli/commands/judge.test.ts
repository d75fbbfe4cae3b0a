import { expect } from 'chai'
import { judge } from '../../../cli/commands/judge.ts'
import type { Goal } from '../../../cli/flags/goal.ts'
import type { AnalysisVerdict } from '../../../common/api/analysis/analysis.ts'
import type { ExperimentView } from '../../../common/view/experiment-view.ts'
import { aCondition, aViewOf } from '../some-experiments.ts'

const ready = aCondition('Ready', 'True', 'Available')
const notReady = aCondition('Ready', 'False', 'PodsNotReady')
const stalled = aViewOf({ conditions: [notReady, aCondition('Stalled', 'True', 'ProgressDeadlineExceeded')], run: {} })
const expired = aViewOf({ conditions: [aCondition('Ready', 'False', 'Expired')], run: {} })
const aborted = aViewOf({ conditions: [notReady], run: { path: 'Abort', stepIndex: 0 } })
const mended = aViewOf({
  conditions: [notReady, aCondition('Stalled', 'True', 'ProgressDeadlineExceeded')],
  metadata: { generation: 2 },
  run: { path: 'Abort', stepIndex: 0 },
})
const extended = aViewOf({ conditions: [aCondition('Ready', 'False', 'Expired')], metadata: { generation: 2 } })
const paused = aViewOf({ conditions: [notReady, aCondition('Paused', 'True', 'PauseDuration')], run: {} })
const pausedBefore = aViewOf({
  conditions: [notReady, aCondition('Paused', 'True', 'PauseDuration')],
  metadata: { generation: 2 },
  run: {},
})
const moving = aViewOf({ conditions: [notReady], run: {} })
const promoted = aViewOf({
  conditions: [aCondition('Ready', 'True', 'Promoted'), aCondition('Promoted', 'True', 'Promoted')],
  run: { stepIndex: 7, phase: 'Promoted' },
})
const behind = aViewOf({ conditions: [{ ...ready, observedGeneration: 1 }], metadata: { generation: 2 } })

const judged = (verdict: AnalysisVerdict, generation = 1) =>
  aViewOf({
    spec: { analysis: {} },
    metadata: { generation },
    conditions: [
      ready,
      aCondition('AnalysisComplete', verdict === 'Wait' ? 'False' : 'True', verdict),
      aCondition('AnalysisPassed', verdict === 'Pass' ? 'True' : 'False', verdict),
    ],
    status: {
      analysis: { verdict, reason: verdict, message: '', since: '2026-11-28T14:05:00Z', attempt: 1 },
    },
  })

/** `0`: reached; `-`: still open; another number: the exit code with which it is lost. */
const CASES: readonly (readonly [sentence: string, goal: Goal, view: ExperimentView | undefined, expected: string])[] =
  [
    ['ready: Ready is True', { is: 'ready' }, aViewOf({ conditions: [ready] }), '0'],
    ['ready: a promoted run is ready, although it has ended', { is: 'ready' }, promoted, '0'],
    ['ready: the generation is not observed', { is: 'ready' }, behind, '-'],
    ['ready: the pods are not ready yet', { is: 'ready' }, moving, '-'],
    ['ready: aborted', { is: 'ready' }, aborted, '4'],
    ['ready: aborted, and mended since', { is: 'ready' }, mended, '-'],
    ['ready: Ended, and extended since', { is: 'ready' }, extended, '-'],
    ['ready: Stalled', { is: 'ready' }, stalled, '5'],
    ['ready: Ended', { is: 'ready' }, expired, '5'],
    ['ready: deleted', { is: 'ready' }, undefined, '5'],
    ['paused: Paused is True', { is: 'paused' }, paused, '0'],
    ['paused: edited since', { is: 'paused' }, pausedBefore, '-'],
    ['paused: not yet', { is: 'paused' }, moving, '-'],
    ['paused: aborted', { is: 'paused' }, aborted, '4'],
    ['paused: Stalled', { is: 'paused' }, stalled, '5'],
    ['paused: Ended', { is: 'paused' }, expired, '5'],
    ['step: one step is done', { is: 'step', steps: 1 }, paused, '0'],
    ['step: two are not', { is: 'step', steps: 2 }, paused, '-'],
    ['step: the run has promoted', { is: 'step', steps: 4 }, promoted, '0'],
    [
      'step: left behind by promote',
      { is: 'step', steps: 3 },
      aViewOf({ conditions: [notReady], run: { stepIndex: 5 } }),
      '0',
    ],
    [
      'step: the steps of a way back do not count',
      { is: 'step', steps: 1 },
      aViewOf({ conditions: [notReady], run: { path: 'Undo', stepIndex: 1, phase: 'Undoing' } }),
      '-',
    ],
    ['step: aborted', { is: 'step', steps: 3 }, aborted, '4'],
    ['step: Stalled', { is: 'step', steps: 3 }, stalled, '5'],
    ['step: Ended before', { is: 'step', steps: 3 }, expired, '5'],
    ['step: there are not so many', { is: 'step', steps: 99 }, paused, '2'],
    ['step: no strategy', { is: 'step', steps: 1 }, aViewOf(), '2'],
    ['passed: the verdict is Pass', { is: 'passed' }, judged('Pass'), '0'],
    ['passed: it is of another generation', { is: 'passed' }, judged('Pass', 2), '-'],
    ['passed: it waits', { is: 'passed' }, judged('Wait'), '-'],
    ['passed: Fail', { is: 'passed' }, judged('Fail'), '4'],
    ['passed: Fail, of another generation', { is: 'passed' }, judged('Fail', 2), '-'],
    ['passed: NoData', { is: 'passed' }, judged('NoData'), '5'],
    ['passed: Inconclusive', { is: 'passed' }, judged('Inconclusive'), '5'],
    ['passed: no analysis', { is: 'passed' }, aViewOf(), '2'],
    ['passed: deleted', { is: 'passed' }, undefined, '5'],
    ['promoted: Promoted is True', { is: 'promoted' }, promoted, '0'],
    ['promoted: it waits', { is: 'promoted' }, paused, '-'],
    ['promoted: Stalled may be mended', { is: 'promoted' }, stalled, '-'],
    ['promoted: aborted', { is: 'promoted' }, aborted, '4'],
    ['promoted: Ended otherwise', { is: 'promoted' }, expired, '5'],
    ['promoted: neither strategy nor promotion', { is: 'promoted' }, aViewOf(), '2'],
    ['ended: Ended', { is: 'ended' }, expired, '0'],
    ['ended: Failed', { is: 'ended' }, aborted, '0'],
    ['ended: aborted, and mended since', { is: 'ended' }, mended, '-'],
    ['ended: deleted', { is: 'ended' }, undefined, '0'],
    ['ended: Stalled', { is: 'ended' }, stalled, '-'],
  ]

describe('the judgement on a goal', () => {
  for (const [sentence, goal, view, expected] of CASES)
    it(`${sentence}: ${expected}`, () => {
      const judgement = judge(goal, view)
      const found = judgement.is === 'lost' ? `${judgement.exitCode}` : judgement.is === 'reached' ? '0' : '-'
      expect(found).to.equal(expected)
    })
})
