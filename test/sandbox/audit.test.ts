import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { auditEvents } from '../../sandbox/audit.ts'
import { collect } from '../collect.ts'

describe('the audit log', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const line = (auditID: string, filling = '') => `${JSON.stringify({ auditID, filling })}\n`
  async function readBack(text: string, mentions?: string): Promise<readonly string[]> {
    const file = join(folder, 'audit.log')
    writeFileSync(file, text)
    return (await collect(auditEvents(file, mentions))).map(({ auditID }) => auditID)
  }

  it('is read in order, without the line that is being written', async () => {
    expect(await readBack('')).to.deep.equal([])
    expect(await readBack(`${line('one')}${line('two')}{"auditID": "thr`)).to.deep.equal(['one', 'two'])
  })

  it('is read in pieces, wherever a piece ends', async () => {
    const long = 'ü'.repeat(2 ** 20)
    expect(await readBack(line('one', long) + line('two') + line('three', long))).to.deep.equal(['one', 'two', 'three'])
  })

  it('is filtered by the wanted text', async () => {
    expect(await readBack(line('one', 'ours') + line('two', 'theirs'), 'ours')).to.deep.equal(['one'])
  })
})
