import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bundle, PROGRAMS } from '../../build/bundle.ts'
import { crds, install, type Program } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { shippedCommand } from '../manifests/shipped.ts'

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

describe('the programs as they are installed: bundled, with the flags of the manifests', () => {
  let folder = ''
  const plane = usesOwnControlPlane(crds)
  before('the build', async function () {
    this.timeout(180_000) // two programs are bundled, and have half a minute each to be ready
    folder = await mkdtemp(join(tmpdir(), 'build-'))
    await bundle(PROGRAMS, folder)
    const argsOf = (program: Program) => {
      const { flags, file } = shippedCommand(program)
      return [...flags, join(folder, file)]
    }
    await install(plane(), { argsOf })
  })
  after('the build is removed', () => rm(folder, { recursive: true, force: true }))

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
})
