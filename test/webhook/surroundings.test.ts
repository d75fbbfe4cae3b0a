import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout, FORK } from '../builders.ts'
import { anAutoscaler, aReader, aRequest, aService, aSlice, surroundings } from './reviews.ts'

const HASH = 'rollouts-pod-template-hash'
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

interface Given {
  readonly world: readonly KubeObject[]
  readonly overrideSpec?: JsonObject
}

const cases: Record<string, readonly [Given, ...string[]]> = {
  'says that no label will do where a Service is pinned to a revision': [
    { world: [aDeployment(), aService('stable', { app: 'cart', [HASH]: 'x' })] },
    CREATES,
    `[PinnedByRollout] service/stable: no requests; it is pinned to one revision: ${HASH}=x`,
  ],
  'warns of hazards and of others before the plan': [
    {
      world: [
        aDeployment({ container: { args: ['--leader-elect'] } }),
        aService(),
        aSlice(PODS),
        anAutoscaler({ minReplicas: 2, maxReplicas: 19 }),
      ],
    },
    '[LeaderElection] the experiment may become leader, or idle',
    "[CountedByHPA] hpa/cart averages over the experiment's pods too when it scales the source",
    CREATES,
    SHARE,
    '[Plan] service/cart: 5% to 33% as hpa/cart scales the source',
  ],
  'warns of a Service joined and one left by a label': [
    {
      overrideSpec: { template: { metadata: { labels: { app: 'other' } } } },
      world: [aDeployment(), aService(), aService('other', { app: 'other' }), aSlice(PODS)],
    },
    "[JoinsService] service/other: not the source's, and yet its requests reach the experiment",
    "[LeavesService] service/cart: the source's alone; the experiment lacks app=cart",
    CREATES,
    "[Plan] service/cart: no requests; the experiment's pods lack app=cart",
    '[Plan] service/other: about 100% of new connections (1 of 1 endpoints)',
  ],
  'sends to the workload that Flagger put in the place of the source': [
    { world: [aDeployment({ spec: { replicas: 0 } }), aDeployment({ name: 'cart-primary' }), aService()] },
    '[SourceIsManaged] deployment/cart is at 0 beside deployment/cart-primary: fork that',
    CREATES,
    '[Plan] service/cart: about 100% of new connections (1 of 1 endpoints)',
  ],
  'sends to the Rollout that takes its template from the source': [
    {
      world: [
        aDeployment(),
        aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } }),
        aService(),
        aSlice(PODS),
      ],
    },
    '[SourceIsManaged] rollout/cart takes its template from deployment/cart: fork that',
    CREATES,
    SHARE,
  ],
}

describe('validate, where others are', () => {
  for (const [sentence, [{ world, overrideSpec = {} }, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const validate = validator(surroundings(aReader(world).kube, ANY_SCHEMA))
      const verdict = await validate(aRequest({ object: anExperiment({ overrideSpec }) }))
      expect(verdict).to.deep.equal({ is: 'admitted', warnings: expected })
    })
})
