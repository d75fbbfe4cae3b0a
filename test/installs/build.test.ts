import { readFileSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bundle, PROGRAMS } from '../../build/bundle.ts'
import type { Program } from '../../sandbox/bundles.ts'
import { crds, type Installation, install } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { shippedCommand, shippedMemoryMiB, shippedUser } from '../manifests/shipped.ts'
import type { Container } from './as-in-pod.ts'
import { type MemoryLimit, memoryLimit } from './memory-limit.ts'

const SOURCE = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart}
spec:
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: cart, image: "registry.example/cart:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: cart}
spec: {selector: {app: cart}, ports: [{port: 80}]}
`

const experiment = (image: string): string => `
apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata: {name: faster-cart}
spec:
  sourceRef: {kind: Deployment, name: cart}
  overrideType: Strategic
  overrideSpec: {template: {spec: {containers: [{name: cart, image: ${image}}]}}}
`

const MIB = 2 ** 20
const NAMES = ['controller', 'webhook'] as const

describe('the programs as they are installed: bundled, with the flags of the manifests', () => {
  let app = ''
  let product: Installation | undefined
  const limits = new Map<Program, MemoryLimit>()
  const plane = usesOwnControlPlane(crds)

  /** A folder as in the image: nobody may write to it, and it has no other files. */
  async function build(): Promise<void> {
    app = await mkdtemp(join(tmpdir(), 'build-'))
    await bundle(PROGRAMS, app)
    await cp(process.execPath, join(app, 'node'))
    for (const name of await readdir(app)) await chmod(join(app, name), 0o555)
    await chmod(app, 0o555)
  }

  /** Only root may become another user, and limit memory. Anybody else runs them as they are. */
  function argsOf(program: Program): readonly string[] {
    const { flags, file, env } = shippedCommand(program)
    const args = [...flags, join(app, file)]
    if (process.getuid?.() !== 0) return args
    const limit = memoryLimit(`experiment-${program}-${process.pid}`, shippedMemoryMiB(program) * MIB)
    if (limit) limits.set(program, limit)
    const container: Container = { app, args, env, procs: limit?.procs, ...shippedUser(program) }
    return [join(import.meta.dirname, 'as-in-pod.ts'), JSON.stringify(container)]
  }

  before('the build', async function () {
    this.timeout(180_000) // two programs are bundled, and have half a minute each to be ready
    await build()
    await chmod(plane().stateDirectory, 0o711) // their user reads its files below it
    product = await install(plane(), { argsOf })
  })
  after('the build and the limits are removed', async () => {
    for (const limit of limits.values()) limit.remove()
    if (!app) return // the control plane did not start
    await chmod(app, 0o755)
    await rm(app, { recursive: true, force: true })
  })

  const apply = (input: string) => plane().kubectl(['apply', '-f', '-'], { input })

  it('review an experiment and create its fork', async function () {
    this.timeout(90_000) // kubectl itself waits for most of a minute
    expect((await apply(SOURCE)).code).to.equal(0)
    const refused = await apply(experiment('[a]'))
    expect(refused.stderr).to.contain('spec.overrideSpec.template.spec.containers[0].image')
    const { code, stderr } = await apply(experiment('registry.example/cart:2'))
    expect(code, stderr).to.equal(0)
    expect(stderr).to.contain('[Plan] containers[cart].image: registry.example/cart:1 -> registry.example/cart:2')
    const ready = ['wait', '--for=condition=Ready', '--timeout=50s', 'experimentdeployment/faster-cart']
    const waited = await plane().kubectl(ready)
    expect(waited.code, waited.stderr).to.equal(0)
  })

  it('did that as the user of the manifests, within the memory of the manifests', function () {
    if (limits.size < NAMES.length) return this.skip() // not root, or no cgroups
    for (const name of NAMES) {
      const pid = name === 'webhook' ? product?.webhook.pid : product?.controller().pid
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(/^Uid:\t(\d+)/m.exec(status)?.[1], name).to.equal(`${shippedUser(name).user}`)
      expect(readFileSync(limits.get(name)?.procs ?? '', 'utf8').trim(), name).to.equal(`${pid}`)
      expect(limits.get(name)?.killed(), name).to.equal(0)
    }
  })
})
