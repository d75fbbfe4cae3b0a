import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, FORK_FINALIZER } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { forkName } from '../../common/workload/identity.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, install, SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { reviews } from '../../sandbox/reviews.ts'
import { cart, service } from '../clusters/one-namespace.ts'
import { usesCertManagerCrds, usesOwnControlPlane } from '../clusters/own-plane.ts'
import { collect } from '../collect.ts'
import { Page } from '../integration/document.ts'

const DEADLINE_MS = 50_000
/** The overlay for each namespace, and where its programs are. */
const INSTALLATIONS = {
  shop: { overlay: 'overlay-namespaced', programs: SYSTEM_NAMESPACE },
  bank: { overlay: 'overlay-bank', programs: 'experiments-bank' },
} as const

type Served = keyof typeof INSTALLATIONS
const SERVED = Object.keys(INSTALLATIONS) as readonly Served[]

describe('two installations in one cluster, each for one namespace', () => {
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  const products = new Map<Served, Installation>()
  let folder = ''
  before('the overlays of the guide and two namespaces with workloads', async () => {
    folder = await mkdtemp(join(tmpdir(), 'several-'))
    await new Page('install.md').writeFiles(folder)
    for (const name of SERVED) {
      await plane().api.create('/api/v1/namespaces', { metadata: { name } })
      await plane().api.create(resourcePath(deployment, { namespace: name }), cart)
      await plane().api.create(`/api/v1/namespaces/${name}/services`, service)
    }
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  const overlayOf = (served: Served) => join(folder, INSTALLATIONS[served].overlay)
  const product = (served: Served): Installation => {
    const found = products.get(served)
    if (!found) throw new Error('it is installed by then')
    return found
  }

  /** Creates an experiment, waits until it is ready, and returns the path of its fork. */
  async function forked(namespace: Served, name: string): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const overrideSpec = { template: { metadata: { labels: { test: name } } } }
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec }
    const experiments = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })
    await plane().api.create(experiments, { apiVersion, kind, metadata: { name }, spec })
    const found = await eventually(`${name} to be ready`, DEADLINE_MS, async () => {
      const experiment = await plane().api.get<ExperimentDeployment>(`${experiments}/${name}`)
      const ready = experiment.status?.conditions?.find(({ type }) => type === 'Ready')
      expect(ready?.reason, JSON.stringify(experiment.status)).to.equal('Available')
      return experiment
    })
    return resourcePath(deployment, { namespace, name: forkName('cart', found.metadata.uid) })
  }

  /** `namespace of the programs → namespace of the object`, for all their requests so far that name one. */
  async function reached(): Promise<readonly string[]> {
    const events = await collect(auditEvents(plane().auditLog, ':experiment-'))
    const found = events.flatMap(({ user, userAgent = '', objectRef }) => {
      const [, , from] = user.username.split(':')
      return userAgent.startsWith('experiment-') && objectRef?.namespace ? [`${from} → ${objectRef.namespace}`] : []
    })
    return [...new Set(found)].sort()
  }

  it('are accepted strictly and without a warning, one after the other', async () => {
    for (const served of SERVED) {
      const { code, stderr } = await plane().kubectl(['apply', '--validate=strict', '-k', overlayOf(served)])
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    }
  })

  it('each make the forks of their own namespace, and reach no other', async function () {
    this.timeout(4 * DEADLINE_MS)
    // they name Services without pods; those of processes are installed with them
    const configurations = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']
    expect((await plane().kubectl(['delete', configurations.join(), '--all'])).code).to.equal(0)
    for (const served of SERVED)
      products.set(served, await install(plane(), { overlay: overlayOf(served), kindProbeSeconds: 2 }))
    for (const served of SERVED) await plane().api.get(await forked(served, 'first'))
    expect(await reached()).to.deep.equal([
      `${SYSTEM_NAMESPACE} → ${SYSTEM_NAMESPACE}`,
      `${SYSTEM_NAMESPACE} → shop`,
      'experiments-bank → bank',
      'experiments-bank → experiments-bank',
    ])
  })

  it('each let nobody but their own controller write the status', async () => {
    await plane().kubectl(['create', 'clusterrole', 'all', '--verb=*', '--resource=*.*'])
    for (const served of SERVED) {
      const other = INSTALLATIONS[served === 'shop' ? 'bank' : 'shop'].programs
      const account = `${other}:experiment-controller`
      const bound = ['create', 'rolebinding', 'all', `-n${served}`, '--clusterrole=all', `--serviceaccount=${account}`]
      expect((await plane().kubectl(bound)).code).to.equal(0)
      const patch = ['patch', 'expd/first', `-n${served}`, '--subresource=status', '--type=merge']
      await eventually(`the policy in ${served} to refuse`, 20_000, async () => {
        const args = [...patch, '-p{"status":{"image":"x"}}', `--as=system:serviceaccount:${account}`]
        expect((await plane().kubectl(args)).stderr).to.contain('the controller writes the status of experiments')
      })
      expect((await plane().kubectl(['delete', 'rolebinding', 'all', `-n${served}`])).code).to.equal(0)
    }
  })

  it('each remove a blue-green that was created while the component for it was installed', async function () {
    this.timeout(4 * DEADLINE_MS)
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const strategy = { blueGreen: { activeService: 'cart' } }
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: { minReadySeconds: 1 }, strategy }
    for (const served of SERVED) {
      const experiments = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: served })
      await product(served).removeWebhooks() // they would refuse it now
      const metadata = { name: 'blue', finalizers: [FORK_FINALIZER] }
      const creating = plane().api.create(experiments, { apiVersion, kind, metadata, spec })
      await creating.finally(() => product(served).restoreWebhooks())
      await plane().api.delete(`${experiments}/blue`)
      await eventually(`the blue-green in ${served} to be gone`, DEADLINE_MS, async () => {
        const left = await plane().api.list(experiments)
        expect(left.map(({ metadata: { name } }) => name)).to.deep.equal(['first'])
      })
    }
  })

  it('are removed one by one: the other one goes on', async function () {
    this.timeout(4 * DEADLINE_MS)
    await plane().api.delete(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'bank', name: 'first' }))
    await eventually('its fork to be gone', DEADLINE_MS, async () =>
      expect(await plane().api.list(resourcePath(deployment, { namespace: 'bank' }))).to.have.lengthOf(1),
    )
    for (const program of [product('bank').controller(), product('bank').webhook]) await program.stop()
    const { code, stderr } = await plane().kubectl(['delete', '-k', overlayOf('bank')])
    expect({ code, stderr: stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '') }).to.deep.equal({
      code: 0,
      stderr: '',
    })
    const kinds = [
      ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings', 'namespaces', 'priorityclasses', 'crds'],
      ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    ]
    const { stdout } = await plane().kubectl(['get', kinds.join(), '--all-namespaces', '--output=name'])
    const left = stdout.split('\n').filter((name) => /\/.*experiment/.test(name))
    expect(left.filter((name) => name.includes('bank'))).to.deep.equal([])
    expect(left).to.include.members([
      'clusterrole.rbac.authorization.k8s.io/experiment-editor',
      'priorityclass.scheduling.k8s.io/experiment-deployment-controller-nonpreempting',
      'validatingwebhookconfiguration.admissionregistration.k8s.io/experiment-deployment-controller',
    ])
    await reviews(plane().api, 'shop', 'both')
    await plane().api.get(await forked('shop', 'second'))
  })
})
