import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { forkName } from '../../common/workload/identity.ts'
import type { AuditEvent } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, install, SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { run } from '../../sandbox/run.ts'
import { ACCOUNT, cart, ownRequests, rests, service, writtenSince } from '../clusters/one-namespace.ts'
import { CRDS_DELETED_MS, usesCertManagerCrds, usesOwnControlPlane } from '../clusters/own-plane.ts'
import { Page } from '../integration/document.ts'

const DEADLINE_MS = 50_000
const NOT_SERVED = 'this installation serves only namespace "shop"; name a source there'

describe('the installation for one namespace', () => {
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  let folder = ''
  let untouched: unknown

  /** The source with its spec, and its pods. */
  async function sources() {
    const found = await plane().api.get(resourcePath(deployment, { namespace: 'shop', name: 'cart' }))
    const pods = await plane().api.list('/api/v1/namespaces/shop/pods?labelSelector=app=cart')
    return { spec: found.spec, generation: found.metadata.generation, pods: pods.map(({ metadata }) => metadata.uid) }
  }
  let product: Installation | undefined
  const overlay = () => join(folder, 'overlay-namespaced')
  const installed = (): Installation => {
    if (!product) throw new Error('it is installed by then')
    return product
  }

  before('the overlay of the guide and two namespaces with workloads', async () => {
    folder = await mkdtemp(join(tmpdir(), 'namespaced-'))
    await new Page('install.md').writeFiles(folder)
    for (const name of ['shop', 'bank']) {
      await plane().api.create('/api/v1/namespaces', { metadata: { name } })
      await plane().api.create(resourcePath(deployment, { namespace: name }), cart)
      await plane().api.create(`/api/v1/namespaces/${name}/services`, service)
    }
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  const experimentPath = (namespace: string, name?: string) =>
    resourcePath(EXPERIMENT_DEPLOYMENT, name === undefined ? { namespace } : { namespace, name })

  interface Asked {
    readonly namespace?: string
    readonly of?: string
    readonly onSourceChange?: 'Pin'
  }
  const experiment = (name: string, { namespace = 'shop', of, onSourceChange }: Asked = {}) =>
    plane().api.create(experimentPath(namespace), {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name },
      spec: {
        sourceRef: { kind: 'Deployment', name: 'cart', ...(of !== undefined && { namespace: of }) },
        overrideSpec: { template: { metadata: { labels: { test: name } } } },
        ...(onSourceChange && { onSourceChange }),
      },
    })

  /** Waits until a condition has the reason. */
  const reaches = (name: string, type: string, reason: string, namespace = 'shop') =>
    eventually(`${name} to have ${type} ${reason}`, DEADLINE_MS, async () => {
      const found = await plane().api.get<ExperimentDeployment>(experimentPath(namespace, name))
      const condition = found.status?.conditions?.find((each) => each.type === type)
      expect(condition?.reason, JSON.stringify(found.status)).to.equal(reason)
      return { found, message: condition?.message }
    })

  const applied = async (): Promise<void> => {
    const { code, stderr } = await plane().kubectl(['apply', '--validate=strict', '-k', overlay()])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' }) // neither a refusal nor a warning
  }

  it('runs with nothing but its Roles, and makes forks', async () => {
    untouched = await eventually('the pod of the source', DEADLINE_MS, async () => {
      const found = await sources()
      expect(found.pods).to.have.lengthOf(1)
      return found
    })
    product = await install(plane(), { overlay: overlay(), kindProbeSeconds: 2 })
    await plane().api.create(resourcePath(EXPERIMENT_POLICY), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: 'few' },
      spec: { maxReplicas: 3, maxExperimentsPerSource: 5, allowSourcesFrom: ['shop', 'bank'] },
    })
    await experiment('follows')
    await experiment('pinned', { onSourceChange: 'Pin' })
    for (const name of ['follows', 'pinned']) {
      const { found } = await reaches(name, 'Ready', 'Available')
      const fork = forkName('cart', found.metadata.uid)
      await plane().api.get(resourcePath(deployment, { namespace: 'shop', name: fork }))
      // its pods are endpoints a moment after they are available
      await reaches(name, 'TrafficShared', 'Selected')
    }
  })

  it('lets nobody else than its controller write the status of experiments', async () => {
    const as = `--as=system:serviceaccount:shop:somebody`
    await plane().kubectl(['create', 'clusterrole', 'all', '--verb=*', '--resource=*.*'])
    const bound = ['create', 'rolebinding', 'all', '-nshop', '--clusterrole=all', '--serviceaccount=shop:somebody']
    expect((await plane().kubectl(bound)).code).to.equal(0)
    const args = [
      'patch',
      'expd/follows',
      '-nshop',
      '--subresource=status',
      '--type=merge',
      '-p{"status":{"image":"x"}}',
    ]
    await eventually('the policy to refuse', 20_000, async () => {
      const { stderr } = await plane().kubectl([...args, as])
      expect(stderr).to.contain('the controller writes the status of experiments')
    })
  })

  it('removes what it made', async () => {
    for (const name of ['follows', 'pinned']) await plane().api.delete(experimentPath('shop', name))
    await eventually('the forks to be gone', DEADLINE_MS, async () => {
      const left = await plane().api.list(resourcePath(deployment, { namespace: 'shop' }))
      expect(left.map(({ metadata }) => metadata.name)).to.deep.equal(['cart'])
    })
  })

  it('refuses a source in another namespace, whatever policies allow', async () => {
    const refusal = await experiment('reaches-out', { of: 'bank' }).catch((error: unknown) => `${error}`)
    expect(refusal).to.contain(`spec.sourceRef.namespace: ${NOT_SERVED}`)
  })

  it('reports such a source if no webhook refused it, and reads nothing of it', async () => {
    await installed().removeWebhooks()
    await experiment('slipped-in', { of: 'bank', onSourceChange: 'Pin' })
    const { message } = await reaches('slipped-in', 'Stalled', 'SourceNamespaceExcluded')
    expect(message).to.contain(NOT_SERVED)
    await installed().restoreWebhooks()
    await plane().api.delete(experimentPath('shop', 'slipped-in'))
  })

  it('leaves experiments in other namespaces alone', async () => {
    await experiment('elsewhere', { namespace: 'bank' })
    await experiment('later')
    await reaches('later', 'TrafficShared', 'Selected')
    const { status } = await plane().api.get<ExperimentDeployment>(experimentPath('bank', 'elsewhere'))
    const [ready, ...others] = status?.conditions ?? []
    expect([ready?.type, ready?.status, ready?.reason, others]).to.deep.equal(['Ready', 'Unknown', 'Pending', []])
    expect(await plane().api.list(resourcePath(deployment, { namespace: 'bank' }))).to.have.lengthOf(1)
  })

  it('is upgraded without a write: the new controller finds everything as the old one left it', async () => {
    await rests(plane(), 11_000) // a changing share is written every ten seconds
    const since = Date.now()
    await installed().controller().stop()
    await installed().startController()
    await experiment('after')
    const { found } = await reaches('after', 'Ready', 'Available')
    const written = await writtenSince(plane(), since)
    const ofNew = [forkName('cart', found.metadata.uid), '/after']
    expect(written.length).to.be.greaterThan(1)
    expect(written.filter((request) => !ofNew.some((name) => request.includes(name)))).to.deep.equal([])
  })

  it('cannot see another namespace, and may read policies in the cluster', async () => {
    const may = async (account: string, ...what: readonly string[]) => {
      const { stdout } = await plane().kubectl(['auth', 'can-i', ...what, `--as=${ACCOUNT}${account}`])
      return stdout.trim()
    }
    for (const account of ['controller', 'webhook'])
      for (const [resource, verb] of [
        ['deployments.apps', 'get'],
        ['services', 'list'],
        [`${EXPERIMENT_DEPLOYMENT.plural}.experimentcontroller.example.com`, 'list'],
      ] as const) {
        expect(await may(account, verb, resource, '-nshop'), `${account} ${resource}`).to.equal('yes')
        expect(await may(account, verb, resource, '-nbank'), `${account} ${resource}`).to.equal('no')
        expect(await may(account, verb, resource, '--all-namespaces'), `${account} ${resource}`).to.equal('no')
      }
    expect(await may('controller', 'list', 'experimentpolicies')).to.equal('yes')
    expect(await may('controller', 'patch', 'experimentpolicies/few', '--subresource=status')).to.equal('no')
  })

  it('has tried nothing that it may not do: no request of its accounts was forbidden, or about another namespace', async () => {
    const events = await ownRequests(plane())
    const formatted = ({ verb, requestURI }: AuditEvent) => `${verb} ${requestURI}`
    const forbidden = events.filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'forbid')
    expect(forbidden.map(formatted)).to.deep.equal([])
    const of = (agent: string) => events.filter(({ userAgent = '' }) => userAgent.startsWith(agent))
    expect(of('experiment-controller').length).to.be.greaterThan(50)
    expect(of('experiment-webhook').length).to.be.greaterThan(10)
    const namespaces = new Set(events.map(({ objectRef }) => objectRef?.namespace))
    expect([...namespaces].filter((name) => name !== undefined).sort()).to.deep.equal([SYSTEM_NAMESPACE, 'shop'])
    const ofCluster = events.flatMap(({ objectRef, verb }) =>
      objectRef?.resource && objectRef.namespace === undefined ? [`${verb} ${objectRef.resource}`] : [],
    )
    expect([...new Set(ofCluster)].sort()).to.deep.equal([
      'create subjectaccessreviews',
      'list clusterexperimentanalysistemplates',
      'list experimentanalysisproviders',
      'list experimentpolicies',
      'watch clusterexperimentanalysistemplates',
      'watch experimentanalysisproviders',
      'watch experimentpolicies',
    ])
  })

  it('is removed without a trace, and the source was never touched', async function () {
    this.timeout(CRDS_DELETED_MS)
    for (const name of ['later', 'after']) await plane().api.delete(experimentPath('shop', name))
    await plane().api.delete(resourcePath(EXPERIMENT_POLICY, { name: 'few' }))
    await eventually('the forks to be gone', DEADLINE_MS, async () => {
      const left = await plane().api.list(resourcePath(deployment, { namespace: 'shop' }))
      expect(left).to.have.lengthOf(1)
    })
    for (const program of [installed().controller(), installed().webhook]) await program.stop()
    const { code, stderr } = await plane().kubectl(['delete', '-k', overlay(), '--ignore-not-found'])
    expect({ code, stderr: stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '') }).to.deep.equal({
      code: 0,
      stderr: '',
    })
    expect(await sources()).to.deep.equal(untouched)
    for (const kind of ['role', 'rolebinding'])
      expect((await plane().kubectl(['get', kind, '-nshop', '--output=name'])).stdout).to.not.contain('experiment-')
    const { stdout } = await plane().kubectl(['get', 'clusterroles,clusterrolebindings', '--output=name'])
    expect(stdout).to.not.contain('experiment-')
  })

  // at the end, because the programs want an empty cluster, and Kubernetes may take minutes to remove what was applied
  it('is accepted strictly and without a warning, with certificates by cert-manager', applied)

  it('is accepted with certificates by the script, which creates them', async () => {
    const file = join(overlay(), 'kustomization.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('manifests/default', 'manifests/script-certs'))
    await applied()
    const env = { ...process.env, KUBECONFIG: plane().kubeconfig }
    const { stdout } = await run(process.execPath, ['certs/main.ts'], { env })
    expect(stdout).to.match(/^leaf created for experiment-webhook/m)
  })
})
