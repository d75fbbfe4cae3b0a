import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { auditEvents } from '../../../sandbox/audit.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { type Installation, install } from '../../../sandbox/installation.ts'
import { run } from '../../../sandbox/run.ts'
import { cart, service } from '../../clusters/one-namespace.ts'
import { usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { collect } from '../../collect.ts'
import { needs } from '../../needs.ts'
import { CHART, IMAGE, template } from './helm.ts'

const NAMESPACE = 'platform'
const COUNT = 50
const DEADLINE_MS = 90_000
const CONFIGURATIONS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map(
  (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}/experiment-deployment-controller`,
)
const VALUES = { ...IMAGE, certificates: { mode: 'script' } }

/** What an object has that Helm has written. */
const written = ({ metadata: { name, labels, annotations }, ...rest }: KubeObject) => ({
  ...rest,
  metadata: { name, labels, annotations },
})

describe('releases of the chart, with 50 experiments', function () {
  this.timeout(600_000)
  needs('helm')
  const plane = usesOwnControlPlane()
  let product: Installation | undefined
  let configurations: readonly KubeObject[] = []
  let forks: readonly unknown[] = []
  let folder = ''
  before('a folder for the cache of Helm', async () => {
    folder = await mkdtemp(join(tmpdir(), 'helm-'))
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  const helm = async (args: readonly string[]) => {
    const env = { ...process.env, HOME: folder, KUBECONFIG: plane().kubeconfig }
    const all = [...args, `--namespace=${NAMESPACE}`]
    const wantsValues = ['install', 'upgrade'].includes(args[0] ?? '')
    const ran = await run(await goTool('helm'), wantsValues ? [...all, '--values=-'] : all, {
      env,
      input: JSON.stringify(VALUES),
    })
    expect(ran.code, `${args}: ${ran.stderr}`).to.equal(0)
    return ran
  }

  /** The processes instead of the pods that Helm has made, and their addresses in the configurations. */
  async function start(): Promise<void> {
    configurations = await Promise.all(CONFIGURATIONS.map((path) => plane().api.get(path)))
    for (const path of CONFIGURATIONS) await plane().api.delete(path)
    product = await install(plane(), { installed: await template(VALUES, NAMESPACE), kindProbeSeconds: 2 })
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

  it('is installed in another namespace, where its controller may make forks and nothing else', async () => {
    await helm(['install', 'experiments', CHART, '--create-namespace'])
    await start()
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await plane().api.create(resourcePath(deployment, { namespace: 'shop' }), cart)
    await plane().api.create('/api/v1/namespaces/shop/services', service)
    const account = `system:serviceaccount:${NAMESPACE}:experiment-controller`
    const { code, stderr } = await plane().kubectl(['create', '--filename=-', '--namespace=shop', `--as=${account}`], {
      input: JSON.stringify({ ...cart, metadata: { name: 'mine' } }),
    })
    expect(code).to.equal(1)
    expect(stderr).to.contain('the controller of experiments may write only forks')
  })

  it('forks 50 times', async () => {
    for (let index = 0; index < COUNT; index++)
      await applied(`copy-${index}`, {
        sourceRef: { kind: 'Deployment', name: 'cart' },
        overrideSpec: { template: { metadata: { labels: { copy: `${index}` } } } },
      })
    forks = await observed()
    expect(forks).to.have.length.greaterThan(2 * COUNT)
  })

  it('is upgraded, and makes nothing again', async () => {
    await handBack()
    await helm(['upgrade', 'experiments', CHART, '--set=image.tag=0.2.0', '--set=components.gate=true'])
    await stop()
    await start()
    expect(await observed()).to.deep.equal(forks)
  })

  it('is removed without the CRDs, so all experiments stay', async () => {
    await handBack()
    const { stdout } = await helm(['uninstall', 'experiments'])
    expect(stdout).to.contain('[CustomResourceDefinition] experimentdeployments.experimentcontroller.example.com')
    await stop()
    expect(await observed()).to.deep.equal(forks)
  })

  it('is installed again, and makes nothing again', async () => {
    await helm(['install', 'experiments', CHART])
    await start()
    expect(await observed()).to.deep.equal(forks)
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
