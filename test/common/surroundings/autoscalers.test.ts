import { expect } from 'chai'
import type { AutoscalerView } from '../../../common/surroundings/neighbours.ts'
import { FORK } from '../../builders.ts'
import { type Colliding, collisionLines } from './rows.ts'

interface Case extends Colliding {
  readonly warns: readonly string[]
}

const OTHER = { app: 'other' }
const hpa = (name: string, of: Partial<AutoscalerView> = {}): AutoscalerView => ({
  name: 'scaler',
  target: { kind: 'Deployment', name },
  min: 1,
  max: 9,
  isOnCpu: true,
  ...of,
})
const COUNTED = "[CountedByHPA] hpa/scaler includes the fork's pods in its average when it scales the source"

const cases: Record<string, Case> = {
  'CountedByHPA if an HPA scales the source': {
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [COUNTED],
  },
  'no CountedByHPA if the selector of the source does not match the fork': {
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [],
  },
  'HeldBackHPA if an HPA on CPU scales the source of a gated fork': {
    isGated: true,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [
      '[HeldBackHPA] hpa/scaler takes pods that are shut for idle ones, so it scales the source up too late; keep the fork small until its pods are opened',
    ],
  },
  'CountedByHPA for a gated fork if the HPA is not on CPU': {
    isGated: true,
    neighbours: { autoscalers: [hpa('cart', { isOnCpu: false })] },
    warns: [COUNTED],
  },
  'no HeldBackHPA if the selector of the source does not match the gated fork': {
    isGated: true,
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [],
  },
  'no HeldBackHPA for an HPA of the gated fork': {
    isGated: true,
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, but the controller resets it; target expd/faster-cart instead'],
  },
  'ScaledByHPA if an HPA scales the fork': {
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, but the controller resets it; target expd/faster-cart instead'],
  },
}

describe('autoscalers', () => {
  for (const [sentence, { warns, ...of }] of Object.entries(cases))
    it(`gives ${sentence}`, () => expect(collisionLines(of)).to.deep.equal(warns))
})
