import { expect } from 'chai'
import { stringify } from 'yaml'
import type { JsonObject } from '../../common/json/json.ts'
import { admitting, type RunningWebhook } from './admission-webhook.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const FORK = /cart-experiment-[0-9a-f]{10}/g

const cart = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cart' },
  spec: {
    replicas: 0, // nothing here is about pods
    selector: { matchLabels: { app: 'cart' } },
    template: {
      metadata: { labels: { app: 'cart' } },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1.9.4', env: [{ name: 'A', value: 'b' }] }] },
    },
  },
}
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'cart' },
  spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
}

describe('admission, by kubectl', () => {
  const plane = usesControlPlane()
  let namespace = ''
  let webhook: RunningWebhook | undefined

  before('an application and the webhook are started', async () => {
    namespace = await aNamespace()
    await plane().api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, cart)
    await plane().api.create(`/api/v1/namespaces/${namespace}/services`, service)
    webhook = await admitting(plane(), namespace)
  })
  after('the webhook is removed', () => webhook?.remove())

  const manifest = (name: string, overrideSpec: JsonObject, source = 'cart') =>
    stringify({
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      kind: 'ExperimentDeployment',
      metadata: { name, namespace },
      spec: { sourceRef: { kind: 'Deployment', name: source }, overrideSpec },
    })

  /** What a user reads. Parts that differ from run to run are replaced. */
  async function kubectl(input: string, ...args: string[]): Promise<string[]> {
    const { stdout, stderr } = await plane().kubectl([...args, '-f', '-'], { input })
    const text = `${stderr}${stdout}`.replaceAll(FORK, 'FORK').replaceAll(namespace, 'shop')
    return text.split('\n').filter((line) => line !== '')
  }

  const image = { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:2.0.0' }] } } }
  const plan = (creates: string) => [
    'Warning: [ListReplaced] containers[cart] loses env: Merge replaces whole lists; use Strategic to merge them',
    `Warning: [Plan] creates deployment/${creates} in shop: 1 pod, from deployment/cart`,
    'Warning: [Plan] containers[cart].image: registry.example/cart:1.9.4 -> registry.example/cart:2.0.0',
    'Warning: [Plan] containers[cart].env[A]: removed',
    'Warning: [Plan] service/cart: about 100% of new connections (1 of 1 endpoints)',
    'Warning: [AloneBehindService] no other ready endpoint in service/cart: the fork gets all requests',
    'Warning: [Plan] at most 2 pods at one moment: 1 of the fork and 1 of its surge',
  ]

  it('answers a valid experiment with its plan, and a dry run with the same', async () => {
    expect(await kubectl(manifest('good', image), 'apply', '--dry-run=server')).to.deep.equal([
      ...plan('cart-experiment-<id>'),
      'experimentdeployment.experimentcontroller.example.com/good created (server dry run)',
    ])
    expect(await kubectl(manifest('good', image), 'apply')).to.deep.equal([
      ...plan('FORK'),
      'experimentdeployment.experimentcontroller.example.com/good created',
    ])
  })

  it('prints every mistake on its own line', async () => {
    const spec = { containers: [{ name: 'cart', imge: 'x' }], terminationGracePeriodSeconds: '30s' }
    expect(await kubectl(manifest('bad', { template: { spec } }), 'apply')).to.deep.equal([
      'The ExperimentDeployment "bad" is invalid: ',
      '* spec.overrideSpec.template.spec.containers[0].imge: unknown field; did you mean "image"?',
      '* spec.overrideSpec.template.spec.terminationGracePeriodSeconds: expected integer, got string "30s"; use 30',
    ])
  })

  it('refuses fields that are set elsewhere, in a dry run too', async () => {
    expect(await kubectl(manifest('bad', { replicas: 2 }), 'apply', '--dry-run=server')).to.deep.equal([
      'The ExperimentDeployment "bad" is invalid: spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
    ])
  })

  it('admits an experiment whose source does not exist yet', async () => {
    expect(await kubectl(manifest('early', {}, 'later'), 'apply')).to.deep.equal([
      'Warning: [SourceNotFound] no deployment/later in shop yet; the override is checked again when it appears',
      'experimentdeployment.experimentcontroller.example.com/early created',
    ])
  })

  it('lets users label, scale and delete while the webhook is down, but not create', async () => {
    await kubectl(manifest('free', {}), 'apply')
    await webhook?.stop()
    const path = `/apis/experimentcontroller.example.com/v1alpha1/namespaces/${namespace}/experimentdeployments/free`
    const labelled = await plane().api.patch(path, { metadata: { labels: { a: 'b' } } })
    expect(labelled.metadata.labels).to.deep.equal({ a: 'b' })
    await plane().api.patch(`${path}/status`, { status: { replicas: 1 } })
    expect((await kubectl(manifest('late', {}), 'apply')).join()).to.include('failed calling webhook "validate.')
    await plane().api.delete(path)
  })
})
