import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import {
  CONTROLLER_REVISION,
  CR_NAME,
  EXPERIMENT_DEPLOYMENT,
  FORK_FINALIZER,
  GROUP,
  IS_EXPERIMENT,
  OWNER_NAMESPACE,
} from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { certManagerCrds, prometheusCrds } from '../../sandbox/modules.ts'
import { run } from '../../sandbox/run.ts'
import { namesOf } from '../../webhook/http/client-certificate.ts'
import { cart, createFork, createSmallSource, readableService } from '../clusters/one-namespace.ts'
import { missingIn, webhookIn } from '../clusters/overlay.ts'
import { CRDS_DELETED_MS, usesOwnControlPlane } from '../clusters/own-plane.ts'
import { ADMIN_PAGES, Page, wordsOf } from '../integration/document.ts'
import { needs } from '../needs.ts'

const PAGE = new Page(...ADMIN_PAGES)
/** The guide has the script write this file. */
const PATH_ENV = 'manifests/path-secret/path.env'
const WITHOUT_CERT_MANAGER = 'kubectl apply -k overlay-script'
const CRD = readFileSync('crds/experimentdeployments.yaml', 'utf8')
const MINER =
  'kubectl create deployment miner --image=registry.example/miner:1 --namespace=default --as=system:serviceaccount:experiment-controller-system:experiment-controller'
const EMERGENCY_EXIT = 'kubectl delete validatingwebhookconfiguration'

/** A manifest as `kubectl apply` leaves it, which otherwise warns at the next apply. */
const applied = (manifest: string): string =>
  manifest.replace(
    '\n  annotations:\n',
    "\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{}'\n",
  )

