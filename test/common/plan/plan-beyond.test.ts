import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { validator } from '../../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment } from '../../builders.ts'
import { aReader, aRequest, aService, linesOf, validatorDeps } from '../../webhook/reviews.ts'
import { plan } from '../of-facts.ts'
import { leftAt, someFacts, theFork } from './some-facts.ts'

const SOURCE: KubeObject = aDeployment({
  podLabels: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`label-${index}`, 'v'])),
})
const MESSAGE =
  'deployment/cart cannot be forked: spec.template.metadata.labels: 60001 labels, more than 512; ' +
  'remove those that nobody needs'

describe('a source that is beyond the bounds', () => {
  it('N29: keeps its fork as it is, and the status says why', () => {
    const experiment = anExperiment({ status: leftAt(3), overrideSpec: { minReadySeconds: 5 } })
    const traffic = { services: [{ name: 'cart', selector: { app: 'cart' } }], slices: [] }
    const { writes, conclusion } = plan(someFacts({ experiment, source: SOURCE, fork: theFork(), traffic }))
    expect(writes.filter(({ role }) => role === 'fork')).to.deep.equal([])
    expect([conclusion.reason, conclusion.message]).to.deep.equal([
      'SourceNotForkable',
      `spec.sourceRef.name: ${MESSAGE}`,
    ])
    expect(conclusion.fork?.metadata.uid).to.equal('uid-of-fork')
  })

  it('N29: is refused at apply', async () => {
    const decide = validator(validatorDeps(aReader([SOURCE, aService()]).kube, ANY_SCHEMA))
    expect(linesOf(await decide(aRequest()))).to.deep.equal([`spec.sourceRef.name: ${MESSAGE}`])
  })
})
