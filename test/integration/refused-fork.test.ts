import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { condition, DEADLINE_MS, usesProduct } from './product.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

const image = (name: string, tag: string) => ({ name, image: `registry.example/${name}:${tag}` })
const labels = { app: 'cart' }
const cart = (tags: { readonly proxy: string; readonly cart: string }) => ({
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [image('proxy', tags.proxy), image('cart', tags.cart)] } },
})

/** Policies of platform teams refuse forks that our webhook does not know to be wrong, in their own words. */
const refuses = (index: number) => ({
  expression: `!object.spec.template.spec.containers[${index}].image.endsWith(":denied")`,
  messageExpression: `"spec.template.spec.containers[${index}].image: Invalid value: " + object.spec.template.spec.containers[${index}].image`,
})

describe('a fork that the cluster refuses', () => {
  const place = usesProduct()

  before('a policy of the cluster is in force', async function () {
    this.timeout(2 * DEADLINE_MS)
    const { api, namespace, path } = place()
    const metadata = { name: `no-denied-${namespace}` }
    await api.create(POLICIES, {
      metadata,
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
          ],
          objectSelector: { matchLabels: { [IS_EXPERIMENT]: 'true' } },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        },
        validations: [refuses(0), refuses(1)],
      },
    })
    await api.create(BINDINGS, { metadata, spec: { policyName: metadata.name, validationActions: ['Deny'] } })
    const probe = {
      metadata: { name: 'probe', labels: { [IS_EXPERIMENT]: 'true' } },
      spec: cart({ proxy: 'denied', cart: '1' }),
    }
    await eventually('the policy to refuse', DEADLINE_MS, async () => {
      const answer = await api.create(`${path('deployments')}?dryRun=All`, probe).catch((error: unknown) => `${error}`)
      expect(answer).to.contain('denied request')
    })
  })
  after('the policy is removed', async () => {
    const { api, namespace } = place()
    for (const collection of [BINDINGS, POLICIES]) await api.delete(`${collection}/no-denied-${namespace}`)
  })

  it('M8: is told with the path of the override, at its index there', async () => {
    await place().api.create(place().path('deployments'), {
      metadata: { name: 'cart' },
      spec: cart({ proxy: '1', cart: '1' }),
    })
    await place().experiment('denied', {
      source: 'cart',
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [image('cart', 'denied')] } } },
    })
    const found = await place().reaches('denied', 'ApplyRefused')
    const message = 'spec.overrideSpec.template.spec.containers[0].image: Invalid value: registry.example/cart:denied'
    expect(condition(found, 'Ready')?.message).to.contain(message)
    await eventually('the Event to tell the same', DEADLINE_MS, async () =>
      expect((await place().kubectl(['get', 'events', '--field-selector=reason=ApplyRefused'])).text).to.contain(
        message,
      ),
    )
  })

  it('M8: is said to come from the source where the override does not set the field', async () => {
    const spec = cart({ proxy: 'denied', cart: '1' })
    await place().api.create(place().path('deployments'), { metadata: { name: 'sick' }, spec })
    await place().experiment('innocent', {
      source: 'sick',
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [image('cart', '2')] } } },
    })
    expect(condition(await place().reaches('innocent', 'ApplyRefused'), 'Ready')?.message).to.contain(
      'spec.template.spec.containers[0].image (from the source): Invalid value: registry.example/proxy:denied',
    )
  })
})