describe('the guides for admins, in a cluster of their own', () => {
  // the kind exists before the quota controller starts, which looks for new kinds only every 30 s
  const plane = usesOwnControlPlane(() => [applied(CRD)])
  needs('certManagerFiles', 'prometheusFiles')
  let folder = ''
  before('cert-manager, the Prometheus Operator and a folder for the overlays', async () => {
    await applyCrds(plane().api, [...(await certManagerCrds()), ...(await prometheusCrds())])
    folder = await mkdtemp(join(tmpdir(), 'admin-'))
    await PAGE.writeFiles(folder)
    await rm(PATH_ENV, { force: true })
  })
  after('the folder and the secret are removed', async () => {
    await rm(folder, { recursive: true })
    await rm(PATH_ENV, { force: true })
  })

  /** Runs a command of the guide. The folders and files that the guide makes are in `folder`. */
  async function said(command: string) {
    const [program = '', ...args] = wordsOf(command).map((word) =>
      /^(overlay(-[a-z]+)*|closed|prometheus\.yaml|[\w/]+\.(key|crt))$/.test(word) ? join(folder, word) : word,
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

  /** What has happened before a command, in the words of the guide. */
  const PREPARATIONS = [
    {
      before: WITHOUT_CERT_MANAGER,
      title: 'starts again, as in another cluster',
      prepare: async () => {
        const objects = (await built('overlay')).filter(({ kind }) => kind !== 'CustomResourceDefinition')
        const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
        const { code, stderr } = await plane().kubectl(['delete', '-f', '-'], { input })
        expect(code, stderr).to.equal(0)
      },
    },
    {
      before: 'kubectl get deployments,statefulsets',
      title: 'A-5: has a fork whose experiment was deleted alone',
      prepare: () =>
        createFork(plane(), 'cart-experiment-cd1aa1c99c', { [IS_EXPERIMENT]: 'true', [CR_NAME]: 'faster-cart' }),
    },
    {
      before: 'kubectl rollout status',
      title: 'A-4: waits for the rollout, whose steps differ in each run',
      prepare: async () => {
        for (const name of ['experiment-webhook', 'experiment-controller'])
          expect((await said(`kubectl rollout status deployment/${name} -n ${SYSTEM_NAMESPACE}`)).code).to.equal(0)
      },
    },
    {
      before: 'kubectl auth can-i create',
      title: 'A-4: has an API server that knows the policy about the account',
      prepare: () =>
        eventually('a refusal', 20_000, async () =>
          expect((await said(`${MINER} --dry-run=server`)).stderr).to.contain('experiment-controller-account'),
        ),
    },
    {
      before: 'kubectl set image deployment/cart',
      title: 'has a source, and an API server that knows the changed policy about the account',
      prepare: async () => {
        await plane().api.create(resourcePath(deployment, { namespace: 'default' }), cart)
        await eventually('the refusal', 20_000, async () =>
          expect((await said(`${MINER} --dry-run=server`)).stderr).to.contain('and sources by a promotion'),
        )
      },
    },
    {
      before: 'kubectl get deployments -A',
      title: 'has a source that a canary has made smaller',
      prepare: () => createSmallSource(plane(), 'till', { size: 5, now: 1 }),
    },
    {
      before: 'kubectl patch service/cart',
      title: 'has a Service, which the account of the controller may read',
      prepare: () => readableService(plane()),
    },
    {
      before: 'kubectl get experimentdeployments --all-namespaces --output=wide',
      title: 'A-4: has an experiment whose CRD was deleted before its fork in another namespace',
      prepare: async () => {
        await applyCrds(plane().api, [CRD])
        const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
        await plane().api.create(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'default' }), {
          apiVersion,
          kind,
          metadata: { name: 'stock-cart', finalizers: [FORK_FINALIZER] },
          spec: { sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' }, overrideSpec: {} },
        })
        const name = 'cart-experiment-40390b55fa'
        const labels = { [IS_EXPERIMENT]: 'true', [OWNER_NAMESPACE]: 'default' }
        await createFork(plane(), name, labels)
        const revisions = resourcePath(CONTROLLER_REVISION, { namespace: 'default' })
        await plane().api.create(revisions, { metadata: { name, labels }, revision: 1, data: {} })
        const crd = `crd/${EXPERIMENT_DEPLOYMENT.plural}.${GROUP}`
        expect((await plane().kubectl(['delete', crd, '--wait=false'])).code).to.equal(0)
        await eventually('the experiment to be deleted with its CRD', 30_000, async () => {
          const path = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'default', name: 'stock-cart' })
          expect((await plane().api.get(path)).metadata.deletionTimestamp).to.be.a('string')
        })
      },
    },
  ]

  for (const step of PAGE.steps()) {
    const { command } = step
    for (const { before: beginning, title, prepare } of PREPARATIONS)
      if (command.startsWith(beginning)) it(title, prepare)

    it(`runs ${command}`, async function () {
      if (command.startsWith('kubectl delete -k overlay')) this.timeout(CRDS_DELETED_MS)
      const { code, stdout, stderr } = await said(command)
      expect(code !== 0, stderr).to.equal(step.isRefused)
      if (!command.startsWith('openssl')) PAGE.expectOutput(step, `${stderr}${stdout}`)
    })

    if (command.startsWith(EMERGENCY_EXIT))
      it('admits experiments from then on, and the quota counts them', async () => {
        const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
        const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
        await eventually('an experiment to be let in', 20_000, () =>
          plane().api.apply(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'default', name: 'let-in' }), {
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

  it('A-4: ends with a cluster in which the CRD is gone', () =>
    eventually('the CRD to be gone', 30_000, async () => {
      const { stderr } = await plane().kubectl(['get', `crd/${EXPERIMENT_DEPLOYMENT.plural}.${GROUP}`])
      expect(stderr).to.contain('NotFound')
    }))

  it('A-4: names metrics that the programs have', () => {
    const [, monitoring = ''] = /^## Monitoring\n(.*?)^## /ms.exec(PAGE.text) ?? []
    const named = [...monitoring.matchAll(/^\| `(?:experiment_(?:webhook|controller)_)?(\w+)` \|/gm)].map(
      ([, name]) => name,
    )
    const code = ['webhook/http/metrics.ts', 'controller/metrics.ts'].map((file) => readFileSync(file, 'utf8')).join()
    expect(named.length).to.be.greaterThan(5)
    for (const name of named) expect(code).to.contain(name)
  })

  it('A-3: has overlays that need nothing but the certificates', async () => {
    for (const overlay of ['overlay', 'overlay-script']) {
      const objects = await built(overlay)
      expect(webhookIn(objects).image).to.equal('registry.example/experiment-deployment-controller:0.1.0')
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
    const variables = listOr(webhookIn(objects).env).map((variable) => at(variable, 'name'))
    expect(variables).to.include.members(['CLIENT_CA', 'CLIENT_NAMES'])
  })

  it('A-3: creates a certificate that the webhook accepts with these settings', async () => {
    const [ca = '', caller = ''] = await Promise.all(
      ['closed/ca.crt', 'apiserver.crt'].map((file) => readFile(join(folder, file), 'utf8')),
    )
    const certificate = new X509Certificate(caller)
    const variables = listOr(webhookIn(await built('closed')).env).filter(isObject)
    expect(namesOf(certificate)).to.include(variables.find(({ name }) => name === 'CLIENT_NAMES')?.value)
    expect(certificate.verify(new X509Certificate(ca).publicKey)).to.equal(true)
    expect(certificate.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']) // client authentication
  })

  it('has run every command of the guide', () => {
    const commands = PAGE.steps().map(({ command }) => command)
    expect(commands.length).to.be.greaterThan(8)
    expect([...new Set(PAGE.inline())]).to.deep.equal([
      'kubectl scale',
      'kubectl get expd --all-namespaces',
      'kubectl replace',
    ])
    // the commands of the block `sh` are run by test/tools/doctor
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'sh', 'yaml'])
    expect(PAGE.blocks('sh')).to.have.lengthOf(1)
  })
})
