import { expect } from 'chai'
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import { stamped } from '../../../webhook/review/command.ts'
import { commandErrors } from '../../../webhook/review/command-errors.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

const NOW = new Date('2026-11-21T14:05:03.120Z')
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
