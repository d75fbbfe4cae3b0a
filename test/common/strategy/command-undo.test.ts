import { expect } from 'chai'
import type { RunPath } from '../../../common/api/strategy.ts'
import { resultOfCommand } from '../../../common/strategy/command.ts'
import type { CommandVerb } from '../../../common/strategy/command-text.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'

const NOW = new Date('2026-11-21T14:05:04.000Z')
const [SINCE, AT, REVISION] = ['2026-11-21T14:00:00.000Z', '2026-11-21T14:05:03.120Z', '1f2e3d4c5b']
const WRITTEN = { mode: 'Manual', record: { name: 'r', hash: 'h' }, written: { uid: 'u', generation: 2 } } as const

interface Given {
  readonly stepIndex?: number
  readonly revision?: string
  readonly mayHaveWritten?: boolean
  readonly noUndo?: string
  readonly noAbort?: string
}

/** The answer to `verb` where the run is. */
function said(
  verb: CommandVerb,
  path: RunPath,
  { stepIndex = 0, revision = REVISION, mayHaveWritten = true, ...of }: Given = {},
) {
  const spec = strategyRunSpec(anExperiment({ strategy: { canary: {} } }).spec)
  if (!spec) throw new Error('the experiment has a run')
  const run = { run: 'aaaa', revision: REVISION, path, stepIndex, since: SINCE }
  const command = { verb, stamp: { step: stepIndex, revision, at: AT } }
  const context = { now: NOW, promotion: WRITTEN, mayHaveWritten, ...of }
  return resultOfCommand(command, run, compileSteps(spec, path), context)
}

describe('the commands around an undo', () => {
  it('N11: abort ends it, and leaves the source as it is', () => {
    expect(said('abort', 'Undo')).to.deep.equal({
      is: 'Done',
      run: { run: 'aaaa', revision: REVISION, path: 'Abort', stepIndex: 0, since: NOW.toISOString() },
      reason: 'Aborted',
      message: 'the undo was aborted at step 1 of 2, Undoing; the source stays as it is',
    })
    expect(said('abort', 'Undo', { stepIndex: 1 })).to.include({ is: 'Refused' })
  })

  it('N11: abort is refused while the fork serves instead of pods of the source', () =>
    expect(
      said('abort', 'Undo', { noAbort: 'the fork serves until the rollout of deployment/cart ends' }),
    ).to.deep.equal({
      is: 'Refused',
      message: 'abort: the fork serves until the rollout of deployment/cart ends; step 1 of 2, Undoing',
    }))

  it('N11: retry is refused after it, because the next run would lose the record of the former values', () => {
    const stepIndex = 1
    expect(said('retry', 'Abort', { stepIndex })).to.include({ is: 'Refused' })
    expect(said('retry', 'Abort', { stepIndex, mayHaveWritten: false })).to.include({ is: 'Done' })
    expect(said('retry', 'Undo', { stepIndex: 2 })).to.include({ is: 'Done' })
  })

  it('N11: undo can be given again after that', () => {
    for (const stepIndex of [0, 1])
      expect(said('undo', 'Abort', { stepIndex })).to.include({ is: 'Done', reason: 'Undoing' })
  })

  it('N11: undo can be given where others have edited the source since, so that its fork would be another one', () =>
    expect(said('undo', 'Forward', { stepIndex: 4, revision: 'ffff' })).to.include({ is: 'Done', reason: 'Undoing' }))

  it('N11: undo is refused where it would do nothing', () =>
    expect(said('undo', 'Forward', { stepIndex: 4, noUndo: 'the record of the former values is gone' })).to.deep.equal({
      is: 'Refused',
      message: 'undo: the record of the former values is gone; change the source by hand',
    }))
})
