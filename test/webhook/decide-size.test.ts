import { expect } from 'chai'
import type { KubeObject, ObjectMeta } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, installing } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { anAutoscaler, aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'
import { depsOf, policy } from './under-policies.ts'

const INSIDE = anExperiment({
  strategy: {
    canary: { scaleDownSource: true, steps: [20, 40, 60, 80].flatMap((setWeight) => [{ setWeight }, { pause: {} }]) },
  },
})

const sourceOf = (metadata: Partial<ObjectMeta> = {}) => aDeployment({ spec: { replicas: 5 }, metadata })
const PODS = Array.from({ length: 5 }, (_, index) => `cart-${index}`)

interface Reviewed {
  readonly source?: KubeObject
  readonly others?: readonly KubeObject[]
  readonly object?: ExperimentDeployment
}

/** The lines of the answer, and how often autoscalers were read. */
async function review({ source = sourceOf(), others = [], object = INSIDE }: Reviewed = {}) {
  const { kube, asked } = aReader([source, aService(), aSlice(PODS), ...others])
  const deps = { ...validatorDeps(kube, ANY_SCHEMA), installed: installing('promotion') }
  const lines = linesOf(await validator(deps)(aRequest({ object })))
  return { lines, reads: asked.filter((path) => path.endsWith('/horizontalpodautoscalers')).length }
}

const refusals = ({ lines }: Awaited<ReturnType<typeof review>>) => lines.filter((line) => line.startsWith('spec.'))

describe('the decision on a canary inside the size of its source', () => {
  it('admits the example of Argo with one line more, and reads the autoscalers once', async () => {
    const found = await review()
    expect(refusals(found)).to.deep.equal([])
    expect(found.lines.filter((line) => line.startsWith('[Plan]'))).not.to.have.length(0)
    expect(found.reads).to.equal(1)
  })

  it('refuses it beside an autoscaler', async () =>
    expect(refusals(await review({ others: [anAutoscaler({})] }))).to.deep.equal([
      'spec.strategy.canary.scaleDownSource: hpa/cart scales deployment/cart; delete it for the time of the run, or leave this out',
    ]))

  it('refuses it where somebody applies the size', async () => {
    const managedFields = [{ manager: 'ci', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }]
    expect(refusals(await review({ source: sourceOf({ managedFields }) }))).to.have.length(1)
  })

  it('refuses it under a policy whose share its promotion exceeds, by the pods that the source has then', async () => {
    const under = async (maxShare: string) => {
      const world = [sourceOf(), aService(), aSlice(PODS)]
      const deps = depsOf({ world, policies: [policy({ maxShare, allowScaleDownSource: true })] })
      return linesOf(await validator({ ...deps, installed: installing('promotion') })(aRequest({ object: INSIDE })))
    }
    expect((await under('80%')).filter((line) => line.startsWith('spec.'))).to.deep.equal([])
    expect(await under('79%')).to.deep.equal([
      'spec.strategy.canary.steps[6].setWeight: experiments would have 4 of 5 endpoints of service/cart, at most 79% is allowed; allowed from 2 pods of others (policy "limits")',
    ])
  })

  it('warns of what sets the size again later', async () => {
    const last = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { replicas: 5 } }) }
    const found = await review({ source: sourceOf({ annotations: last }) })
    expect(found.lines).to.include(
      '[SourceScaled] the next kubectl apply sets spec.replicas 5 again; the run then waits',
    )
  })

  it('sees an autoscaler that was just created, though others were read a moment ago', async () => {
    const world = [sourceOf(), aService(), aSlice(PODS)]
    const deps = { ...validatorDeps(aReader(world).kube, ANY_SCHEMA), installed: installing('promotion') }
    const validate = validator(deps)
    const refused = async (object = INSIDE) => (await validate(aRequest({ object }))).is === 'invalid'
    expect(await refused(anExperiment({ strategy: { canary: { steps: [{ setWeight: 50 }] } } }))).to.equal(false)
    world.push(anAutoscaler({}))
    expect(await refused()).to.equal(true)
  })

  it('reads the autoscalers of other canaries with the rest of the surroundings', async () => {
    const found = await review({ object: anExperiment({ strategy: { canary: { steps: [{ setWeight: 50 }] } } }) })
    expect(refusals(found)).to.deep.equal([])
    expect(found.reads).to.equal(1)
  })
})
