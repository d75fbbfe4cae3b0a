import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { kustomizeBy } from '../../../manifests/chart/render.ts'
import { auditEvents } from '../../../sandbox/audit.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { type Installation, install, SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import { preparedKubectl } from '../../../sandbox/prepare.ts'
import { run } from '../../../sandbox/run.ts'
import { cart, service } from '../../clusters/one-namespace.ts'
import { usesCertManagerCrds, usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { collect } from '../../collect.ts'
import { Page, wordsOf } from '../../integration/document.ts'
import { needs } from '../../needs.ts'
import { CHART, IMAGE, template } from './helm.ts'

const COUNT = 50

/** The arguments of the command by which the guide says to take over. */
const takeOver = () =>
  new Page('helm.md')
    .blocks('sh')
    .flatMap(wordsOf)
    .slice(1)
    .filter((word) => !/^--(values|namespace)=/.test(word))

const DEADLINE_MS = 90_000
const CONFIGURATIONS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map(
  (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}/experiment-deployment-controller`,
)
/** What an object has that Helm has written. */
const written = ({ metadata: { name, labels, annotations }, ...rest }: KubeObject) => ({
  ...rest,
  metadata: { name, labels, annotations },
})

describe('releases of the chart, with 50 experiments', function () {
  this.timeout(600_000)
  needs('helm')
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  let product: Installation | undefined
  let configurations: readonly KubeObject[] = []
  let forks: readonly unknown[] = []
  let folder = ''
  /** where the programs are */
  let namespace = SYSTEM_NAMESPACE
  before('a folder for the cache of Helm', async () => {
    folder = await mkdtemp(join(tmpdir(), 'helm-'))
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  const helm = async (args: readonly string[]) => {
    const env = { ...process.env, HOME: folder, KUBECONFIG: plane().kubeconfig }
    const all = [...args, `--namespace=${namespace}`]
    const wantsValues = ['install', 'upgrade'].includes(args[0] ?? '')
    const ran = await run(await goTool('helm'), wantsValues ? [...all, '--values=-'] : all, {
      env,
      input: JSON.stringify(IMAGE),
    })
    expect(ran.code, `${args}: ${ran.stderr}`).to.equal(0)
    return ran
  }

  /** The processes instead of the pods that Helm has made, and their addresses in the configurations. */
  async function start(installed: readonly KubeObject[]): Promise<void> {
    configurations = await Promise.all(CONFIGURATIONS.map((path) => plane().api.get(path)))
    for (const path of CONFIGURATIONS) await plane().api.delete(path)
    product = await install(plane(), { installed, kindProbeSeconds: 2 })
  }
  /** Puts back what Helm has made. The processes go on. */
  async function handBack(): Promise<void> {
    for (const [index, path] of CONFIGURATIONS.entries()) {
      await plane().api.delete(path)
      const object = configurations[index]
      if (object) await plane().api.create(path.slice(0, path.lastIndexOf('/')), written(object))
    }
  }
  async function stop(): Promise<void> {
    await product?.controller().stop()
    await product?.webhook.stop()
  }

  const experiments = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'shop' })

  /** The forks and their pods, which must stay; waits until all experiments are ready. */
  const observed = () =>
    eventually('all experiments to be ready', DEADLINE_MS, async () => {
      const found = await plane().api.list<ExperimentDeployment>(experiments)
      const ready = found.filter(({ status, metadata }) =>
        status?.conditions?.some(
          ({ type, status: is, observedGeneration }) =>
            type === 'Ready' && is === 'True' && observedGeneration === metadata.generation,
        ),
      )
      expect(ready).to.have.lengthOf(COUNT)
      const workloads = await plane().api.list(resourcePath(deployment, { namespace: 'shop' }))
      const pods = await plane().api.list('/api/v1/namespaces/shop/pods')
      return [...workloads, ...pods].map(({ kind, metadata: { name, uid, generation } }) => ({
        kind,
        name,
        uid,
        generation,
      }))
    })

  const applied = async (name: string, body: object) =>
    plane().api.create(experiments, {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name },
      spec: body,
    })

  it('follow an installation by kustomize, which has forked 50 times', async () => {
    const { code, stderr } = await plane().kubectl(['apply', '--server-side', '-k', 'manifests/default'])
    expect(code, stderr).to.equal(0)
    const kustomize = kustomizeBy(await preparedKubectl(() => undefined))
    await start(await kustomize({ resources: ['default'], components: [] }))
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await plane().api.create(resourcePath(deployment, { namespace: 'shop' }), cart)
    await plane().api.create('/api/v1/namespaces/shop/services', service)
    for (let index = 0; index < COUNT; index++)
      await applied(`copy-${index}`, {
        sourceRef: { kind: 'Deployment', name: 'cart' },
        overrideSpec: { template: { metadata: { labels: { copy: `${index}` } } } },
      })
    forks = await observed()
    expect(forks).to.have.length.greaterThan(2 * COUNT)
  })

  it('take over what kustomize has made, and make nothing again', async () => {
    await handBack()
    await helm(takeOver())
    await stop()
    await start(await template({}))
    expect(await observed()).to.deep.equal(forks)
  })

  it('are upgraded, and make nothing again', async () => {
    await handBack()
    await helm([
      'upgrade',
      'experiments',
      CHART,
      '--set=image.tag=0.2.0',
      '--set=components.gate=true',
      '--force-conflicts',
    ])
    await stop()
    await start(await template({ components: { gate: true } }))
    expect(await observed()).to.deep.equal(forks)
  })

  it('are removed without the CRDs, so all experiments stay', async () => {
    await handBack()
    await stop() // as the pods of the release, which lose their rights
    const { stdout } = await helm(['uninstall', 'experiments'])
    expect(stdout).to.contain('[CustomResourceDefinition] experimentdeployments.experimentcontroller.example.com')
    expect(await observed()).to.deep.equal(forks)
  })

  it('are installed again, in another namespace, and make nothing again', async () => {
    namespace = 'platform'
    await helm(['install', 'experiments', CHART, '--create-namespace', '--take-ownership'])
    await start(await template({}, namespace))
    expect(await observed()).to.deep.equal(forks)
  })

  it('let the controller write forks only, also there', async () => {
    const as = `--as=system:serviceaccount:${namespace}:experiment-controller`
    const input = JSON.stringify({ ...cart, metadata: { name: 'mine' } })
    const { code, stderr } = await plane().kubectl(['create', '--filename=-', '--namespace=shop', as], { input })
    expect(code).to.equal(1)
    expect(stderr).to.contain('the controller of experiments may write only forks')
  })

  it('has not written the source', async () => {
    const events = await collect(auditEvents(plane().auditLog, ':experiment-controller'))
    const writes = events.filter(
      ({ verb, objectRef }) =>
        ['create', 'update', 'patch', 'delete'].includes(verb) &&
        objectRef?.resource === 'deployments' &&
        objectRef.name === 'cart',
    )
    expect(writes.map(({ requestURI }) => requestURI)).to.deep.equal([])
    await stop()
  })
})
