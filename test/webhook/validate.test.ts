import { expect } from 'chai'
import fc from 'fast-check'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aPolicy, aWrittenExperiment, FORK, imageOverride } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'
import '../property.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { policySource } from '../../webhook/reads/policies.ts'
import type { Reader } from '../../webhook/reads/reader.ts'
import { examine, type Reached } from '../fuzz/examine.ts'
import { aHostileInput } from '../fuzz/hostile.ts'
import { turn, VirtualTime } from '../virtual-time.ts'

const SCHEMA = deploymentSchema()
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const WORLD = [aDeployment(), aService(), aSlice(PODS)]

interface Given {
  readonly world?: readonly KubeObject[]
  readonly request?: Parameters<typeof aRequest>[0]
  readonly isDown?: boolean
  readonly isSchemaPending?: boolean
}

async function linesFor({
  world = WORLD,
  request = {},
  isDown = false,
  isSchemaPending = false,
}: Given): Promise<string[]> {
  const { kube } = aReader(world, { isDown })
  const decision = await validator(validatorDeps(kube, isSchemaPending ? undefined : SCHEMA))(aRequest(request))
  return linesOf(decision)
}

const overriding = (overrideSpec: JsonObject, given: Given = {}): Given => ({
  ...given,
  request: { ...given.request, object: aWrittenExperiment({ overrideSpec }) },
})
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const NO_REQUESTS = '[Plan] no Service selects these pods: they will receive no traffic'
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

const cases: Record<string, readonly [Given, ...string[]]> = {
  'says what will be created, and its share': [{}, CREATES, SHARE],
  'says what changes, from which value to which': [
    overriding(imageOverride('example/cart:2')),
    CREATES,
    '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
    SHARE,
  ],
  'promises no name in a dry run, because the real create gets another uid': [
    { request: { dryRun: true } },
    '[Plan] creates deployment/cart-experiment-<id> in shop: 1 pod, from deployment/cart',
    SHARE,
  ],
  'promises no name of a ControllerRevision in a dry run either': [
    { request: { object: anExperiment({ onSourceChange: 'Pin' }), dryRun: true } },
    '[Plan] creates controllerrevision/cart-experiment-<id> in shop: the base that the fork keeps',
    '[Plan] creates deployment/cart-experiment-<id> in shop: 1 pod, from deployment/cart',
    SHARE,
  ],
  'warns about what a replaced list loses': [
    {
      ...overriding(imageOverride('example/cart:1')),
      world: [
        aDeployment({ container: { env: [{ name: 'A' }], imagePullPolicy: 'IfNotPresent' } }),
        aService(),
        aSlice(PODS),
      ],
    },
    '[ListReplaced] containers[cart] loses env: Merge replaces whole lists; use Strategic to merge them',
    CREATES,
    '[Plan] containers[cart].env[A]: removed',
    SHARE,
  ],
  'says what Strategic does, which loses nothing': [
    {
      request: { object: anExperiment({ overrideSpec: imageOverride('example/cart:2'), overrideType: 'Strategic' }) },
      world: [aDeployment({ container: { env: [{ name: 'A' }] } }), aService(), aSlice(PODS)],
    },
    CREATES,
    '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
    SHARE,
  ],
  'does not predict a strategic merge while there is no schema': [
    { request: { object: anExperiment({ overrideType: 'Strategic' }) }, isSchemaPending: true },
    '[SchemaNotAvailable] override not checked yet: no schema of Deployment was fetched',
  ],
  'reports what cannot be merged even if the source is not there': [
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
    'spec.overrideSpec.strategy.rollingUpdate: can be set only with type RollingUpdate, got "Recreate"; remove one of them',
    'spec.overrideSpec.template.spec.containers[0]: null cannot remove an item of this list; use overrideType: Merge and list the items to keep',
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
    '[QueueWorker] no Service selects the source: if it reads from a queue, the fork does too',
    CREATES,
    '[Plan] containers[cart].env[A].value: changed',
    NO_REQUESTS,
  ],
  'says why a Service sends no requests': [
    {
      world: [
        aDeployment({ podLabels: { 'pod-template-hash': 'x' } }),
        aService('cart', { app: 'cart', 'pod-template-hash': 'x' }),
      ],
    },
    CREATES,
    "[Plan] service/cart: no requests; the fork's pods lack pod-template-hash=x",
  ],
  'predicts no share for an experiment without pods': [
    { request: { object: anExperiment({ replicas: 0 }) } },
    `[Plan] creates deployment/${FORK} in shop: 0 pods, from deployment/cart`,
    '[Plan] no pods, so no requests; scale it to give it some',
  ],
  'admits an experiment whose source does not exist yet, because the order of applies must not matter': [
    { world: [] },
    '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
  ],
  'admits with a warning when the source cannot be read': [
    { isDown: true },
    '[SourceUnread] deployment/cart could not be read now (unreachable)',
  ],
  'admits with a warning while there is no schema': [
    overriding({ zzz: 1 }, { isSchemaPending: true }),
    '[SchemaNotAvailable] override not checked yet: no schema of Deployment was fetched',
  ],
  'names the missing source first where the schema is missing too': [
    overriding({ zzz: 1 }, { isSchemaPending: true, world: [] }),
    '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
  ],
  'checks the override even if the source is not there': [
    overriding({ zzz: 1 }, { world: [] }),
    'spec.overrideSpec.zzz: unknown field; valid fields: minReadySeconds, strategy, template',
  ],
  'refuses a source that is an experiment': [
    { world: [aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })] },
    'spec.sourceRef.name: deployment/cart is itself the fork of an experiment; name its source',
  ],
  'reports mistakes of rules and schema together, in the order of the document, each once': [
    overriding({ template: { metadata: { name: 'x' }, spec: { zzz: 1 } }, replicas: '2' }),
    'spec.overrideSpec.template.metadata.name: only labels and annotations can be set here; remove this',
    'spec.overrideSpec.template.spec.zzz: unknown field; valid fields: affinity, containers, securityContext, shareProcessNamespace, since, terminationGracePeriodSeconds',
    'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
  ],
  'says of a whole manifest only that it must be moved up one level': [
    overriding({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} }),
    'spec.overrideSpec.spec: overrideSpec is already the spec; move the content of this up one level',
  ],
  'lets the schema refuse an override of 64 levels': [
    overriding({ z: nested(63) }),
    'spec.overrideSpec.z: unknown field; valid fields: minReadySeconds, strategy, template',
  ],
  'refuses 65 levels before anything walks through them': [
    overriding(nested(65)),
    `spec.overrideSpec${'.a'.repeat(65)}: nested deeper than 64 levels; flatten it`,
  ],
  'refuses a source that cannot be forked, at the reference to it': [
    { world: [aDeployment({ container: { ports: [{ containerPort: 80 }, { containerPort: 80, name: 'web' }] } })] },
    'spec.sourceRef.name: deployment/cart cannot be forked: spec.template.spec.containers[0].ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"), which server-side apply refuses; remove one of them in the source, or replace the list with overrideType: Merge',
  ],
  'refuses wrong types that a loosened CRD let through': [
    { request: { object: { metadata: { name: 'x' }, spec: { sourceRef: {}, replicas: -1, overrideType: 'Odd' } } } },
    'spec.sourceRef.kind: must be a string',
    'spec.sourceRef.name: must be the name of a workload',
    'spec.overrideSpec: must be an object; write {} for no difference',
    'spec.overrideType: must be Merge or Strategic',
    'spec.replicas: must be a whole number from 0 to 2147483647',
  ],
}

