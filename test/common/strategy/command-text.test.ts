import { expect } from 'chai'
import fc from 'fast-check'
import type { CommandStatus } from '../../../common/api/strategy.ts'
import {
  COMMAND_VERBS,
  type Command,
  formatCommand,
  isAnswered,
  parseCommand,
} from '../../../common/strategy/command.ts'
import { LAW } from '../../property.ts'

const SINCE = '2026-11-21T14:00:00.000Z'
const AT = '2026-11-21T14:05:03.120Z'
const REVISION = '1f2e3d4c5b'
const STAMPED = `resume step=1 revision=${REVISION} at=${AT}`

describe('the text of a command', () => {
  it('is a verb, with a stamp or without', () => {
    expect(parseCommand('abort')).to.deep.equal({ verb: 'abort' })
    const stamp = { step: 1, revision: REVISION, at: AT }
    expect(parseCommand(STAMPED)).to.deep.equal({ verb: 'resume', stamp })
    expect(formatCommand({ verb: 'resume', stamp })).to.equal(STAMPED)
    expect(formatCommand({ verb: 'abort' })).to.equal('abort')
  })

  const wrong: readonly string[] = [
    '',
    'continue',
    'Resume',
    ' resume',
    'resume ',
    'resume\n',
    'resume step=1',
    `resume step=1 revision=${REVISION}`,
    `resume step=-1 revision=${REVISION} at=${AT}`,
    `resume step=99999 revision=${REVISION} at=${AT}`,
    `resume step=1 revision= at=${AT}`,
    `resume step=1 revision=XYZ at=${AT}`,
    `resume step=1 revision=${REVISION} at=2026-13-41T14:05:03Z`,
    `resume step=1 revision=${REVISION} at=2026-11-21T14:05:03+01:00`,
    `${STAMPED} by=mallory`,
    'constructor',
  ]
  for (const text of wrong) it(`is none: ${JSON.stringify(text)}`, () => expect(parseCommand(text)).to.equal(undefined))

  it('is read as it was written, for every command', () => {
    const aStamp = fc.record({
      step: fc.nat(9_999),
      revision: fc.stringMatching(/^[0-9a-f]{1,64}$/),
      at: fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
        .map((date) => date.toISOString()),
    })
    const aCommand = fc.record(
      { verb: fc.constantFrom(...COMMAND_VERBS), stamp: aStamp },
      { requiredKeys: ['verb'], noNullPrototype: true },
    )
    fc.assert(
      fc.property(aCommand, (command) => {
        expect(parseCommand(formatCommand(command))).to.deep.equal(command)
      }),
      LAW,
    )
  })
})

describe('a command is answered once', () => {
  const answered = (of: Partial<CommandStatus>): CommandStatus => ({
    verb: 'resume',
    answer: 'Done',
    message: '',
    ...of,
  })
  const stamped: Command = { verb: 'resume', stamp: { step: 1, revision: REVISION, at: AT } }

  it('by the time of its stamp', () => {
    expect(isAnswered(stamped, answered({ at: AT }))).to.equal(true)
    expect(isAnswered(stamped, answered({ at: SINCE }))).to.equal(false)
    expect(isAnswered(stamped, answered({}))).to.equal(false)
    expect(isAnswered(stamped, undefined)).to.equal(false)
  })

  it('by its verb, without a stamp', () => {
    expect(isAnswered({ verb: 'abort' }, answered({ verb: 'abort' }))).to.equal(true)
    expect(isAnswered({ verb: 'abort' }, answered({ verb: 'abort', at: AT }))).to.equal(false)
    expect(isAnswered({ verb: 'abort' }, answered({ verb: 'pause' }))).to.equal(false)
    expect(isAnswered({ verb: 'abort' }, undefined)).to.equal(false)
  })
})
