import { expect } from 'chai'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, installing } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { anAutoscaler, aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'

const CPU = { metrics: [{ type: 'Resource', resource: { name: 'cpu' } }] }
const WORLD = [
  aDeployment({ spec: { replicas: 20 } }),
  aService(),
  aService('preview'),
  aSlice(['cart-1', 'cart-2']),
  anAutoscaler(CPU),
]

const blueGreen = (of: Partial<BlueGreenStrategy> = {}) =>
  anExperiment({ strategy: { blueGreen: { activeService: 'cart', previewService: 'preview', ...of } } })

/** The lines about pods, and what was read of autoscalers. */
async function review(object: ExperimentDeployment) {
  const { kube, asked } = aReader(WORLD)
  const deps = { ...validatorDeps(kube, ANY_SCHEMA), installed: installing('gate', 'cutOver') }
  const lines = linesOf(await validator(deps)(aRequest({ object })))
  return {
    lines: lines.filter((line) => /HPA|creates|steps:/.test(line)),
    reads: asked.filter((path) => path.endsWith('/horizontalpodautoscalers')).length,
  }
}

describe('the plan for a blue-green whose source has an HPA on CPU', () => {
  it('previews with a tenth of the source, as the controller does', async () => {
    const { lines, reads } = await review(blueGreen())
    expect(lines[0]).to.match(/^\[HeldBackHPA\] /)
    expect(lines[1]).to.match(/^\[Plan\] creates .*: 2 pods, from deployment\/cart$/)
    expect(lines[2]).to.match(/^\[Plan\] steps: 2 pods without requests; .* 20 pods; /)
    expect(reads).to.equal(1)
  })

  it('previews with previewReplicaCount if that is set', async () =>
    expect((await review(blueGreen({ previewReplicaCount: 3 }))).lines[1]).to.match(/: 3 pods, /))
})
