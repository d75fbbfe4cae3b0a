import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, aWrittenExperiment, FORK } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'
import { stored, updated } from './stored.ts'

const SCHEMA = deploymentSchema()
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const WORLD = [aDeployment(), aService(), aSlice(PODS)]
const STORED = stored({}, { schema: SCHEMA })
const STORED_WITH_TWO = stored({ replicas: 2 }, { schema: SCHEMA })

interface Given {
  readonly world?: readonly KubeObject[]
  readonly request: Parameters<typeof aRequest>[0]
}

const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

const cases: Record<string, readonly [Given, ...string[]]> = {
  'compares an update with the stored experiment': [
    {
      world: [...WORLD, STORED.fork],
      request: { object: updated(STORED.experiment, { replicas: 2 }), oldObject: STORED.experiment },
    },
    `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] replicas: 1 -> 2',
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
  'does not count the pods that the fork has already as pods of others': [
    {
      world: [aDeployment(), aService(), aSlice([...PODS, `${FORK}-a`, `${FORK}-b`]), STORED_WITH_TWO.fork],
      request: { object: updated(STORED_WITH_TWO.experiment, {}), oldObject: STORED_WITH_TWO.experiment },
    },
    `[Plan] updates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
    '[Plan] replicas: 2 -> 1',
    SHARE,
  ],
  'says when an update changes nothing': [
    {
      world: [...WORLD, STORED.fork],
      request: { object: updated(STORED.experiment, {}), oldObject: STORED.experiment },
    },
    `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod`,
    SHARE,
  ],
  'creates the fork of an update where it is not there yet': [
    { request: { object: anExperiment({ replicas: 2 }), oldObject: anExperiment() } },
    `[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
  'lets a stored override beyond the limits be corrected': [
    { request: { oldObject: aWrittenExperiment({ overrideSpec: nested(5_000) }) } },
    CREATES,
    SHARE,
  ],
  'updates the fork of such an experiment': [
    {
      world: [...WORLD, STORED.fork],
      request: {
        object: updated(STORED.experiment, { replicas: 2 }),
        oldObject: aWrittenExperiment({ ...STORED.experiment, overrideSpec: nested(5_000) }),
      },
    },
    `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
}

describe('the validation of an update', () => {
  for (const [sentence, [{ world = WORLD, request }, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const decision = await validator(validatorDeps(aReader(world).kube, SCHEMA))(aRequest(request))
      expect(linesOf(decision)).to.deep.equal(expected)
    })
})
