import { expect } from 'chai'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { policySource } from '../../webhook/reads/policies.ts'
import type { Reader } from '../../webhook/reads/reader.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aPolicy } from '../builders.ts'
import { turn, VirtualTime } from '../virtual-time.ts'
import { aReader, aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'

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
