import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, FORK, imageOverride } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, aSlice, linesOf, surroundings } from './reviews.ts'

const SCHEMA = deploymentSchema()
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const WORLD = [aDeployment(), aService(), aSlice(PODS)]

interface Given {
  readonly world?: readonly KubeObject[]
  readonly request?: Parameters<typeof aRequest>[0]
  readonly isDown?: boolean
  readonly isSchemaPending?: boolean
}

async function verdict({
  world = WORLD,
  request = {},
  isDown = false,
  isSchemaPending = false,
}: Given): Promise<string[]> {
  const { kube } = aReader(world, { isDown })
  const found = await validator(surroundings(kube, isSchemaPending ? undefined : SCHEMA))(aRequest(request))
  return linesOf(found)
}

const overriding = (overrideSpec: JsonObject, given: Given = {}): Given => ({
  ...given,
  request: { ...given.request, object: anExperiment({ overrideSpec }) },
})
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

const cases: Record<string, readonly [Given, ...string[]]> = {
  'tells what will be made, and its share': [{}, CREATES, SHARE],
  'tells what changes from what to what': [
    overriding(imageOverride('example/cart:2')),
    CREATES,
    '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
    SHARE,
  ],
  'does not promise a name in a dry run': [
    { request: { dryRun: true } },
    '[Plan] creates deployment/cart-experiment-<id> in shop: 1 pod, from deployment/cart',
    SHARE,
  ],
  'compares an update with what was asked before': [
    { request: { object: anExperiment({ replicas: 2 }), oldObject: anExperiment() } },
    `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] replicas: 1 -> 2',
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
  'does not count the pods it has already as those of others': [
    {
      world: [aDeployment(), aService(), aSlice([...PODS, `${FORK}-a`, `${FORK}-b`])],
      request: { oldObject: anExperiment({ replicas: 2 }) },
    },
    `[Plan] updates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
    '[Plan] replicas: 2 -> 1',
    SHARE,
  ],
  'says when an update changes nothing': [
    { request: { oldObject: anExperiment() } },
    `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod, from deployment/cart`,
    SHARE,
  ],
  'lets an old override over the limits be mended': [
    { request: { oldObject: anExperiment({ overrideSpec: nested(5_000) }) } },
    `[Plan] updates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
    SHARE,
  ],
  'warns of what a replaced list loses': [
    {
      ...overriding(imageOverride('example/cart:1')),
      world: [
        aDeployment({ container: { env: [{ name: 'A' }], ports: [], imagePullPolicy: 'Always' } }),
        aService(),
        aSlice(PODS),
      ],
    },
    '[ListReplaced] containers[cart] loses env: Merge replaces lists whole, Strategic merges by name',
    CREATES,
    SHARE,
  ],
  'predicts what Strategic does, which loses nothing': [
    {
      request: { object: anExperiment({ overrideSpec: imageOverride('example/cart:2'), overrideType: 'Strategic' }) },
      world: [aDeployment({ container: { env: [{ name: 'A' }] } }), aService(), aSlice(PODS)],
    },
    CREATES,
    '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
    SHARE,
  ],
  'predicts nothing of Strategic while there is no schema': [
    { request: { object: anExperiment({ overrideType: 'Strategic' }) }, isSchemaPending: true },
    '[SchemaNotAvailable] override not checked yet: no schema of Deployment',
  ],
  'tells what cannot be merged although the source is not there': [
    {
      request: {
        object: anExperiment({
          overrideType: 'Strategic',
          overrideSpec: {
            strategy: { type: 'Recreate', rollingUpdate: {} },
            template: { spec: { containers: [null] } },
          },
        }),
      },
      world: [],
    },
    'spec.overrideSpec.strategy.rollingUpdate: only with type RollingUpdate, not "Recreate"; remove one',
    'spec.overrideSpec.template.spec.containers[0]: null removes no item of this list; use overrideType: Merge and repeat what must stay',
  ],
  'never shows the value of a variable': [
    {
      ...overriding({
        template: {
          spec: { containers: [{ name: 'cart', image: 'example/cart:1', env: [{ name: 'A', value: 'secret' }] }] },
        },
      }),
      world: [aDeployment({ container: { env: [{ name: 'A', value: 'hidden' }] } })],
    },
    '[QueueWorker] no Service: if it takes work from a queue, so does the experiment',
    CREATES,
    '[Plan] no Service selects its pods: nothing is sent to it by itself',
  ],
  'says why a Service sends nothing': [
    {
      world: [
        aDeployment({ podLabels: { 'pod-template-hash': 'x' } }),
        aService('cart', { app: 'cart', 'pod-template-hash': 'x' }),
      ],
    },
    CREATES,
    "[Plan] service/cart: no requests; the experiment's pods lack pod-template-hash=x",
  ],
  'expects no share of no pods': [
    { request: { object: anExperiment({ replicas: 0 }) } },
    `[Plan] creates deployment/${FORK} in shop: 0 pods, from deployment/cart`,
    '[Plan] no pods, so no requests; scale it to give it some',
  ],
  'admits an experiment whose source is not there yet: the order of applies must not matter': [
    { world: [] },
    '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
  ],
  'admits with a warning when the source cannot be read': [
    { isDown: true },
    '[SourceUnread] deployment/cart could not be read now; the controller checks the override against it',
  ],
  'admits with a warning while there is no schema': [
    overriding({ zzz: 1 }, { isSchemaPending: true, world: [] }),
    '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
    '[SchemaNotAvailable] override not checked yet: no schema of Deployment',
  ],
  'checks the override although the source is not there': [
    overriding({ zzz: 1 }, { world: [] }),
    'spec.overrideSpec.zzz: unknown field; known here: minReadySeconds, strategy, template',
  ],
  'refuses a source that is an experiment': [
    { world: [aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })] },
    'spec.sourceRef.name: deployment/cart is itself an experiment; name the workload it was made from',
  ],
  'tells mistakes of rules and schema together, in the order of the document, each once': [
    overriding({ template: { metadata: { name: 'x' }, spec: { zzz: 1 } }, replicas: '2' }),
    'spec.overrideSpec.template.metadata.name: only labels and annotations can be set here; remove this',
    'spec.overrideSpec.template.spec.zzz: unknown field; known here: affinity, containers, securityContext, shareProcessNamespace, since, terminationGracePeriodSeconds',
    'spec.overrideSpec.replicas: not here; set spec.replicas',
  ],
  'tells a whole manifest to move up, and nothing else': [
    overriding({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} }),
    'spec.overrideSpec.spec: overrideSpec already is the spec; move this up one level',
  ],
  'takes 64 levels no further than the schema': [
    overriding({ a: nested(63) }),
    'spec.overrideSpec.a: unknown field; known here: minReadySeconds, strategy, template',
  ],
  'refuses 65 levels before anything walks them': [
    overriding(nested(65)),
    `spec.overrideSpec${'.a'.repeat(65)}: nested deeper than 64 levels; flatten it`,
  ],
  'refuses a source that cannot be forked, at the reference to it': [
    { world: [aDeployment({ container: { ports: [{ containerPort: 80 }, { containerPort: 80 }] } })] },
    'spec.sourceRef.name: deployment/cart cannot be forked: spec.template.spec.containers[0].ports[1]: containerPort 80, protocol "TCP" is there already, as [0]; server-side apply takes it only once',
  ],
  'refuses what a loosened CRD let through': [
    { request: { object: { metadata: { name: 'x' }, spec: { sourceRef: {}, replicas: -1, overrideType: 'Odd' } } } },
    'spec.sourceRef.kind: expected string; set it so',
    'spec.sourceRef.name: expected the name of a workload; set it so',
    'spec.overrideSpec: expected object; set it so',
    'spec.overrideType: expected Merge or Strategic; set it so',
    'spec.replicas: expected a whole number from 0 on; set it so',
  ],
}

describe('validate', () => {
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => expect(await verdict(given)).to.deep.equal(expected))

  it('reads only the slices of Services that concern the experiment', async () => {
    const { kube, asked } = aReader([aDeployment(), aService('other', { app: 'other' })])
    await validator(surroundings(kube, SCHEMA))(aRequest())
    expect(asked).to.deep.equal([
      '/apis/apps/v1/namespaces/shop/deployments/cart',
      '/api/v1/namespaces/shop/services',
      '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers',
      '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
      '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies',
      '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts',
    ])
  })
})
