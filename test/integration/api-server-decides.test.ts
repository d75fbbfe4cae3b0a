import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { at } from '../../common/json/json.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, installation, usesProduct } from './product.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'

const ofPod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const ofContainer = (fields: JsonObject): JsonObject => ofPod({ containers: [{ name: 'cart', ...fields }] })

/** Overrides that our webhook would have refused. The API server refuses the first one, too. */
const STORED = {
  refused: ofContainer({ ports: [{ containerPort: 70_000 }] }),
  accepted: ofPod({ restartPolicy: 'Never' }),
  useless: ofContainer({ image: 'cart :1' }),
}

/** Accepts in `namespace` what no version of Kubernetes accepts yet: it corrects the value before it is checked. */
const aNewerCluster = (namespace: string): JsonObject => ({
  failurePolicy: 'Fail',
  reinvocationPolicy: 'Never',
  matchConstraints: {
    resourceRules: [
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
    ],
    objectSelector: { matchLabels: { [IS_EXPERIMENT]: 'true' } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  },
  matchConditions: [{ name: 'never', expression: 'object.spec.template.spec.?restartPolicy.orValue("") == "Never"' }],
  mutations: [
    {
      patchType: 'JSONPatch',
      jsonPatch: {
        expression: '[JSONPatch{op: "replace", path: "/spec/template/spec/restartPolicy", value: "Always"}]',
      },
    },
  ],
})

describe('a value that our rules refuse, stored while the webhook was off', () => {
  const place = usesProduct()

  before('the cluster accepts one of the values, and all are stored', async function () {
    this.timeout(3 * DEADLINE_MS)
    const { api, namespace, path } = place()
    const metadata = { name: `newer-${namespace}` }
    await api.create(POLICIES, { metadata, spec: aNewerCluster(namespace) })
    await api.create(BINDINGS, { metadata, spec: { policyName: metadata.name } })
    await aSource(place(), 'cart')
    const labels = { app: 'probe', [IS_EXPERIMENT]: 'true' }
    const spec = { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'probe:1' }] }
    await eventually('the policy to correct the value', DEADLINE_MS, () =>
      api.create(`${path('deployments')}?dryRun=All`, {
        metadata: { name: 'probe', labels },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      }),
    )
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    try {
      for (const [name, overrideSpec] of Object.entries(STORED))
        await place().experiment(name, { source: 'cart', overrideType: 'Strategic', overrideSpec })
    } finally {
      await restoreWebhooks()
    }
  })
  after('the policy is removed', async () => {
    const { api, namespace } = place()
    for (const collection of [BINDINGS, POLICIES]) await api.delete(`${collection}/newer-${namespace}`)
  })

  it('is told in the words of the API server, with the field of the override', async () => {
    const found = await place().reaches('refused', 'ApplyRefused')
    expect(condition(found, 'Stalled')?.status).to.equal('True')
    expect(condition(found, 'Ready')?.message).to.contain(
      'spec.overrideSpec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70000',
    )
  })

  it('makes a fork where the API server accepts it', async () => {
    const found = await place().reaches('accepted', 'Available')
    const fork = await place().deployment(found.status?.experimentResourceRef?.name ?? '')
    expect(at(fork, 'spec', 'template', 'spec', 'restartPolicy')).to.equal('Always')
  })

  it('makes no fork with which no pod could run, because the API server does not check that', async () => {
    const found = await place().reaches('useless', 'InvalidOverride')
    expect(condition(found, 'Ready')?.message).to.contain(
      'spec.overrideSpec.template.spec.containers[0].image: must be a reference',
    )
  })

  it('is still refused by the webhook', async () => {
    const creating = place()
      .experiment('new', { source: 'cart', overrideType: 'Strategic', overrideSpec: STORED.accepted })
      .catch((error: unknown) => error)
    expect(await creating)
      .to.be.an.instanceof(ApiError)
      .with.property('message')
      .that.contains('restartPolicy')
  })

  it('is sent at once when it is corrected', async () => {
    const { api, path } = place()
    await api.patch(path('experiments', 'refused'), { spec: { overrideSpec: ofContainer({ image: 'cart:2' }) } })
    await place().reaches('refused', 'Available')
  })
})
