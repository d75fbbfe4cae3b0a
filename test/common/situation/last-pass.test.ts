import { expect } from 'chai'
import type { Condition } from '../../../common/api/types.ts'
import { lastPassOf } from '../../../common/situation/last-pass.ts'

const SINCE = '2026-11-21T10:00:00Z'
const condition = (type: Condition['type'], reason: string): Condition => ({
  ...{ type, status: 'False', reason, message: '' },
  ...{ observedGeneration: 1, lastTransitionTime: SINCE },
})
const ready = (reason: string): Condition => condition('Ready', reason)
const WORDS = ['LimitReached', 'Expired', 'Updating', 'Available', 'FromTheFuture', 'constructor']

describe('what the last pass left', () => {
  it('is nothing before the first status', () => {
    for (const status of [undefined, {}])
      expect(lastPassOf(status)).to.deep.equal({
        ...{ isReported: false, emptied: undefined, ofWritten: undefined, isOver: false, waitsForAnother: false },
        ...{ told: undefined, lacksTemplateSince: undefined, limited: { active: false, preview: false } },
      })
  })

  it('tells why the fork has no pods, and nothing from a word of another version', () => {
    const emptied = (reason: string) => lastPassOf({ conditions: [ready(reason)] }).emptied
    expect(['AloneBehindService', 'RolledBack', 'Available', 'FromTheFuture'].map(emptied)).to.deep.equal([
      ...['aloneBehindService', 'rolledBack'],
      ...[undefined, undefined],
    ])
  })

  it('tells whether the experiment is over, waits for another one, or was just written, whoever wrote it', () => {
    const saying = (is: 'isOver' | 'waitsForAnother' | 'ofWritten') =>
      WORDS.filter((reason) => lastPassOf({ conditions: [condition('Progressing', 'x'), ready(reason)] })[is])
    expect(saying('waitsForAnother')).to.deep.equal(['LimitReached'])
    expect(saying('isOver')).to.deep.equal(['Expired'])
    expect(saying('ofWritten')).to.deep.equal(['Updating'])
  })

  it('tells since when the source has no template', () => {
    const since = (reason: string) => lastPassOf({ conditions: [condition('SourceResolved', reason)] })
    expect(since('SourceTemplateNotFound').lacksTemplateSince).to.equal(SINCE)
    expect(since('SourceNotFound').lacksTemplateSince).to.equal(undefined)
  })

  it('tells which Services it said to send only to the fork', () => {
    const limited = (...conditions: readonly Condition[]) => lastPassOf({ conditions }).limited
    const paused = (reason: string) => condition('Paused', reason)
    expect(limited(condition('CutOver', 'CutOver'))).to.deep.equal({ active: true, preview: false })
    expect(limited(paused('Previewing'))).to.deep.equal({ active: false, preview: true })
    expect(limited(paused('PauseStep'), ready('CutOver'))).to.deep.equal({ active: false, preview: false })
  })
})
