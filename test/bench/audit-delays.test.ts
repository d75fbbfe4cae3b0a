import { expect } from 'chai'
import type { AuditEvent } from '../../sandbox/audit.ts'
import { delaysIn } from './audit-delays.ts'

const event = (name: string, username: string, ms: number): AuditEvent => ({
  auditID: `${ms}`,
  stage: 'ResponseComplete',
  verb: 'patch',
  requestURI: '',
  user: { username },
  objectRef: { name },
  requestReceivedTimestamp: new Date(ms - 2).toISOString(),
  stageTimestamp: new Date(ms).toISOString(),
})

describe('the delays in an audit log', () => {
  it('are from each change to the first answer of each that answers it', async () => {
    const events = [
      event('fork-1', 'controller', 500),
      event('fork-1', 'controller', 1_040), // its line may come first
      event('source', 'bench', 1_000),
      event('fork-1', 'controller', 1_050),
      event('fork-2', 'controller', 1_070),
      event('source', 'bench', 2_000),
      event('fork-2', 'controller', 2_005),
    ]
    const delays = await delaysIn(events, {
      begins: ({ user, objectRef }) => (user.username === 'bench' ? objectRef?.name : undefined),
      ends: ({ user, objectRef }) =>
        user.username === 'controller' ? { answers: 'source', by: `${objectRef?.name}` } : undefined,
    })
    expect(delays).to.deep.equal([42, 72, 7])
  })
})
