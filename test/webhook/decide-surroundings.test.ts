import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout, FORK, installing } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { anAutoscaler, aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'

const HASH = 'rollouts-pod-template-hash'
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

interface Given {
  readonly world: readonly KubeObject[]
  readonly overrideSpec?: JsonObject
}

const cases: Record<string, readonly [Given, ...string[]]> = {
  'says that no label helps where a Service is pinned to a revision': [
    { world: [aDeployment(), aService('stable', { app: 'cart', [HASH]: 'x' })] },
    CREATES,
    `[PinnedByRollout] service/stable: no requests; it is limited to one revision: ${HASH}=x`,
  ],
  'warns about hazards and about other objects before the plan': [
    {
      world: [
        aDeployment({ container: { args: ['--leader-elect'] } }),
        aService(),
        aSlice(PODS),
        anAutoscaler({ minReplicas: 2, maxReplicas: 19 }),
      ],
    },
    '[LeaderElection] leader election is on: the experiment may become the leader, or stay idle',
    "[CountedByHPA] hpa/cart includes the fork's pods in its average when it scales the source",
    CREATES,
    SHARE,
    '[Plan] service/cart: 5% to 33% while hpa/cart scales the source',
  ],
  'warns about a Service that a changed label adds and one that it removes': [
    {
      overrideSpec: { template: { metadata: { labels: { app: 'other' } } } },
      world: [aDeployment(), aService(), aService('other', { app: 'other' }), aSlice(PODS)],
    },
    '[JoinsService] the fork gets requests from service/other, the source does not',
    '[LeavesService] the fork gets no requests from service/cart: it lacks app=cart',
    CREATES,
    '[Plan] template.metadata.labels.app: changed',
    "[Plan] service/cart: no requests; the fork's pods lack app=cart",
    '[Plan] service/other: about 100% of new connections (1 of 1 endpoints)',
  ],
  'recommends the workload that Flagger put in the place of the source': [
    { world: [aDeployment({ spec: { replicas: 0 } }), aDeployment({ name: 'cart-primary' }), aService()] },
    '[SourceIsManaged] deployment/cart-primary serves in place of deployment/cart: fork deployment/cart-primary instead',
    CREATES,
    '[Plan] service/cart: about 100% of new connections (1 of 1 endpoints)',
    '[AloneBehindService] no other ready endpoint in service/cart: the fork gets all requests',
  ],
  'recommends the Rollout that takes its template from the source': [
    {
      world: [
        aDeployment(),
        aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } }),
        aService(),
        aSlice(PODS),
      ],
    },
    '[SourceIsManaged] rollout/cart takes its template from deployment/cart: fork rollout/cart instead',
    CREATES,
    SHARE,
  ],
}

describe('the decision on a blue-green, about its Services', () => {
  const services = (metadata: Partial<KubeObject['metadata']>) =>
    ['cart', 'preview'].map((name) => {
      const service = aService(name)
      return { ...service, metadata: { ...service.metadata, ...metadata } }
    })
  const strategy = { blueGreen: { activeService: 'cart', previewService: 'preview' } }
  const warningsAbout = async (world: readonly KubeObject[], reason = 'ServiceIsOwned') => {
    const { kube } = aReader([aDeployment(), ...world])
    const deps = { ...validatorDeps(kube, ANY_SCHEMA), installed: installing('gate', 'cutOver') }
    const lines = linesOf(await validator(deps)(aRequest({ object: anExperiment({ strategy }) })))
    return lines.filter((line) => line.includes(reason))
  }

  it('names the tool and the Services, as the status does', async () =>
    expect(await warningsAbout(services({ labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }))).to.deep.equal([
      '[ServiceIsOwned] service/cart is declared by Flux, service/preview is declared by Flux, which may undo a cut-over',
    ]))

  it('names who applies the selector, and nobody who applies other fields', async () => {
    const appliedWith = (field: string) =>
      services({ managedFields: [{ manager: 'team', operation: 'Apply', fieldsV1: { 'f:spec': { [field]: {} } } }] })
    expect(await warningsAbout(appliedWith('f:selector').slice(0, 1))).to.deep.equal([
      '[ServiceIsOwned] service/cart is declared by a server-side apply of "team", which may undo a cut-over',
    ])
    expect(await warningsAbout(appliedWith('f:ports'))).to.deep.equal([])
  })

  it('names the port by which a Service would reach nobody', async () => {
    const service = aService('preview')
    const sendingTo = (targetPort: string | number) => [
      aService(),
      { ...service, spec: { selector: { app: 'cart' }, ports: [{ port: 80, targetPort }] } },
    ]
    expect(await warningsAbout(sendingTo('http'), 'PortMissing')).to.deep.equal([
      '[PortMissing] service/preview sends to the port http, which no container of the fork has: the run waits for it',
    ])
    expect(await warningsAbout(sendingTo(8080), 'PortMissing')).to.deep.equal([])
  })
})

describe('the decision on a gated fork', () => {
  const linesFor = async (spec: JsonObject) => {
    const { kube } = aReader([aDeployment(), { ...aService(), spec: { selector: { app: 'cart' }, ...spec } }])
    const object = anExperiment({ traffic: { mode: 'Gated' }, strategy: { canary: { steps: [{ pause: {} }] } } })
    return linesOf(
      await validator({ ...validatorDeps(kube, ANY_SCHEMA), installed: installing('gate') })(aRequest({ object })),
    )
  }
  const NONE = '[Plan] no pod is open, so no requests until a weight opens some'

  it('says that it gets no requests', async () => expect(await linesFor({})).to.include(NONE))

  it('does not say so if a Service sends to pods that are not ready', async () => {
    const lines = await linesFor({ publishNotReadyAddresses: true })
    expect(lines[0]).to.equal(
      '[GateBypassed] pods that are shut get requests from service/cart (publishNotReadyAddresses)',
    )
    expect(lines).not.to.include(NONE)
  })
})

describe('the decision on a fork whose pods other objects select', () => {
  for (const [sentence, [{ world, overrideSpec = {} }, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const validate = validator(validatorDeps(aReader(world).kube, ANY_SCHEMA))
      const decision = await validate(aRequest({ object: anExperiment({ overrideSpec }) }))
      expect(decision.is).to.equal('admitted')
      expect(linesOf(decision)).to.deep.equal(expected)
    })
})
