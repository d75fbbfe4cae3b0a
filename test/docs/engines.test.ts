import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect } from 'chai'
import { run } from '../../sandbox/run.ts'

/** Node loads it before npm, which then believes to be run by another version. */
const preload = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,\`version\`,{value:\`${version}\`})`

describe('an installation with another Node', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'engines-'))
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(file, join(folder, file))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** What `npm ci` would do and print, run by a Node of that version. */
  const installation = (version: string) =>
    run('npm', ['ci', '--dry-run', '--offline', '--loglevel=warn'], {
      cwd: folder,
      env: { ...env, NODE_OPTIONS: `--import "${preload(version)}"` },
    })

  it('U6: succeeds on Node 20, and the README explains its warnings next to the command', async () => {
    const { code, stderr } = await installation('v20.19.0')
    expect(code, stderr).to.equal(0)
    expect(stderr).to.contain("EBADENGINE   current: { node: 'v20.19.0'")
    const [, paragraph = ''] = /^npm ci [^`]*```\n\n(.+)$/m.exec(readFileSync('README.md', 'utf8')) ?? []
    expect(paragraph).to.contain('`npm ci` warns `EBADENGINE`').and.to.contain('installs Node 24')
  })

  it('U6: has no such warnings on the Node that npm installs for the scripts', async () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const { version } = packages['node_modules/node']
    expect(version).to.match(/^24\./)
    const { code, stderr } = await installation(`v${version}`)
    expect(code, stderr).to.equal(0)
    expect(stderr).not.to.contain('EBADENGINE')
  })
})
