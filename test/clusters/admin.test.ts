import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr, objectOr } from '../../common/json/json.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { certManagerCrds } from '../../sandbox/modules.ts'
import { run } from '../../sandbox/run.ts'
import { namesOf } from '../../webhook/http/client-certificate.ts'
import { Page, wordsOf } from '../integration/document.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const PAGE = new Page('admin.md')
const WITHOUT_CERT_MANAGER = 'kubectl apply -k overlay-script'
const EMERGENCY_EXIT = 'kubectl delete validatingwebhookconfiguration'

/** A manifest as `kubectl apply` leaves it, which otherwise warns at the next apply. */
const applied = (manifest: string): string =>
  manifest.replace(
    'metadata:\n',
    "metadata:\n  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}\n",
  )

describe('the guide for admins, in a cluster of its own', () => {
  // the kind exists before the quota controller starts, which looks for new kinds only every 30 s
  const plane = usesOwnControlPlane(() => [applied(readFileSync('crds/experimentdeployments.yaml', 'utf8'))])
  let folder = ''
  before('cert-manager and a folder for the overlays', async () => {
    await applyCrds(plane().api, await certManagerCrds())
    folder = await mkdtemp(join(tmpdir(), 'admin-'))
    await PAGE.writeFiles(folder)
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  /** Runs a command of the guide. The folders and files that the guide makes are in `folder`. */
  async function said(command: string) {
    const [program = '', ...args] = wordsOf(command).map((word) =>
      /^(overlay|overlay-script|closed|[\w/]+\.(key|crt))$/.test(word) ? join(folder, word) : word,
    )
    if (program === 'kubectl') return plane().kubectl(args)
    if (program !== 'npm') return run(program, args)
    const [, script = '', ...more] = args
    expect(['build', 'certs']).to.include(script)
    const env = { ...process.env, KUBECONFIG: plane().kubeconfig }
    return run(process.execPath, [`${script}/main.ts`, ...more.slice(1)], { env })
  }

  const built = async (overlay: string): Promise<readonly KubeObject[]> => {
    const { stdout, stderr } = await plane().kubectl(['kustomize', join(folder, overlay)])
    expect(stderr).to.equal('')
    return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  }

  for (const step of PAGE.steps()) {
    const { command } = step
    if (command === WITHOUT_CERT_MANAGER)
      it('starts again, as in another cluster', async () => {
        const objects = (await built('overlay')).filter(({ kind }) => kind !== 'CustomResourceDefinition')
        const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
        const { code, stderr } = await plane().kubectl(['delete', '-f', '-'], { input })
        expect(code, stderr).to.equal(0)
      })

    it(`runs ${command}`, async () => {
      const { code, stdout, stderr } = await said(command)
      expect(code, stderr).to.equal(0)
      if (!command.startsWith('openssl')) PAGE.expectOutput(step, `${stderr}${stdout}`)
    })

    if (command.startsWith(EMERGENCY_EXIT))
      it('admits experiments from then on, and the quota counts them', async () => {
        const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
        const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
        await eventually('an experiment to be let in', 20_000, () =>
          plane().api.apply(pathOf(EXPERIMENT_DEPLOYMENT, { namespace: 'default', name: 'let-in' }), {
            apiVersion,
            kind,
            metadata: { name: 'let-in' },
            spec,
          }),
        )
        await eventually('the quota to count it', 50_000, async () => {
          const quota = await plane().api.get('/api/v1/namespaces/default/resourcequotas/experiments')
          const used = at(quota, 'status', 'used', `count/${EXPERIMENT_DEPLOYMENT.plural}.${GROUP}`)
          expect(used, JSON.stringify(quota.status)).to.equal('1')
        })
      })
  }

  const containerIn = (objects: readonly KubeObject[]) => {
    const webhook = objects.find(
      ({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'experiment-webhook',
    )
    return objectOr(listOr(at(webhook, 'spec', 'template', 'spec', 'containers'))[0])
  }
  /** What the volumes of an overlay mount and it does not contain itself: `secret NAME`, `configMap NAME`. */
  const missingIn = (objects: readonly KubeObject[]) => {
    const text = JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))
    const named = [...text.matchAll(/"configMap":\{"name":"([^"]+)"|"secretName":"([^"]+)"/g)].map(
      ([, configMap, secret]) => configMap ?? secret ?? '',
    )
    expect(named).to.not.deep.equal([])
    return named.filter((name) => !objects.some(({ metadata }) => metadata.name === name)).sort()
  }

  it('A-3: has overlays that need nothing but the certificates', async () => {
    for (const overlay of ['overlay', 'overlay-script']) {
      const objects = await built(overlay)
      expect(containerIn(objects).image).to.equal('registry.example/experiment-deployment-controller:0.1.0')
      expect(missingIn(objects)).to.deep.equal(overlay === 'overlay' ? [] : ['experiment-webhook-tls'])
      expect(JSON.stringify(objects)).to.not.contain('CLIENT_CA')
    }
  })

  it('A-3: has an overlay with the addresses and the callers that it names, complete too', async () => {
    const objects = await built('closed')
    expect(missingIn(objects)).to.deep.equal([])
    const network = objects.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'experiment-webhook',
    )
    const from = at(listOr(at(network, 'spec', 'ingress'))[0], 'from')
    expect(from).to.deep.equal([{ ipBlock: { cidr: '192.0.2.10/32' } }, { ipBlock: { cidr: '192.0.2.11/32' } }])
    const variables = listOr(containerIn(objects).env).map((variable) => at(variable, 'name'))
    expect(variables).to.include.members(['CLIENT_CA', 'CLIENT_NAMES'])
  })

  it('A-3: creates a certificate that the webhook accepts with these settings', async () => {
    const [ca = '', caller = ''] = await Promise.all(
      ['closed/ca.crt', 'apiserver.crt'].map((file) => readFile(join(folder, file), 'utf8')),
    )
    const certificate = new X509Certificate(caller)
    const variables = listOr(containerIn(await built('closed')).env).filter(isObject)
    expect(namesOf(certificate)).to.include(variables.find(({ name }) => name === 'CLIENT_NAMES')?.value)
    expect(certificate.verify(new X509Certificate(ca).publicKey)).to.equal(true)
    expect(certificate.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']) // client authentication
  })

  it('has run every command of the guide', () => {
    const commands = PAGE.steps().map(({ command }) => command)
    expect(commands.length).to.be.greaterThan(8)
    expect(PAGE.inline()).to.deep.equal([])
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'yaml'])
  })
})
