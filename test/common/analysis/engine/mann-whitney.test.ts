import { expect } from 'chai'
import { mannWhitney } from '../../../../common/analysis/engine/mann-whitney.ts'
import { areNear, VECTORS } from './vectors.ts'

describe('the rule of Gated Deployments', () => {
  const vectors = [...VECTORS.gd.map((of) => ({ what: 'few values', minSamples: 5, ...of })), ...VECTORS.gd_more]
  for (const { what, minSamples, treat, ctrl, ...expected } of vectors)
    it(`is that of the vectors: ${what}, ${expected.verdict}`, () => {
      const found = mannWhitney(treat, ctrl, { minSamples, zScoreThreshold: 1.96, harmThreshold: 1.5 })
      expect(found.verdict).to.equal(expected.verdict)
      if (expected.z === undefined) return
      areNear([found.treatmentU, found.controlU], [expected.treatmentU ?? 0, expected.controlU ?? 0])
      if (expected.z === null) expect(found.z).to.equal(null)
      else areNear([found.z ?? 0], [expected.z])
    })
})
