import { expect } from 'chai'
import { KubeError } from '../../common/kube/errors.ts'
import type { KubeRequest } from '../../common/kube/request.ts'
import { policySource } from '../../webhook/policy-source.ts'
import type { Reader } from '../../webhook/reader.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aPolicy } from '../builders.ts'
import { turn, VirtualTime } from '../virtual-time.ts'
import { aReader, aRequest, aService, aSlice, linesOf, surroundings } from './reviews.ts'

const LIMITS_MS = [500, 1_500, 4_500]
const POLICIES = 'unchecked: the policies of this cluster could not be checked in time, try again'
const RIGHTS =
  'unchecked: the right to it (needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop") ' +
  'could not be checked in time, try again'

/** An API server that never answers what is about `silent`; a request ends with its signal or its deadline. */
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

/** What is told in time; undefined where nothing is. */
async function toldInTime(silent: string, limitMs: number): Promise<readonly string[] | undefined> {
  const time = new VirtualTime()
  const { kube: answering } = aReader([aDeployment(), aService(), aSlice(['cart-1', 'cart-2'])])
  const kube = silentAbout(silent, answering, time)
  const reflector = { hasSynced: true, list: () => [aPolicy({ maxExperimentsPerSource: 3 })] }
  const policies = policySource(reflector, { client: kube, timers: time })
  const validate = validator({ ...surroundings(kube, ANY_SCHEMA), timers: time, policies })
  let lines: readonly string[] | undefined
  const reviewed = validate(aRequest({ object: anExperiment() }), limitMs).then((verdict) => {
    lines = linesOf(verdict)
  })
  await time.pass(limitMs)
  await Promise.race([reviewed, turn().then(turn)])
  return lines
}

describe('a review', () => {
  const cases: Record<string, string> = {
    subjectaccessreviews: RIGHTS,
    '/api/v1/namespaces/shop': POLICIES,
    experimentdeployments: POLICIES,
    '/deployments/cart':
      '[SourceUnread] deployment/cart could not be read now; the controller checks the override against it',
    '/services': '[Plan] the share of requests is unknown: the Services could not be read',
    endpointslices: '[Plan] the share of requests is unknown: the Services could not be read',
    horizontalpodautoscalers: '[Plan] service/cart: about 33% of new connections (1 of 3 endpoints)',
    '/rollouts': '[Plan] service/cart: about 33% of new connections (1 of 3 endpoints)',
  }
  for (const [silent, expected] of Object.entries(cases))
    for (const limitMs of LIMITS_MS)
      it(`is answered within ${limitMs} ms though nobody answers about ${silent}`, async () =>
        expect(await toldInTime(silent, limitMs)).to.include(expected))
})
