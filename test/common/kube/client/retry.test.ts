import { expect } from 'chai'
import { type Failure, KubeError } from '../../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { retryDelay } from '../../../../common/kube/client/retry.ts'

const path = '/apis/apps/v1/namespaces/shop/deployments/cart'
const GET: KubeRequest = { verb: 'get', path }
const CREATE: KubeRequest = { verb: 'create', path, body: {} }

interface Case {
  readonly failure?: Partial<Failure>
  readonly request?: KubeRequest
  readonly tries?: number
  readonly random?: number
}

const delayOf = ({ failure = {}, request = GET, tries = 1, random = 1 }: Case) =>
  retryDelay({
    failure: new KubeError({ kind: 'unreachable', message: 'no', ...failure }),
    request,
    tries,
    random: () => random,
  })

describe('retryDelay', () => {
  const throttled = (retryAfterMs?: number): Partial<Failure> => ({
    kind: 'throttled',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  const cases: Record<string, readonly [Case, number | undefined]> = {
    'waits up to 100 ms before the second try': [{ tries: 1 }, 100],
    'waits up to 400 ms before the third try': [{ tries: 2 }, 400],
    'does not try a fourth time': [{ tries: 3 }, undefined],
    'waits any part of that time (full jitter)': [{ random: 0.25 }, 25],
    'waits as long as the server asks, if that is longer': [{ failure: { retryAfterMs: 1_000 } }, 1_000],
    'does not repeat where the server asks for more than 2 s': [{ failure: { retryAfterMs: 2_001 } }, undefined],
    'repeats a read after 503': [{ failure: { kind: 'server', status: 503 } }, 100],
    'does not repeat a read after 500': [{ failure: { kind: 'server', status: 500 } }, undefined],
    'does not repeat a read that was not found': [{ failure: { kind: 'notFound' } }, undefined],
    'does not repeat a create that may have arrived': [{ request: CREATE }, undefined],
    'repeats any request that was throttled with a time to wait': [
      { request: CREATE, failure: throttled(1_000) },
      1_000,
    ],
    'does not repeat a request that was throttled without one': [{ failure: throttled() }, undefined],
    'repeats a list': [{ request: { verb: 'list', path } }, 100],
    'repeats an apply': [{ request: { verb: 'apply', path, body: {} } }, 100],
    'repeats a delete of one uid': [{ request: { verb: 'delete', path, body: { preconditions: { uid: 'u' } } } }, 100],
    'does not repeat a delete by name alone': [{ request: { verb: 'delete', path } }, undefined],
    'does not repeat an update': [{ request: { verb: 'update', path, body: {} } }, undefined],
    'does not repeat a patch': [{ request: { verb: 'patch', path, body: {} } }, undefined],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(sentence, () => expect(delayOf(given)).to.equal(expected))
})
