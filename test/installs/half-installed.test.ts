import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { usesManifests } from './applied-manifests.ts'

const DOWN = 'failed calling webhook'

describe('A-2: the default manifests, in a cluster without cert-manager', () => {
  const plane = usesOwnControlPlane()
  const { apply, isAccepted, certs, configurations, certified } = usesManifests(plane)

  /** The answer to an experiment. */
  async function experiment(): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
    const input = JSON.stringify({ apiVersion, kind, metadata: { name: 'tried' }, spec })
    return (await plane().kubectl(['create', '--dry-run=server', '-f', '-'], { input })).stderr
  }

  it('install everything but certificates, and experiments are refused', async () => {
    const { code, stderr } = await apply('default')
    expect(code).to.equal(1)
    const missing = 'no matches for kind "Certificate" in version "cert-manager.io/v1"'
    expect(stderr).to.contain(missing)
    expect(readFileSync('docs/troubleshooting.md', 'utf8')).to.contain(missing)
    await eventually('experiments to be refused', 20_000, async () => expect(await experiment()).to.contain(DOWN))
  })

  it('are healed by the manifests for the script, without a warning, and by the script', async () => {
    await isAccepted('script-certs', '--validate=strict')
    for (const { metadata } of await configurations())
      expect(metadata.annotations).to.not.include.keys('cert-manager.io/inject-ca-from')
    expect(await certs()).to.match(/^leaf created for experiment-webhook/m)
    for (const [bundle] of await certified()) expect(bundle).to.be.a('string')
    const pair = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets/experiment-webhook-tls`
    expect((await plane().api.get<KubeObject>(pair)).data).to.include.keys('tls.crt', 'tls.key')
  })
})