describe('the validation of a request', () => {
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => expect(await linesFor(given)).to.deep.equal(expected))

  it('reads only the slices of Services that concern the experiment', async () => {
    const { kube, asked } = aReader([aDeployment(), aService('other', { app: 'other' })])
    await validator(validatorDeps(kube, SCHEMA))(aRequest())
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

const WAYS: readonly Reached[] = ['malformed', 'over the limits', 'refused', 'unsound once merged', 'admitted']

describe('hostile input', () => {
  it('throws nothing, changes no prototype and gets the same answer twice, on every path through the webhook', function () {
    this.timeout(120_000)
    const reached = new Set<Reached>()
    fc.assert(
      fc.property(aHostileInput, (input) => void reached.add(examine(input))),
      { numRuns: 5_000 }, // half a minute for 20,000: the long run is `node test/fuzz/main.ts`,
    )
    expect([...reached]).to.include.members(WAYS)
  })
})

const LIMITS_MS = [500, 1_500, 4_500]
const POLICIES = 'unchecked: the policies of this cluster could not be checked in time, try again'
const RIGHTS =
  'unchecked: your permissions could not be checked in time ' +
  '(needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop"), try again'

/**
 * An API server that never answers requests for paths with `silent`. Such a request ends with its signal or its
 * deadline.
 */
function silentAbout(silent: string, kube: Reader, time: VirtualTime): Reader {
  const never = ({ signal, deadlineMs = 60_000 }: KubeRequest) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(new KubeError({ kind: 'unreachable', message: 'nothing in time' }))
      if (signal?.aborted) end()
      signal?.addEventListener('abort', end)
      time.after(deadlineMs, end)
    })
  return { request: (request) => (request.path.includes(silent) ? never(request) : kube.request(request)) }
}

/** The lines for the user; undefined if there is no answer in time. */
async function linesInTime(silent: string, limitMs: number): Promise<readonly string[] | undefined> {
  const time = new VirtualTime()
  const { kube: answering } = aReader([aDeployment(), aService(), aSlice(['cart-1', 'cart-2'])])
  const kube = silentAbout(silent, answering, time)
  const reflector = { hasSynced: true, list: () => [aPolicy({ maxExperimentsPerSource: 3 })] }
  const policies = policySource(reflector, { client: kube, timers: time, ownNamespace: 'experiment-controller-system' })
  const validate = validator({ ...validatorDeps(kube, ANY_SCHEMA), timers: time, policies })
  let lines: readonly string[] | undefined
  const reviewed = validate(aRequest({ object: anExperiment() }), limitMs).then((decision) => {
    lines = linesOf(decision)
  })
  await time.pass(limitMs)
  await Promise.race([reviewed, turn().then(turn)])
  return lines
}

describe('the time limit of a review', () => {
  const cases: Record<string, string> = {
    subjectaccessreviews: RIGHTS,
    '/api/v1/namespaces/shop': POLICIES,
    experimentdeployments: POLICIES,
    '/deployments/cart': '[SourceUnread] deployment/cart could not be read now (unreachable)',
    '/services': '[Plan] the share of requests is unknown: the Services could not be read',
    endpointslices: '[Plan] the share of requests is unknown: the Services could not be read',
    horizontalpodautoscalers: '[Plan] service/cart: about 33% of new connections (1 of 3 endpoints)',
    '/rollouts': '[Plan] service/cart: about 33% of new connections (1 of 3 endpoints)',
  }
  for (const [silent, expected] of Object.entries(cases))
    for (const limitMs of LIMITS_MS)
      it(`is answered within ${limitMs} ms even if the API server never answers requests for ${silent}`, async () =>
        expect(await linesInTime(silent, limitMs)).to.include(expected))
})
