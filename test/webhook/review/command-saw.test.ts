import { expect } from 'chai'
import { COMMAND, COMMAND_SAW } from '../../../common/api/names.ts'
import { sawAfter, stamped } from '../../../webhook/review/command.ts'
import { commandErrors } from '../../../webhook/review/command-errors.ts'
import { aRequest } from '../reviews.ts'
import { anExperimentSaying, NOW, ofKey, REVISION, type Saying, STAMP, STATUS, updating } from './saying.ts'

describe('what the author of a command saw, after a request', () => {
  const WHOLE = '1f'.repeat(32)
  const SEEN = { strategy: { ...STATUS.strategy, wholeRevision: WHOLE } }
  const KEPT = `at=2026-11-21T10:00:00.000Z step=0 revision=${WHOLE}`
  const withSaw = (said: Saying, saw: string | undefined) => {
    const { metadata, ...others } = anExperimentSaying(said, SEEN)
    const annotations = { ...metadata.annotations, ...(saw === undefined ? {} : { [COMMAND_SAW]: saw }) }
    return { ...others, metadata: { ...metadata, annotations } }
  }
  const SAID = { command: `resume step=0 revision=${REVISION} at=2026-11-21T10:00:00.000Z`, by: 'bob' }

  it('N31: is the step and the whole revision, beside the stamp', () => {
    const request = updating({ command: 'resume' }, {}, SEEN)
    expect(stamped(request, NOW)).to.include({ [COMMAND]: `resume ${STAMP}` })
    expect(sawAfter(request, NOW)).to.equal(`at=${NOW.toISOString()} step=1 revision=${WHOLE}`)
    expect(sawAfter(updating({ command: 'resume' }, {}), NOW)).to.equal(`at=${NOW.toISOString()} step=1`)
  })

  it('N33: is the revision that promote names, and the stamp has its usual form', () => {
    const named = '2e'.repeat(32)
    const request = updating({ command: `promote ${named}` }, {}, SEEN)
    expect(stamped(request, NOW)).to.include({ [COMMAND]: `promote ${STAMP}` })
    expect(sawAfter(request, NOW)).to.equal(`at=${NOW.toISOString()} step=1 revision=${named} named=revision`)
  })

  it('N31: stays and goes with its command, whatever the request says', () => {
    const oldObject = withSaw(SAID, KEPT)
    const left = (said: Saying, saw?: string) => sawAfter(aRequest({ object: withSaw(said, saw), oldObject }), NOW)
    expect([left(SAID, KEPT), left(SAID), left(SAID, 'forged')]).to.deep.equal([KEPT, KEPT, KEPT])
    expect(left({ by: 'bob' }, KEPT)).to.equal(undefined)
    expect(left({ command: 'continue' }, KEPT)).to.equal(undefined)
    expect(sawAfter(aRequest({ object: withSaw(SAID, KEPT) }), NOW)).to.equal(undefined)
  })

  it('N31: is refused from anybody else, where the mutating webhook was skipped', () => {
    const errors = (saw: string | undefined, stored: string | undefined) => {
      const request = aRequest({ object: withSaw(SAID, saw), oldObject: withSaw(SAID, stored) })
      return commandErrors(request, undefined, NOW).map(({ field, message }) => `${field}: ${message}`)
    }
    const FORGED_SAW = `${ofKey(COMMAND_SAW)}: is set by the webhook to what the author of the command saw;`
    expect(errors(KEPT, KEPT)).to.deep.equal([])
    expect(errors('other', KEPT)).to.deep.equal([`${FORGED_SAW} leave it as it is`])
    expect(errors(undefined, KEPT)).to.deep.equal([`${FORGED_SAW} leave it as it is`])
    expect(errors(KEPT, undefined)).to.deep.equal([`${FORGED_SAW} remove it`])
  })
})
