import '../../property.ts'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { credentialsIn } from '../../../controller/analysis/credentials.ts'

const credential = (text: string) => ({ is: 'credential', text })
const unusable = (message: string) => ({ is: 'failed', because: 'unusable', message })
const missing = (name: string) => ({ is: 'failed', because: 'missing', message: `credential ${name} not found` })

const TEXTS: Readonly<Record<string, readonly [content: string, text: string]>> = {
  'a key': ['NRAK-1234', 'NRAK-1234'],
  'a line': ['token\n', 'token'],
  'a line of Windows': ['token\r\n', 'token'],
  'all printable characters': [' !~ az"\\', ' !~ az"\\'],
  '4,096 bytes': ['x'.repeat(4_096), 'x'.repeat(4_096)],
}

const REFUSED: Readonly<Record<string, readonly [content: string, problem: string]>> = {
  'no bytes': ['', 'is empty'],
  'a line feed': ['\n', 'is empty'],
  'two lines': ['one\ntwo', 'is not one line of printable ASCII'],
  'two line feeds': ['one\n\n', 'is not one line of printable ASCII'],
  'another header': ['token\r\nHost: other', 'is not one line of printable ASCII'],
  'a tab': ['a\tb', 'is not one line of printable ASCII'],
  'other letters': ['schlüssel', 'is not one line of printable ASCII'],
  'a zero byte': ['a\0', 'is not one line of printable ASCII'],
  '4,097 bytes': ['x'.repeat(4_097), 'is longer than 4096 bytes'],
}

describe('credentialsIn', () => {
  let folder = ''
  let directory = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credentials-'))
    directory = join(folder, 'mounted')
    mkdirSync(directory)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const read = (name: string) => credentialsIn(directory)(name)
  const write = (name: string, content: string) => writeFileSync(join(directory, name), content)

  for (const [what, [content, text]] of Object.entries(TEXTS))
    it(`reads ${what}`, async () => {
      write('key', content)
      expect(await read('key')).to.deep.equal(credential(text))
    })

  for (const [what, [content, problem]] of Object.entries(REFUSED))
    it(`refuses ${what}`, async () => {
      write('key', content)
      expect(await read('key')).to.deep.equal(unusable(`credential key ${problem}`))
    })

  it('says that a file or the directory is missing', async () => {
    expect(await read('key')).to.deep.equal(missing('key'))
    expect(await credentialsIn(join(folder, 'not-mounted'))('key')).to.deep.equal(missing('key'))
  })

  /** As kubelet does: a directory of its own for each version, and a link that is replaced at once. */
  const mount = (version: string, content: string) => {
    mkdirSync(join(directory, version))
    write(join(version, 'key'), content)
    symlinkSync(version, join(directory, '..data_tmp'))
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
  }
  const unmount = (version: string) => rmSync(join(directory, version), { recursive: true })

  it('reads what kubelet mounts, and then what it replaces it with', async () => {
    mount('..2026_11_21', 'first')
    symlinkSync('..data/key', join(directory, 'key'))
    const readKey = credentialsIn(directory)
    expect(await readKey('key')).to.deep.equal(credential('first'))
    mount('..2026_11_22', 'second')
    unmount('..2026_11_21')
    expect(await readKey('key')).to.deep.equal(credential('second'))
    unmount('..2026_11_22')
    expect(await readKey('key')).to.deep.equal(missing('key'))
  })

  it('reads the new file if kubelet replaces the old one before it is open', async () => {
    mount('..2026_11_21', 'first')
    symlinkSync('..data/key', join(directory, 'key'))
    const opened: string[] = []
    const replacing = (file: string) => {
      if (opened.push(file) === 1) {
        mount('..2026_11_22', 'second')
        unmount('..2026_11_21')
      }
      return readFile(file)
    }
    expect(await credentialsIn(directory, replacing)('key')).to.deep.equal(credential('second'))
    expect(opened).to.have.length(2)
  })

  it('reads a directory that is itself a link', async () => {
    write('key', 'token')
    symlinkSync(directory, join(folder, 'link'))
    expect(await credentialsIn(join(folder, 'link'))('key')).to.deep.equal(credential('token'))
  })

  it('reads no file outside of the directory', async () => {
    mkdirSync(join(folder, 'mounted-too'))
    for (const path of ['secret', 'mounted-too/secret']) {
      writeFileSync(join(folder, path), 'of others')
      symlinkSync(join(folder, path), join(directory, 'key'))
      expect(await read('key')).to.deep.equal(unusable('credential key cannot be read'))
      rmSync(join(directory, 'key'))
    }
  })

  for (const name of [
    '',
    '.',
    '..',
    '../secret',
    '..data',
    '.hidden',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'Key',
    'a b',
    'a\0',
    'a\n',
    '%2e',
    '-a',
  ])
    it(`refuses the name ${JSON.stringify(name)}`, async () => {
      writeFileSync(join(folder, 'secret'), 'of others')
      expect(await read(name)).to.deep.equal(unusable('the name of the credential is not valid'))
    })

  it('refuses a directory, and does not wait for a pipe', async () => {
    mkdirSync(join(directory, 'directory'))
    execFileSync('mkfifo', [join(directory, 'pipe')])
    symlinkSync('loop', join(directory, 'loop'))
    for (const name of ['directory', 'pipe', 'loop'])
      expect(await read(name)).to.deep.equal(unusable(`credential ${name} cannot be read`))
  })

  it('gives printable ASCII, or tells nothing of the content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (bytes) => {
        writeFileSync(join(directory, 'key'), bytes)
        const reading = await read('key')
        if (reading.is === 'credential') expect(reading.text).to.match(/^[ -~]+$/)
        else
          expect(reading.message).to.be.oneOf([
            'credential key is empty',
            'credential key is not one line of printable ASCII',
          ])
      }),
    )
  })
})
