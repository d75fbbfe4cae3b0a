import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { expect } from 'chai'
import { bundle } from '../../../build/bundle.ts'
import { VERSION } from '../../../common/program/version.ts'

describe('the version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'version-'))
  after(() => rmSync(folder, { recursive: true }))

  it('is that of package.json when a program runs from its sources', () => expect(VERSION).to.equal(version))

  it('is the same in a bundle, which runs where there is no package.json', async () => {
    const source = join(folder, 'prints.ts')
    const module = join(import.meta.dirname, '../../../common/program/version.ts')
    writeFileSync(source, `import { VERSION } from ${JSON.stringify(module)}\nconsole.log(VERSION)\n`)
    await bundle({ prints: source }, folder)
    const printed = execFileSync(execPath, [join(folder, 'prints.mjs')], { cwd: folder, encoding: 'utf8' })
    expect(printed).to.equal(`${version}\n`)
  })

  it('stands in no program', () => {
    const programs = globSync('{certs,cli,controller,dashboard,webhook}/**/*.ts')
    const fixed = programs.filter((file) => /['`][\w-]+\/\d+\.\d+\.\d+['`]/.test(withoutComments(file)))
    expect(programs).to.include('webhook/main.ts')
    expect(fixed).to.deep.equal([])
  })
})

const withoutComments = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
