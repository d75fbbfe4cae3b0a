import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { run } from '../../sandbox/run.ts'
import { shippedCommand, shippedOne } from '../manifests/shipped.ts'

interface Instruction {
  readonly word: string
  readonly rest: string
}

/** The instructions of each stage of the Dockerfile. */
async function stages(): Promise<readonly (readonly Instruction[])[]> {
  const lines = (await readFile('Dockerfile', 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line))
  const found: Instruction[][] = []
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+) (.+)$/.exec(line) ?? []
    if (word === 'FROM') found.push([])
    found.at(-1)?.push({ word, rest })
  }
  return found
}

const restOf = (stage: readonly Instruction[] = [], word: string) =>
  stage.filter((instruction) => instruction.word === word).map(({ rest }) => rest)

/** The Dockerfile, without a container runtime: its copies and its last commands run in a folder. */
describe('A-1: the image', () => {
  let folder = ''
  before('a folder', async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-'))
  })
  after('it is removed', async () => {
    await chmod(join(folder, 'app'), 0o755) // nobody but root may remove files of a read-only folder
    await rm(folder, { recursive: true })
  })

  it('builds with what it takes over, and its user runs both programs from a read-only folder, as the manifests start them', async function () {
    this.timeout(60_000)
    const [build, last] = await stages()
    const src = join(folder, 'src')
    await mkdir(src)
    await symlink(resolve('node_modules'), join(src, 'node_modules'))
    for (const copy of restOf(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1)))
      await cp(copy, join(src, copy), { recursive: true })
    const command = restOf(build, 'RUN').at(-1) ?? ''
    expect(command).to.match(/^node /)
    const built = await run(process.execPath, command.split(' ').slice(1), { cwd: src })
    expect(built.code, built.stderr).to.equal(0)

    expect(restOf(last, 'COPY')).to.deep.equal(['--from=build /src/dist/ ./'])
    expect(restOf(last, 'ENTRYPOINT')).to.deep.equal(['["node"]'])
    const app = join(folder, 'app')
    await cp(join(src, 'dist'), app, { recursive: true })
    const [uid = 0, gid = 0] = (restOf(last, 'USER')[0] ?? '').split(':').map(Number)
    expect(uid, 'the user').to.be.greaterThan(0)
    const as = process.getuid?.() === 0 ? { uid, gid } : undefined // anybody else is unprivileged already
    const node = join(folder, 'node')
    await cp(process.execPath, node) // the user may not be allowed to read the folder of the checkout
    await chmod(folder, 0o755)
    for (const name of await readdir(app)) await chmod(join(app, name), 0o444)
    await chmod(app, 0o555)
    const script = `require('fs').writeFileSync('written', '')`
    expect((await run(node, ['-e', script], { cwd: app, as })).stderr).to.contain('EACCES')
    for (const program of ['controller', 'webhook'] as const) {
      const { flags, file } = shippedCommand(program)
      expect(await readdir(app)).to.include(file)
      // it finds all its modules, and then no cluster or no certificate
      const nothing = join(folder, 'nothing')
      const env = { KUBECONFIG: nothing, TLS_CERT_FILE: nothing, TLS_KEY_FILE: nothing }
      const { stdout } = await run(node, [...flags, file], { cwd: app, env, as })
      expect(stdout)
        .to.contain(`"program":"${program}"`)
        .and.to.contain(`ENOENT: no such file or directory, open '${nothing}'`)
    }
  })

  it('has the user of the manifests, and glibc for the settings of the allocator', async () => {
    const last = (await stages()).at(-1)
    for (const name of ['experiment-controller', 'experiment-webhook']) {
      const pod = at(shippedOne('base', 'Deployment', name), 'spec', 'template', 'spec')
      const user = `${at(pod, 'securityContext', 'runAsUser')}:${at(pod, 'securityContext', 'runAsGroup')}`
      expect(restOf(last, 'USER')).to.deep.equal([user])
      expect(listOr(at(pod, 'containers')).map((container) => at(container, 'command'))).to.deep.equal([undefined])
    }
    expect(restOf(last, 'FROM')[0]).to.match(/^node:24-slim@/)
  })

  it('N37j: is built from one base, by digest, and the guide says how to take another one', async () => {
    // the bundles are made once for all platforms, on that of the builder
    const [forBuild, ...others] = (await stages()).flatMap((stage) => restOf(stage, 'FROM'))
    const [, base] =
      /^--platform=\$BUILDPLATFORM (node:24-slim@sha256:[0-9a-f]{64}) AS build$/.exec(forBuild ?? '') ?? []
    expect(base, forBuild).to.be.a('string')
    expect(others).to.deep.equal([base])
    expect(await readFile('docs/install.md', 'utf8')).to.contain('`docker buildx imagetools inspect node:24-slim`')
  })

  it('is sent to the builder without the rest of the repository', async () => {
    const ignored = (await readFile('.dockerignore', 'utf8')).trim().split('\n')
    const [build] = await stages()
    const copied = restOf(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1))
    expect(ignored).to.deep.equal(['*', ...copied.map((path) => `!${path}`)])
  })
})
