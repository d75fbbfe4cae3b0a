import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { expect } from 'chai'
import { buildMissing, hasVersion } from '../../sandbox/binaries.ts'
import { isAtLeast } from '../../sandbox/go.ts'
import { patiently } from '../../sandbox/patiently.ts'
import { readPins } from '../../sandbox/pins.ts'

describe('building what is missing', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'build-missing-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const silent = () => undefined

  it('uses the file of a faster build on another machine', async () => {
    const build = async (name: string, output: string) => {
      writeFileSync(join(folder, name), "the winner's")
      writeFileSync(output, "the loser's")
    }
    await buildMissing(folder, ['etcd'], { build, say: silent })
    expect(readFileSync(join(folder, 'etcd'), 'utf8')).to.equal("the winner's")
  })

  it('leaves nothing of a failed build, and keeps earlier programs', async () => {
    const build = async (name: string, output: string) => {
      writeFileSync(output, 'half')
      if (name === 'kwok') throw new Error('does not compile')
    }
    const failed = await buildMissing(folder, ['etcd', 'kwok'], { build, say: silent }).catch(String)
    expect(failed).to.equal('Error: does not compile')
    expect(readdirSync(folder)).to.deep.equal(['etcd'])
  })

  it('removes the files of a build that was killed long ago, and not of a build in progress', async () => {
    writeFileSync(join(folder, 'etcd.old.unfinished'), '')
    utimesSync(join(folder, 'etcd.old.unfinished'), 0, 0)
    writeFileSync(join(folder, 'etcd.new.unfinished'), '')
    await buildMissing(folder, [], { build: async () => undefined, say: silent })
    expect(readdirSync(folder)).to.deep.equal(['etcd.new.unfinished'])
  })

  it('N50: counts what its caller builds after it', async () => {
    const said: string[] = []
    const build = (_name: string, output: string) => writeFile(output, '')
    await buildMissing(folder, ['etcd'], { build, say: (line) => said.push(line), after: 2 })
    expect(said[0]).to.equal('building etcd, 2 more after it')
  })

  it('prints what it builds, how many builds are left and how long each took', async () => {
    const said: string[] = []
    writeFileSync(join(folder, 'kubectl'), 'is there')
    const build = (_name: string, output: string) => writeFile(output, '')
    const say = (line: string) => said.push(line.replace(/\d+ s$/, '… s'))
    await buildMissing(folder, ['etcd', 'kubectl', 'kwok'], { build, say })
    expect(said).to.deep.equal([
      'building etcd, 1 more after it',
      'built etcd in … s',
      'building kwok, 0 more after it',
      'built kwok in … s',
    ])
  })
})

describe('N50: a long wait', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
  afterEach(() => mock.timers.reset())

  it('N50: says every minute what it waits for and for how long, and nothing when it has ended', async () => {
    const said: string[] = []
    const { promise, resolve } = Promise.withResolvers<string>()
    const waiting = patiently('building etcd', (line) => said.push(line), promise)
    mock.timers.tick(59_999)
    expect(said).to.deep.equal([])
    mock.timers.tick(60_001)
    expect(said).to.deep.equal(['still building etcd, for 1 min', 'still building etcd, for 2 min'])
    resolve('built')
    expect(await waiting).to.equal('built')
    mock.timers.tick(600_000)
    expect(said).to.have.lengthOf(2)
  })
})

describe('versions', () => {
  const newEnough: Record<string, readonly [found: string, least: string, is: boolean]> = {
    'the same': ['go1.26.0', '1.26.0', true],
    'a later patch': ['go1.26.8', '1.26.0', true],
    'a release without a patch number': ['go1.26', '1.26.0', true],
    'a later minor': ['go1.30.1', '1.26.5', true],
    'an earlier one': ['go1.25.9', '1.26.0', false],
    'nine, which is not more than twenty-six': ['go1.9.0', '1.26.0', false],
  }
  for (const [sentence, [found, least, is]] of Object.entries(newEnough))
    it(`${is ? 'accepts' : 'refuses'} ${sentence}`, () => expect(isAtLeast(found, least)).to.equal(is))

  it('finds exactly the pinned version in the output of a program', () => {
    expect(hasVersion('etcd Version: 3.6.8\nGit SHA: x', 'v3.6.8')).to.equal(true)
    expect(hasVersion('Kubernetes v1.36.3\n', 'v1.36.3')).to.equal(true)
    expect(hasVersion('Kubernetes v1.36.30\n', 'v1.36.3')).to.equal(false)
    expect(hasVersion('kwok version v0.8.0 go1.26.8 (linux/amd64)', 'v0.8.0')).to.equal(true)
  })

  it('reads pins from go.mod, and names a missing module', () => {
    const pins = readPins(
      'module x\n\ngo 1.26.0\n\nrequire (\n\ta.example/b v1.2.3 // indirect\n)\nrequire c.example/d v4.5.6\n',
    )
    expect(pins.go).to.equal('1.26.0')
    expect(pins.versionOf('a.example/b')).to.equal('v1.2.3')
    expect(pins.versionOf('c.example/d')).to.equal('v4.5.6')
    expect(() => pins.versionOf('e.example/f')).to.throw('does not require e.example/f')
  })
})
