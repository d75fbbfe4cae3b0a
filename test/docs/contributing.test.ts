import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ADMIN_PAGES } from '../integration/document.ts'
import { runScript, SCRIPTS } from '../scripts.ts'

const read = (file: string): string => readFileSync(file, 'utf8')
const PAGE = read('CONTRIBUTING.md')
const blocks = [...PAGE.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block = '']) => block)
const commands = blocks
  .flatMap((block) => block.split('\n').map((line) => line.replace(/#.*/, '').trim()))
  .filter(Boolean)

describe('the page for contributors', () => {
  it('lists every script once, and no other', () => {
    const [, table = ''] = PAGE.split('\n## Every script\n')
    const cells = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell)
    const named = cells.flatMap((cell) => [...cell.matchAll(/`npm (?:run )?([\w:]+)[^`]*`/g)].map(([, name]) => name))
    expect(named).to.have.members(Object.keys(SCRIPTS))
  })

  it('names only scripts and tools that are there', () => {
    expect(commands.length).to.be.greaterThan(6)
    for (const command of commands) {
      const [, script, tool] = /^(?:npm (?:run )?([\w:]+)|npx (\w+))/.exec(command) ?? []
      if (tool !== undefined)
        expect(JSON.parse(read('package.json')).devDependencies).to.have.property(`@${tool}js/${tool}`)
      else if (script !== 'ci') expect(SCRIPTS, command).to.have.property(script ?? '')
    }
  })

  it('runs one test, as it says', async function () {
    this.timeout(60_000)
    const [, one = ''] = /^npm test -- (test\/docs\/\S+)$/m.exec(commands.join('\n')) ?? []
    const { code, said } = await runScript('test', one)
    expect(code, said).to.equal(0)
    expect(said).to.match(/1 passed, 0 failed/)
  })

  it('names a test that is there for the real control plane', () => {
    const [, other = ''] = /^npm test -- (test\/integration\/\S+)$/m.exec(commands.join('\n')) ?? []
    expect(read(other)).to.match(/uses(Product|ControlPlane)\(/)
  })
})

describe('the security policy', () => {
  const text = read('SECURITY.md')

  it('invents no address, and names the version of this repository', () => {
    expect(text).not.to.match(/@[\w-]+\.\w/)
    expect(text).to.contain(`| ${JSON.parse(read('package.json')).version}, `)
  })
})

describe('the changelog', () => {
  it('has a section for the present version, which refers to each guide', () => {
    const text = read('CHANGELOG.md')
    expect(text).to.contain(`\n## ${JSON.parse(read('package.json')).version} (unreleased)\n`)
    const guides = ['guide', 'strategies', 'blue-green', 'sources', 'analysis', 'policies'].map((name) => `${name}.md`)
    for (const guide of [...guides, ...ADMIN_PAGES.filter((page) => page !== 'secure.md')])
      expect(text).to.contain(`](docs/${guide}`)
  })
})
