import { expect } from 'chai'
import { resultOfCommand } from '../../../common/strategy/command.ts'
import type { Command, CommandVerb } from '../../../common/strategy/command-text.ts'
import type { Run } from '../../../common/strategy/run.ts'

const AT = '2026-11-21T14:05:03.120Z'
const RUN: Run = {
  run: 'aaaa',
  revision: '1f2e3d4c5b',
  path: 'Forward',
  stepIndex: 0,
  since: '2026-11-21T14:00:00.000Z',
}

describe('a command in an experiment that was restored from a backup', () => {
  const restored = (verb: CommandVerb, createdAt: string) => {
    const command: Command = { verb, stamp: { step: 0, revision: RUN.revision, at: AT } }
    const seen = { now: new Date('2026-11-21T14:10:00.000Z'), promotion: undefined, mayHaveWritten: false, createdAt }
    return resultOfCommand(command, RUN, [{ is: 'pause' }], seen)
  }

  for (const verb of ['pause', 'abort'] as const) {
    it(`is stale: ${verb}`, () =>
      expect(restored(verb, '2026-11-21T14:06:04Z')).to.deep.equal({
        is: 'Stale',
        message: `${verb} was given before the experiment was created; repeat it if you still mean it`,
      }))

    it(`is not stale by the difference of two clocks, up to a minute: ${verb}`, () =>
      expect(restored(verb, '2026-11-21T14:06:03Z')).to.include({ is: 'Done' }))
  }
})
