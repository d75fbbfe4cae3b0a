import { expect } from 'chai'
import type { KubeErrorKind } from '../../../../common/api/failure.ts'
import { UNREAD } from '../../../../common/api/object.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { neighboursIn } from '../../../../common/kube/reads/neighbours.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../../../common/surroundings/neighbours.ts'
import { kubeError } from '../../../fakes/wire-by-hand.ts'

describe('neighboursIn', () => {
  const api = (failure: KubeErrorKind | undefined) => ({
    request: async ({ path }: { readonly path: string }) => {
      if (failure && path.includes('horizontal')) throw kubeError(failure)
      const spec = {
        scaleTargetRef: { kind: 'Deployment', name: 'cart' },
        maxReplicas: 3,
        selector: {},
        podSelector: {},
      }
      return { items: [{ metadata: { name: 'cart' }, spec }, 'junk'] }
    },
  })
  const autoscaler = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3, isOnCpu: false }
  const others = { budgets: [{ name: 'cart', selector: {} }], networkPolicies: [{ name: 'cart', selector: {} }] }
  const cases: Record<string, readonly [KubeErrorKind | undefined, Neighbours | undefined]> = {
    'reads autoscalers, budgets and network policies': [undefined, { autoscalers: [autoscaler], ...others }],
    'says what it may not read': ['forbidden', { autoscalers: [], areAutoscalersHidden: true, ...others }],
    'leaves out a kind that does not exist': ['kindAbsent', { autoscalers: [], ...others }],
    'is undefined while the API server cannot be reached': ['unreachable', undefined],
  }
  for (const [sentence, [failure, expected]] of Object.entries(cases))
    it(sentence, async () => expect(await neighboursIn(api(failure), 'shop', 1_000)).to.deep.equal(expected))

  const answering = (items: readonly unknown[]) => ({
    request: async ({ path }: KubeRequest) => ({ items: path.endsWith('networkpolicies') ? items : [] }),
  })
  const named = (name: string) => ({ metadata: { name }, spec: { podSelector: {} } })

  it('N29: names an object that is too large to be read, and reads the others', async () => {
    const large = { metadata: { name: 'large' }, [UNREAD]: 'it has more than 100,000 keys and items' }
    expect(await neighboursIn(answering([large, named('cart')]), 'shop', 1_000)).to.deep.equal({
      ...NO_NEIGHBOURS,
      networkPolicies: [{ name: 'cart', selector: {} }],
      unread: [{ name: 'networkpolicy/large', unread: 'it has more than 100,000 keys and items' }],
    })
  })

  it('N29: is undefined where there are more than 1,000 of a kind', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => named(`policy-${index}`))
    expect((await neighboursIn(answering(names.slice(1)), 'shop', 1_000))?.networkPolicies).to.have.length(1_000)
    expect(await neighboursIn(answering(names), 'shop', 1_000)).to.equal(undefined)
  })

  it('lists from the memory of the API server, within the deadline', async () => {
    const requests: KubeRequest[] = []
    const client = {
      request: async (request: KubeRequest) => {
        requests.push(request)
        return { items: [] }
      },
    }
    expect(await neighboursIn(client, 'shop', 1_000)).to.deep.equal(NO_NEIGHBOURS)
    expect(requests.map(({ path }) => path)).to.deep.equal([
      '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers',
      '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
      '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies',
    ])
    for (const { query, deadlineMs } of requests)
      expect({ query, deadlineMs }).to.deep.equal({ query: { resourceVersion: '0' }, deadlineMs: 1_000 })
  })
})
