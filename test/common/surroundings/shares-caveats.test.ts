import { expect } from 'chai'
import type { Neighbours } from '../../../common/surroundings/neighbours.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { serviceShares } from '../../../common/surroundings/shares.ts'
import type { ServiceView } from '../../../common/surroundings/traffic.ts'
import { CART, ours, pairOf, rows, slice } from './rows.ts'

const hpa = (min: number, max: number): Neighbours['autoscalers'] => [
  { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min, max, isOnCpu: true },
]
const caveats: Record<string, readonly [Partial<ServiceView>, Neighbours['autoscalers'], string | undefined]> = {
  'gives nothing for a plain Service': [{}, [], undefined],
  'gives the range of the share if an HPA scales the source: replicas/(max+replicas) to replicas/(min+replicas)': [
    {},
    hpa(2, 19),
    '5% to 33% while hpa/cart scales the source',
  ],
  'ignores an HPA of another workload': [
    {},
    [{ name: 'x', target: { kind: 'StatefulSet', name: 'cart' }, min: 1, max: 2, isOnCpu: true }],
    undefined,
  ],
  'gives sessionAffinity': [{ sessionAffinity: 'ClientIP' }, [], 'sessionAffinity ClientIP: only new clients reach it'],
  'gives internalTrafficPolicy Local': [
    { internalTrafficPolicy: 'Local' },
    [],
    'internalTrafficPolicy Local: only callers on its node reach it',
  ],
  'gives trafficDistribution': [
    { trafficDistribution: 'PreferClose' },
    [],
    'trafficDistribution PreferClose: nearby callers are preferred',
  ],
  'gives externalTrafficPolicy Local': [
    { externalTrafficPolicy: 'Local' },
    [],
    'externalTrafficPolicy Local: requests from outside are divided by node',
  ],
  'gives topology-mode Auto': [{ topologyMode: 'Auto' }, [], 'topology-mode Auto: nearby callers are preferred'],
  'joins several caveats': [
    { sessionAffinity: 'ClientIP' },
    hpa(1, 1),
    '50% to 50% while hpa/cart scales the source; sessionAffinity ClientIP: only new clients reach it',
  ],
}

describe('serviceShares, on what the share depends on,', () => {
  for (const [sentence, [of, autoscalers, message]] of Object.entries(caveats))
    it(sentence, () => {
      const [row] = serviceShares({ services: [{ ...CART, ...of }], slices: [] }, trafficInput(pairOf(), autoscalers))
      expect(row?.message).to.equal(message)
    })

  it('counts the endpoints of other experiments', () => {
    const [row] = rows([CART], [slice('cart', ours, 'cart-1', 'cart-experiment-0123456789-7d9f-x')])
    expect(row?.message).to.equal('1 of the endpoints belongs to another experiment')
  })

  it('counts the endpoints of its own twin apart', () => {
    const twinName = 'cart-experiment-0123456789'
    const endpoints = [slice('cart', ours, 'cart-1', `${twinName}-7d9f-x`)]
    const [row] = rows([CART], endpoints, { twinName })
    expect(row?.message).to.equal('1 of the endpoints belongs to its twin')
  })

  it('gives no range for an experiment without pods', () => {
    const input = { ...trafficInput(pairOf(), hpa(1, 2)), replicas: 0 }
    const [row] = serviceShares({ services: [CART], slices: [] }, input)
    expect(row).to.not.have.property('message')
  })
})
