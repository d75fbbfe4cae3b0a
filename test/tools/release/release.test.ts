import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { VERSION } from '../../../common/program/version.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { run } from '../../../sandbox/run.ts'
import { usesCertManagerCrds, usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { needs } from '../../needs.ts'

const IMAGE = 'registry.example:5000/experiments'
const CHART = `experiment-deployment-controller-${VERSION}.tgz`

describe('the files of a release', function () {
  this.timeout(600_000)
  needs('helm')
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  let folder = ''
  const at = (...names: readonly string[]) => join(folder, ...names)

  before('a clone without changes', async () => {
    folder = await mkdtemp(join(tmpdir(), 'release-test-'))
    const cloned = await run('git', ['clone', '--quiet', resolve('.'), at('clone')])
    expect(cloned.code, cloned.stderr).to.equal(0)
    await symlink(resolve('node_modules'), at('clone/node_modules'))
  })
  after('it is removed', () => rm(folder, { recursive: true }))

  const release = (...args: readonly string[]) =>
    run(process.execPath, ['build/release.ts', ...args], { cwd: at('clone') })
  const made = async (out: string) => {
    const { code, stdout, stderr } = await release('--out', at(out), '--image', IMAGE)
    expect(code, stderr).to.equal(0)
    return stdout
  }

  it('are refused without an image, with a tag, into a folder with files, of a dirty tree, without notes', async () => {
    const said = async (...args: readonly string[]) => {
      const { code, stderr } = await release(...args)
      expect(code, stderr).to.be.oneOf([1, 2])
      return stderr
    }
    expect(await said('--out', at('x'))).to.contain('--image is missing')
    expect(await said('--out', at('x'), '--image', 'experiments:1')).to.contain('--image must be a name without tag')
    expect(await said('--out', at('clone'), '--image', IMAGE)).to.contain('has files: name another folder')
    await writeFile(at('clone/notes.txt'), '')
    expect(await said('--out', at('x'), '--image', IMAGE)).to.match(
      /not committed: commit or remove them\n\?\? notes.txt/,
    )
    await rm(at('clone/notes.txt'))
    const changelog = readFileSync(at('clone/CHANGELOG.md'), 'utf8')
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
    await writeFile(at('clone/CHANGELOG.md'), changelog.replace(`## ${VERSION}`, '## 9.9.9'))
    await run('git', [...author, 'commit', '--quiet', '--all', '--message=other notes'], { cwd: at('clone') })
    expect(await said('--out', at('x'), '--image', IMAGE)).to.contain(`CHANGELOG.md has no section "## ${VERSION}"`)
    await run('git', ['reset', '--quiet', '--hard', 'HEAD~1'], { cwd: at('clone') })
  })

  it('have the same bytes each time', async () => {
    const files = await made('first')
    await made('second')
    const sums = await readFile(at('first/SHA256SUMS'), 'utf8')
    expect(await readFile(at('second/SHA256SUMS'), 'utf8')).to.equal(sums)
    expect(files.trim().split('\n')).to.have.lengthOf(sums.trim().split('\n').length + 1)
    const checked = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: at('first') })
    expect(checked.code, checked.stdout).to.equal(0)
  })

  it('install: the manifests apply with the image, and the chart is installed', async () => {
    const manifests = parseAllDocuments(await readFile(at('first/install.yaml'), 'utf8')).map((each) => each.toJS())
    expect(JSON.stringify(manifests)).to.contain(`"image":"${IMAGE}:${VERSION}"`)
    for (const file of ['install.yaml', 'crds.yaml']) {
      const { code, stderr } = await plane().kubectl(['apply', '--server-side', `--filename=${at('first', file)}`])
      expect(code, stderr).to.equal(0)
    }
    const env = { ...process.env, HOME: folder, KUBECONFIG: plane().kubeconfig }
    const values = `--set=image.repository=${IMAGE}`
    const args = ['install', 'experiments', at('first', CHART), values, '--namespace=experiment-controller-system']
    const helm = await run(await goTool('helm'), [...args, '--take-ownership', '--force-conflicts'], { env })
    expect(helm.code, helm.stderr).to.equal(0)
  })

  it('print their version: the npm package, the archive for any machine, and the executable without a PATH', async () => {
    const name = `kubectl-experiment-${VERSION}`
    const npm = ['install', '--silent', '--no-audit', '--offline', `--prefix=${at('npm')}`, at('first', `${name}.tgz`)]
    const installed = await run('npm', npm)
    expect(installed.code, installed.stderr).to.equal(0)
    for (const archive of [`${name}-any`, `${name}-linux-${process.arch === 'x64' ? 'amd64' : process.arch}`]) {
      await run('mkdir', ['-p', at(archive)])
      const { code, stderr } = await run('tar', ['-xzf', at('first', `${archive}.tar.gz`), '-C', at(archive)])
      expect(code, stderr).to.equal(0)
    }
    const legal = ['LICENSE', 'LICENSE.node', 'LICENSES.libraries', 'kubectl_complete-experiment', 'kubectl-experiment']
    expect(readdirSync(at(`${name}-linux-amd64`))).to.have.members(legal)
    const node = dirname(process.execPath)
    const programs = [
      { path: at('npm/node_modules/.bin/kubectl-experiment'), PATH: `${node}:/usr/bin:/bin` },
      { path: at(`${name}-any/kubectl-experiment/bin/kubectl-experiment.cjs`), PATH: `${node}:/usr/bin:/bin` },
      { path: at(`${name}-linux-amd64/kubectl-experiment`), PATH: '' },
    ]
    for (const { path, PATH } of programs) {
      const { code, stdout, stderr } = await run(path, ['version'], { env: { PATH, HOME: folder } })
      expect(code, stderr).to.equal(0)
      expect(stdout, path).to.match(new RegExp(`^kubectl-experiment +${RegExp.escape(VERSION)}\n`))
    }
    const certs = await run(process.execPath, [at('first/certs.mjs'), '--help'])
    expect(certs.stdout).to.contain('--namespace NAME')
  })
})
