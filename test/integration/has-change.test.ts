import { expect } from 'chai'
import { boundedOverride } from '../../common/api/decode.ts'
import { known } from '../../common/api/known.ts'
import { PROMOTION_MANAGER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, type JsonObject, member } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { changesBetween } from '../../common/override/changes.ts'
import { realTimers } from '../../common/program/clock.ts'
import { SchemaCatalog, schemaSource } from '../../common/schema/catalog.ts'
import type { Schemas } from '../../common/schema/transform.ts'
import { sourceOverride } from '../../common/situation/promotion.ts'
import { promotionOf } from '../../common/strategy/promotion.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { anExperiment } from '../builders.ts'
import { someFacts } from '../common/plan/some-facts.ts'
import { type EmptyValue, emptyValues, RICH } from './empty-values.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { aSource, DEADLINE_MS, usesProduct } from './product.ts'

const KINDS = ['Deployment', 'StatefulSet'] as const
/** Fields of features that are off. Only the API server can tell that it leaves them out. */
const SWITCHED_OFF = /\.(stopSignal|schedulingGroup|clusterTrustBundle|podCertificate)$/
const SPECS = {
  Deployment: { minReadySeconds: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  StatefulSet: { serviceName: 'rich', updateStrategy: { type: 'RollingUpdate' } },
}

describe('N10: an empty or absent value in an override, on the real control plane', function () {
  this.timeout(180_000)
  const plane = usesControlPlane()
  let kube: KubeClient | undefined
  let catalog: SchemaCatalog

  before('the schemas are read', async () => {
    const { kubeconfig } = plane()
    kube = kubeClient({ kubeconfig, userAgent: 'test-schemas', timers: realTimers(), random: Math.random })
    catalog = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
    expect(await catalog.refresh()).to.deep.equal([])
  })
  after('its connections are closed', () => kube?.close())

  /** Both answers: what the schema says that the source lacks, and whether a dry run of the write changes nothing. */
  async function answers(kind: (typeof KINDS)[number], source: KubeObject, { overrideSpec: override }: EmptyValue) {
    const schema = catalog.schemaOf(kind)
    if (!schema) throw new Error('the catalog has the schema')
    const experiment = anExperiment({ overrideSpec: override })
    const facts = { ...someFacts({ experiment, source }), schema: known(schema) }
    const found = promotionOf({ ...sourceOverride(facts, source), overrideSpec: boundedOverride(override) })
    if (!found) return undefined
    const { name, namespace = '' } = source.metadata
    const path = `${resourcePath(WORKLOAD_KINDS[kind], { namespace, name })}?dryRun=All`
    const patch = { spec: found.forward }
    const answer = await plane()
      .api.patch<KubeObject>(path, patch, 'merge')
      .catch(() => undefined)
    if (!answer) return undefined // it is not valid
    return {
      lacking: changesBetween(source.spec, found.after, schema.shape).length > 0,
      changes: !isEqual(answer.spec, source.spec),
    }
  }

  for (const kind of KINDS)
    it(`N10: ${kind}: is in the source by the schema exactly if a dry run of its promotion changes nothing`, async () => {
      const { api } = plane()
      const namespace = await aNamespace()
      const spec = { replicas: 0, selector: { matchLabels: { app: 'rich' } }, template: RICH, ...SPECS[kind] }
      const collection = resourcePath(WORKLOAD_KINDS[kind], { namespace })
      await api.create(collection, { apiVersion: 'apps/v1', kind, metadata: { name: 'rich' }, spec })
      const source = await api.get<KubeObject>(resourcePath(WORKLOAD_KINDS[kind], { namespace, name: 'rich' }))
      const document = await api.get<JsonObject>('/openapi/v3/apis/apps/v1')
      const schemas = at(document, 'components', 'schemas') as Schemas
      const root = member(schemas, `io.k8s.api.apps.v1.${kind}Spec`)
      const cases = emptyValues(source.spec as JsonObject, schemas, root)
      const seen = { agreed: 0, empty: 0 }
      const wrong: string[] = []
      for (const each of cases) {
        const both = await answers(kind, source, each)
        if (!both) continue
        const text = `${each.field} ${each.isTakenAway ? 'taken away' : 'empty'}: ${JSON.stringify(both)}`
        // what is taken away may get a default that only the API server knows
        if (both.lacking === both.changes) seen.agreed += 1
        else if (both.changes || !(each.isTakenAway || SWITCHED_OFF.test(each.field))) wrong.push(text)
        if (!each.isTakenAway) seen.empty += 1
      }
      expect(wrong).to.deep.equal([])
      expect(seen.agreed, JSON.stringify(seen)).to.be.at.least(200)
    })
})

/** The API server rounds this up to `1m`. */
const ROUNDED = { template: { spec: { containers: [{ name: 'cart', resources: { limits: { cpu: '100u' } } }] } } }
const POLICIES = '/apis/admissionregistration.k8s.io/v1'

describe('N10: a change of which only the API server can tell, in a cluster without the component', () => {
  const place = usesProduct()
  before('there are sources that have it', async () => {
    const container = { name: 'cart', image: 'registry.example/cart:1', resources: { limits: { cpu: '1m' } } }
    for (const name of ['cart', 'closed']) await aSource(place(), name, { pod: { containers: [container] } })
  })

  const exported = (name: string, source: string) =>
    place().experiment(name, {
      source,
      replicas: 0,
      overrideSpec: ROUNDED,
      overrideType: 'Strategic',
      promotion: { mode: 'Export' },
    })

  it('N10: is found in the source by a dry run of its promotion', async () => {
    await exported('rounded', 'cart')
    const { status } = await place().shows('rounded', 'the change', (of) => of.status?.promotion?.written !== undefined)
    expect(status?.conditions?.find(({ type }) => type === 'Promoted')?.status).to.equal('True')
  })

  it('N10: is told to be unknown where an admission policy refuses dry runs', async () => {
    const metadata = { name: 'closed-to-promotions' }
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments'] }
    await place().api.create(`${POLICIES}/validatingadmissionpolicies`, {
      metadata,
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['closed'] }] },
        validations: [{ expression: `request.options.fieldManager != '${PROMOTION_MANAGER}'`, message: 'closed' }],
      },
    })
    await place().api.create(`${POLICIES}/validatingadmissionpolicybindings`, {
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    })
    const probe = ['annotate', 'deployment/closed', 'a=b', '--dry-run=server', `--field-manager=${PROMOTION_MANAGER}`]
    await eventually('the policy to refuse', DEADLINE_MS, async () =>
      expect((await place().kubectl(probe)).text).to.contain('closed-to-promotions'),
    )
    await exported('unanswered', 'closed')
    const { status } = await place().shows(
      'unanswered',
      'what it waits for',
      (of) =>
        of.status?.conditions?.some(
          ({ type, message }) => type === 'Paused' && message.includes('refuses a dry run'),
        ) === true,
    )
    expect(status?.conditions?.find(({ type }) => type === 'Paused')?.message).to.match(
      /only the API server can tell whether deployment\/closed has this already, and it refuses a dry run \(.*\): containers\[cart\]\.resources\.limits\.cpu$/,
    )
    for (const kind of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
      await place().api.delete(`${POLICIES}/${kind}/${metadata.name}`)
  })
})
