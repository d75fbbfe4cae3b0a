import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../sandbox/run.ts'
import { countsIn, failuresIn, listOfSkipped, skippedIn } from './reporter.ts'

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')

const SUITES = `
describe('traffic', () => {
  before(function () { this.skip() })
  it('F39: one', () => {})
  describe('of two', () => void it('F40: two', () => {}))
})
describe('memory', () => {
  it('passes', () => {})
  it('skips itself', function () { this.skip() })
  it('fails', () => { throw new Error('on purpose') })
})
`

/** Suites in which minutes pass. */
const LONG = `
const { mock } = require('node:test')
mock.timers.enable({ apis: ['setInterval'] })
describe('long', () => void it('is long', () => mock.timers.tick(150_000)))
describe('next', () => void it('is as long', () => mock.timers.tick(90_000)))
`

describe('the reporter', () => {
  let folder = ''
  let said = ''
  let code = 0
  let results = ''
  before('mocha runs suites of which some tests are skipped', async () => {
    folder = await mkdtemp(join(tmpdir(), 'reporter-'))
    const [suites, kept] = [join(folder, 'suites.cjs'), join(folder, 'results.json')]
    await writeFile(suites, SUITES)
    const reporter = ['--reporter', join(import.meta.dirname, 'reporter.ts'), '--reporter-option', `results=${kept}`]
    const ran = await run(process.execPath, [MOCHA, '--no-config', ...reporter, suites])
    said = ran.stdout
    code = ran.code
    results = await readFile(kept, 'utf8')
  })
  /** What a part of a longer run prints. */
  async function parted(text: string) {
    const file = join(folder, 'part.cjs')
    await writeFile(file, text)
    const options = ['--reporter', join(import.meta.dirname, 'reporter.ts'), '--reporter-option', 'part=first third']
    return run(process.execPath, [MOCHA, '--no-config', ...options, file])
  }
  after('the folder is removed', () => rm(folder, { recursive: true }))

  const skipped = ['traffic F39: one', 'traffic of two F40: two', 'memory skips itself']

  it('lists what was skipped, and ends with the count alone', () =>
    expect(said.trimEnd().split('\n').slice(-6)).to.deep.equal([
      ...listOfSkipped(skipped).split('\n'),
      '',
      '1 passed, 1 failed',
    ]))

  it('does not call a subject good of which every test was skipped', () =>
    expect(said)
      .to.match(/^– traffic \(0 passed, 0 failed, 2 skipped, /m)
      .and.to.match(/^✘ memory \(1 passed, 1 failed, 1 skipped, /m))

  it('counts only failures in the exit code', () => expect(code).to.equal(1))

  it('writes skipped tests into the file of results', () =>
    expect(JSON.parse(results).map(({ title, is }: Record<string, string>) => `${title}: ${is}`)).to.deep.equal([
      'traffic F39: one: skipped',
      'traffic of two F40: two: skipped',
      'memory passes: passed',
      'memory skips itself: skipped',
      'memory fails: failed',
    ]))

  it('N50: says in a part of a longer run which part its count is of', async () => {
    const part = await parted(SUITES)
    expect(part.stdout.trimEnd().split('\n').at(-1)).to.equal('first third: 1 passed, 1 failed')
    expect(countsIn(part.stdout)).to.deep.equal([1, 1])
    expect(skippedIn(part.stdout)).to.deep.equal(skipped)
    expect(failuresIn(part.stdout)).to.contain('on purpose').and.not.to.contain('skipped')
  })

  it('N50: says each minute what runs, when nothing else is said', async () => {
    const { stderr } = await parted(LONG)
    expect(stderr.split('\n')).to.deep.equal([
      'first third: still at “long is long”, for 1 min',
      'first third: still at “long is long”, for 2 min',
      'first third: still at “next is as long”, for 1 min',
      '',
    ])
  })

  it('is understood by those who start it', () => {
    expect(countsIn(said)).to.deep.equal([1, 1])
    expect(() => countsIn('in memory: 3 passed, 0 failed in 0.1 s')).to.throw('ended without its count')
    expect(skippedIn(said)).to.deep.equal(skipped)
    expect(skippedIn('\n3 passed, 0 failed\n')).to.deep.equal([])
    expect(failuresIn(said)).to.contain('on purpose').and.not.to.contain('skipped')
  })
})
