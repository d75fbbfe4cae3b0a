import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { PathSecrets } from '../../../webhook/http/path-secrets.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(64)]

describe('PathSecrets', () => {
  let directory = ''
  beforeEach('a directory', () => {
    directory = mkdtempSync(join(tmpdir(), 'path-secrets-'))
  })
  afterEach('it is removed', () => rmSync(directory, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)

  function watched() {
    const [timers, log] = [new VirtualTime(), diaryLog()]
    const secrets = new PathSecrets({ directory, timers, log })
    secrets.watch()
    return { secrets, timers, log }
  }

  it('accepts each line of each file, but not of those of kubelet', () => {
    write('current', `${OLD}\n\n`)
    write('next', `  ${NEW}\n${OLD}`)
    write('..data', 'not a secret')
    expect(watched().secrets.accepted).to.deep.equal([OLD, NEW, OLD])
  })

  it('accepts any caller without the directory, and without files', () => {
    expect(watched().secrets.accepted).to.deep.equal([])
    directory = join(directory, 'absent')
    expect(watched().secrets.accepted).to.deep.equal([])
  })

  for (const text of ['short', `${OLD} ${OLD}`, `${OLD}/x`, 'x'.repeat(129)])
    it(`does not start with ${JSON.stringify(text.slice(0, 40))}, and does not repeat it`, () => {
      write('current', text)
      expect(() => watched())
        .to.throw(`${join(directory, 'current')}: expected lines of 32 to 128 letters`)
        .and.satisfy((error: Error) => !error.message.includes(text))
    })

  it('S4: accepts a new secret beside the old one within ten seconds, and then alone', async () => {
    const { secrets, timers, log } = watched()
    write('current', OLD)
    await timers.pass(10_000)
    expect(secrets.accepted).to.deep.equal([OLD])
    write('next', NEW)
    await timers.pass(10_000)
    expect(secrets.accepted).to.deep.equal([OLD, NEW])
    write('current', NEW)
    rmSync(join(directory, 'next'))
    await timers.pass(20_000)
    expect(secrets.accepted).to.deep.equal([NEW])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(Array(3).fill('info path secrets replaced'))
    expect(JSON.stringify(log.lines)).to.not.match(/ooo|nnn/)
    secrets.stop()
    expect(timers.pending).to.equal(0)
  })

  it('S4: lets nobody in because its files have vanished or cannot be read, and says so once', async () => {
    write('current', OLD)
    const { secrets, timers, log } = watched()
    rmSync(join(directory, 'current'))
    await timers.pass(30_000)
    write('current', 'short')
    await timers.pass(30_000)
    expect(secrets.accepted).to.deep.equal([OLD])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(Array(2).fill('warn path secrets not replaced'))
  })
})
