import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { AuditTail, auditEvents } from '../../sandbox/audit.ts'
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

  for (const [what, before] of Object.entries({ 'is complete': line('old'), 'is being written': '{"auditID": "ol' }))
    it(`is followed from now on, while its last line ${what}`, async () => {
      const file = join(folder, 'audit.log')
      writeFileSync(file, line('first') + before)
      const tail = new AuditTail(file, 'ours')
      const ids = async () => (await tail.events()).map(({ auditID }) => auditID)
      expect(await ids()).to.deep.equal([])
      appendFileSync(file, what === 'is complete' ? '' : 'd", "filling": "ours"}\n')
      const long = `ours${'ü'.repeat(2 ** 20)}`
      appendFileSync(file, `${line('one', 'ours')}${line('two', 'theirs')}${line('three', long)}{"auditID": "fo`)
      expect(await ids()).to.deep.equal(['one', 'three'])
      appendFileSync(file, 'ur", "filling": "ours"}\n')
      expect(await Promise.all([ids(), ids()])).to.deep.equal(Array(2).fill(['one', 'three', 'four']))
    })
})
