import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { DECLARED } from '../sandbox/needs.ts'
import { run } from '../sandbox/run.ts'

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
const here = (file: string) => join(import.meta.dirname, file)

/** Stands for Go: it answers which Go it is, and "builds" in two seconds by creating the file after -o. */
const GO = `#!/bin/sh
if [ "$1" = env ]; then printf 'go99.0\\nlinux\\namd64\\n'; exit; fi
while [ "$1" != -o ]; do shift; done
sleep 2
echo built > "$2"
`

/** No build is as fast as that, and any hook that builds nothing is, also on a busy machine. */
const TIMEOUT_MS = 1_000

const SUITES = `
import { existsSync } from 'node:fs'
import { controlPlane, usesControlPlane } from '${here('integration/fixture.ts')}'
import { argoCrds } from '${here('../sandbox/modules.ts')}'
import { goTool } from '${here('../sandbox/go-tools.ts')}'
import { needs } from '${here('needs.ts')}'

describe('alerts', () => {
  needs('promtool')
  it('have it', async function () {
    this.timeout(10_000)
    if (!existsSync(await goTool('promtool'))) throw new Error('it is missing')
  })
})
describe('others', () => {
  for (const [name, use] of Object.entries({ promtool: () => goTool('promtool'), argoCrds, controlPlane }))
    it(\`use \${name}\`, async () => void (await use()))
})
describe('unwanted', () => {
  needs('argoRollouts')
  it('would be built', () => {})
})
`

describe('what tests need', function () {
  this.timeout(60_000)
  let folder = ''
  beforeEach('a machine without caches', () => {
    folder = mkdtempSync(join(tmpdir(), 'needs-'))
    writeFileSync(join(folder, 'go'), GO)
    chmodSync(join(folder, 'go'), 0o755)
    writeFileSync(join(folder, 'suites.mjs'), SUITES)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Runs the suites with titles like `grep`, each test and hook with a timeout that no build keeps. */
  const ran = (grep: string, required = ['needs.ts']) => {
    const { [DECLARED]: _, KUBEBUILDER_ASSETS: __, ...others } = process.env
    const env = { ...others, XDG_CACHE_HOME: folder, PATH: `${folder}${delimiter}${process.env.PATH}` }
    const files = required.flatMap((file) => ['--require', here(file)])
    const options = ['--no-config', '--timeout', `${TIMEOUT_MS}`, '--reporter', 'spec', ...files, '--grep', grep]
    return run(process.execPath, [MOCHA, ...options, join(folder, 'suites.mjs')], { env })
  }

  it('N50: is built before the first test, on the clock of no test or hook, and said line by line', async () => {
    const { code, stdout, stderr } = await ran('alerts')
    expect(code, stdout).to.equal(0)
    expect(stderr.replaceAll(/\d+ s$/gm, '… s')).to.equal('building promtool, 0 more after it\nbuilt promtool in … s\n')
  })

  it('N50: is used only by tests that have declared it: others fail at once, and say how to declare it', async () => {
    const { code, stdout, stderr } = await ran('alerts|others')
    expect(code, stdout).to.equal(3)
    for (const need of ['promtool', 'argoFiles', 'controlPlane']) expect(stdout).to.contain(`call needs('${need}')`)
    expect(stderr).not.to.contain('building etcd')
  })

  it('N50: fails in a run of mocha that would not build it', async () =>
    expect((await ran('alerts', [])).stdout).to.contain('needs --require ./test/needs.ts'))
})
