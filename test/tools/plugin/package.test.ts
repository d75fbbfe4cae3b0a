import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { env, execPath } from 'node:process'
import { expect } from 'chai'
import { npmPackage } from '../../../build/npm.ts'
import { VERSION } from '../../../common/program/version.ts'
import { run } from '../../../sandbox/run.ts'

describe('the npm package of the plugin', function () {
  this.timeout(180_000)
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'))
  })
  after(() => rm(folder, { recursive: true }))

  const npm = async (...args: readonly string[]) => {
    const { code, stderr } = await run('npm', args, { cwd: folder })
    expect(code, stderr).to.equal(0)
  }

  it('is packed and installed, and then both programs run', async () => {
    await npmPackage(join(folder, 'npm'))
    await npm('pack', './npm')
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    expect(file).to.equal(`kubectl-experiment-${VERSION}.tgz`)
    // it has no dependencies, so no registry is asked
    await npm('install', '--offline', '--no-audit', '--no-fund', '--prefix', join(folder, 'installed'), file)
    const bin = join(folder, 'installed/node_modules/.bin')
    const vars = { PATH: [dirname(execPath), env.PATH].join(delimiter), HOME: folder, KUBECONFIG: '' }
    const version = await run(join(bin, 'kubectl-experiment'), ['version', '--server=http://127.0.0.1:9'], {
      env: vars,
    })
    expect(version.stdout).to.match(new RegExp(`^kubectl-experiment  ${RegExp.escape(VERSION)}\n`))
    const completed = await run(join(bin, 'kubectl_complete-experiment'), ['ver'], { env: vars })
    expect(completed.stdout).to.match(/^version\t/)
  })
})
