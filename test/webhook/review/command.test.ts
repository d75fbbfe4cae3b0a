import { expect } from 'chai'
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import { stamped } from '../../../webhook/review/command.ts'
import { commandErrors } from '../../../webhook/review/command-errors.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'
import { anExperimentSaying, creating, NOW, ofKey, type Saying, STAMP, STATUS, updating } from './saying.ts'

describe('the annotations of a request that sets a command', () => {
  it('are the command with what its author saw, and the author', () =>
    expect(stamped(updating({ command: 'resume' }), NOW)).to.deep.equal({
      [COMMAND]: `resume ${STAMP}`,
      [COMMAND_BY]: 'alice',
    }))

  it('are by the stored status, not by that of the request', () => {
    const request = aRequest({
      object: anExperimentSaying({ command: 'resume' }, { strategy: { stepIndex: 4, revision: 'ffff' } }),
      oldObject: anExperimentSaying({}, STATUS),
    })
    expect(stamped(request, NOW)).to.include({ [COMMAND]: `resume ${STAMP}` })
  })

  it('name the author over whatever was sent', () =>
    expect(stamped(updating({ command: 'promote', by: 'mallory' }), NOW)).to.include({ [COMMAND_BY]: 'alice' }))

  it('stay as they were stored, where the command stays', () => {
    const said = { command: `resume ${STAMP}`, by: 'bob' }
    expect(stamped(updating(said, said), NOW)).to.deep.equal({ [COMMAND_BY]: 'bob' })
    expect(stamped(updating({ ...said, by: 'mallory' }, said), NOW)).to.deep.equal({ [COMMAND_BY]: 'bob' })
  })

  it('lose an author without a command', () => {
    expect(stamped(creating({ by: 'mallory' }), NOW)).to.deep.equal({ [COMMAND_BY]: undefined })
    expect(stamped(updating({ by: 'mallory' }), NOW)).to.deep.equal({ [COMMAND_BY]: undefined })
  })

  it('lose the author of a command that the request removes, who would pass for the author of an approval', () => {
    const said = { command: `pause ${STAMP}`, by: 'bob' }
    for (const left of [{ by: 'bob' }, { by: 'mallory' }, {}])
      expect(stamped(updating(left, said), NOW)).to.deep.equal({ [COMMAND_BY]: undefined })
    expect(stamped(updating({}, { by: 'bob' }), NOW), 'of an approval').to.deep.equal({ [COMMAND_BY]: 'bob' })
  })

  it('are of the author of the next command', () =>
    expect(
      stamped(updating({ command: 'promote', by: 'bob' }, { command: `resume ${STAMP}`, by: 'bob' }), NOW),
    ).to.deep.equal({ [COMMAND]: `promote ${STAMP}`, [COMMAND_BY]: 'alice' }))

  it('are gone where the request leaves no run, so that the next run does not obey them', () => {
    const said = { command: `abort ${STAMP}`, by: 'bob' }
    const { spec, ...others } = anExperimentSaying(said, STATUS)
    const leaving = (left: object) => {
      const { strategy: _strategy, ...rest } = spec
      return aRequest({ object: { ...others, spec: { ...rest, ...left } }, oldObject: { ...others, spec } })
    }
    expect(stamped(leaving({}), NOW)).to.deep.equal({ [COMMAND]: undefined, [COMMAND_BY]: undefined })
    expect(stamped(leaving({ promotion: {} }), NOW)).to.deep.equal({ [COMMAND_BY]: 'bob' })
    const { strategy: _strategy, ...without } = spec
    const beginning = aRequest({ object: { ...others, spec }, oldObject: { ...others, spec: without } })
    expect(stamped(beginning, NOW)).to.deep.equal({ [COMMAND]: undefined, [COMMAND_BY]: undefined })
    const { metadata, ...object } = { ...others, spec: { sourceRef: spec.sourceRef, overrideSpec: spec.overrideSpec } }
    const left = aRequest({
      object: { ...object, metadata: { ...metadata, annotations: {} } },
      oldObject: { ...others, spec },
    })
    expect(commandErrors(left, undefined, NOW)).to.deep.equal([])
  })

  describe('of a request that approves a revision', () => {
    const approving = (said: Saying, before: Saying, answered?: object) => {
      const status = { strategy: { ...STATUS.strategy, command: answered } }
      const [object, oldObject] = [anExperimentSaying(said, status), anExperimentSaying(before, status)]
      return aRequest({
        object: { ...object, spec: { ...object.spec, promotion: { approvedRevision: 'ff' } } },
        oldObject,
      })
    }
    const said = { command: `resume ${STAMP}`, by: 'bob' }
    const ANSWERED = { verb: 'resume', at: NOW.toISOString() }

    it('are its author, in the place of the last command', () => {
      const approved = { [COMMAND]: undefined, [COMMAND_BY]: 'alice' }
      expect(stamped(approving({}, {}), NOW)).to.deep.equal(approved)
      expect(stamped(approving(said, said, ANSWERED), NOW)).to.deep.equal(approved)
      expect(stamped(approving({ by: 'bob' }, { by: 'bob' }), NOW)).to.deep.equal(approved)
    })

    it('stay with a command that waits for its answer, which must not be lost', () =>
      expect(stamped(approving(said, said), NOW)).to.deep.equal({ [COMMAND_BY]: 'bob' }))

    it('are its author, where the request removes the last command', () =>
      expect(stamped(approving({}, said), NOW)).to.deep.equal({ [COMMAND]: undefined, [COMMAND_BY]: 'alice' }))

    it('are those of a command that it says, too', () =>
      expect(stamped(approving({ command: 'promote' }, said, ANSWERED), NOW)).to.deep.equal({
        [COMMAND]: `promote ${STAMP}`,
        [COMMAND_BY]: 'alice',
      }))

    it('must not have another author', () => {
      const fields = (now: Saying, before: Saying) =>
        commandErrors(approving(now, before), undefined, NOW).map(({ field }) => field)
      expect(fields({ by: 'alice' }, said)).to.deep.equal([])
      expect(fields({ by: 'alice' }, { by: 'bob' })).to.deep.equal([])
      expect(fields(said, said)).to.deep.equal([])
      expect(fields({ by: 'bob' }, { by: 'bob' })).to.deep.equal([ofKey(COMMAND_BY)])
      expect(fields({ by: 'mallory' }, {})).to.deep.equal([ofKey(COMMAND_BY)])
    })
  })

  const unstamped: Readonly<Record<string, ReturnType<typeof aRequest>>> = {
    'a command that is not known': updating({ command: 'continue' }),
    'a command that has a stamp': updating({ command: `resume step=0 revision=ffff at=${NOW.toISOString()}` }),
    'a command to an experiment without a run': updating({ command: 'resume' }, {}, {}),
    'a command to a run whose status is damaged': updating({ command: 'resume' }, {}, { strategy: { stepIndex: '1' } }),
    'a command in a new experiment': creating({ command: 'resume' }),
  }
  for (const [sentence, request] of Object.entries(unstamped))
    it(`leave ${sentence} as it is`, () => expect(stamped(request, NOW)).to.deep.equal({ [COMMAND_BY]: 'alice' }))
})

const restoring = (command: string) => {
  const annotations = { [COMMAND]: command, [COMMAND_BY]: 'bob' }
  return aRequest({ object: anExperiment({ metadata: { annotations }, strategy: { canary: {} } }) })
}

describe('an experiment that is restored from a backup', () => {
  for (const verb of ['pause', 'resume', 'promote', 'abort', 'undo', 'retry'])
    it(`loses the command ${verb}, which was given to another run`, () => {
      const request = restoring(`${verb} step=1 revision=1f2e3d4c5b at=2026-11-20T10:00:00.000Z`)
      expect(stamped(request, NOW)).to.deep.equal({ [COMMAND]: undefined, [COMMAND_BY]: undefined })
    })

  it('keeps a command without a stamp, which is refused', () => {
    expect(stamped(restoring('abort'), NOW)).to.deep.equal({ [COMMAND_BY]: 'alice' })
    const refused = commandErrors(restoring('abort'), undefined, NOW).map(({ field }) => field)
    expect(refused).to.include(`metadata.annotations["${COMMAND}"]`)
  })
})
