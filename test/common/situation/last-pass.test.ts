import { expect } from 'chai'
import type { Condition } from '../../../common/api/types.ts'
import { lastPassOf } from '../../../common/situation/last-pass.ts'

const ready = (reason: string): Condition => ({
  ...{ type: 'Ready', status: 'False', reason, message: '' },
  ...{ observedGeneration: 1, lastTransitionTime: '2026-11-21T10:00:00Z' },
})

describe('what the last pass left', () => {
  it('is nothing before the first status', () => {
    for (const status of [undefined, {}])
      expect(lastPassOf(status)).to.deep.equal({ isTold: false, emptied: undefined })
  })

  it('tells why the fork has no pods, and nothing from a word of another version', () => {
    const emptied = (reason: string) => lastPassOf({ conditions: [ready(reason)] }).emptied
    expect(['AloneBehindService', 'RolledBack', 'Available', 'FromTheFuture'].map(emptied)).to.deep.equal([
      ...['aloneBehindService', 'rolledBack'],
      ...[undefined, undefined],
    ])
  })
})
