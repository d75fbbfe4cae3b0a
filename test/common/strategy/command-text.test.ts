import { expect } from 'chai'
import fc from 'fast-check'
import { COMMAND, COMMAND_SAW } from '../../../common/api/names.ts'
import type { CommandStatus } from '../../../common/api/strategy.ts'
import { isAnswered } from '../../../common/strategy/command.ts'
import {
  COMMAND_VERBS,
  type Command,
  commandIn,
  formatCommand,
  formatSaw,
  isOfRevision,
  parseCommand,
  parseSaw,
} from '../../../common/strategy/command-text.ts'
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

  it('N33: may name the revision that it promotes', () => {
    expect(parseCommand('promote 1f2e3d4c5b')).to.deep.equal({ verb: 'promote', named: '1f2e3d4c5b' })
    for (const text of ['resume 1f2e', 'promote ', 'promote XYZ', `promote ${'1'.repeat(65)}`, `promote 1f ${STAMPED}`])
      expect(parseCommand(text)).to.equal(undefined)
  })

  it('N7: may name the step at which it resumes or promotes, as the plan counts them', () => {
    expect(parseCommand('resume step=1')).to.deep.equal({ verb: 'resume', namedStep: 0 })
    expect(parseCommand('promote step=12')).to.deep.equal({ verb: 'promote', namedStep: 11 })
    for (const text of ['resume step=0', 'resume step=', 'resume  step=1', 'resume step=10000', 'abort step=1'])
      expect(parseCommand(text), text).to.equal(undefined)
  })

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

describe('what the author of a command saw', () => {
  const WHOLE = '1f'.repeat(32)

  it('N31: is read as it was written, without fields that another version adds', () => {
    const aSaw = fc.record(
      {
        at: fc.constant(AT),
        step: fc.nat(9_999),
        revision: fc.stringMatching(/^[0-9a-f]{1,64}$/),
        named: fc.constantFrom('revision' as const, 'step' as const),
        values: fc.stringMatching(/^[0-9a-f]{64}$/),
      },
      { requiredKeys: ['at', 'step'], noNullPrototype: true },
    )
    fc.assert(
      fc.property(aSaw, (saw) => {
        expect(parseSaw(formatSaw(saw))).to.deep.equal(saw)
        expect(parseSaw(`${formatSaw(saw)} later=abc`)).to.deep.equal(saw)
      }),
      LAW,
    )
    for (const text of ['', 'x', `at=${AT}`, `at=${AT} step=-1`, 'step=1']) expect(parseSaw(text)).to.equal(undefined)
  })

  it('N7: is read as an earlier version wrote it', () => {
    const named = parseSaw(`at=${AT} step=1 revision=${WHOLE} named=revision`)
    expect(named).to.deep.equal({ at: AT, step: 1, revision: WHOLE, named: 'revision' })
    expect(parseSaw(`at=${AT} step=1 revision=${WHOLE}`)).to.deep.equal({ at: AT, step: 1, revision: WHOLE })
  })

  it('N31: belongs to the stamp with its time only', () => {
    const annotations = { [COMMAND]: STAMPED, [COMMAND_SAW]: `at=${AT} step=1 revision=${WHOLE}` }
    expect(commandIn(annotations)?.saw).to.deep.equal({ at: AT, step: 1, revision: WHOLE })
    expect(commandIn({ ...annotations, [COMMAND_SAW]: `at=${SINCE} step=1` })).to.not.have.property('saw')
    expect(commandIn({ [COMMAND_SAW]: `at=${AT} step=1` })).to.equal(undefined)
  })

  it('N31: tells revisions with one short hash apart, where both whole ones are known', () => {
    const command = commandIn({ [COMMAND]: STAMPED, [COMMAND_SAW]: `at=${AT} step=1 revision=${WHOLE}` })
    if (!command) throw new Error('there is a command')
    expect(isOfRevision(command, { revision: REVISION, wholeRevision: WHOLE })).to.equal(true)
    expect(isOfRevision(command, { revision: REVISION })).to.equal(true)
    expect(isOfRevision(command, { revision: REVISION, wholeRevision: '2e'.repeat(32) })).to.equal(false)
    expect(isOfRevision(command, { revision: 'ffff', wholeRevision: WHOLE })).to.equal(false)
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
