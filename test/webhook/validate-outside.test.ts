import { expect } from 'chai'
import { policySource } from '../../webhook/reads/policies.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, anExperiment, aPolicy } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, linesOf, validatorDeps } from './reviews.ts'
import { WORLD } from './under-policies.ts'

const NOT_SERVED = (field: string, name: string, remedy: string) =>
  `${field}: this installation serves only namespace "${name}"; ${remedy}`

/** The lines of a review by a webhook that serves one namespace, and what it read. */
async function reviewed(onlyNamespace: string, sourceNamespace?: string) {
  const { kube, asked } = aReader(WORLD)
  const deps = validatorDeps(kube, ANY_SCHEMA)
  const shared = { hasSynced: true, list: () => [aPolicy({ allowSourcesFrom: ['shop', 'lab'] })] }
  const policies = policySource(shared, { client: kube, timers: deps.timers, ownNamespace: 'ops', onlyNamespace })
  const sourceRef = { kind: 'Deployment', name: 'cart', ...(sourceNamespace && { namespace: sourceNamespace }) }
  const decision = await validator({ ...deps, policies })(aRequest({ object: anExperiment({ sourceRef }) }))
  return { lines: linesOf(decision), asked }
}

describe('a webhook that serves one namespace', () => {
  it('refuses a source in another one, whatever policies allow, and reads nothing', async () => {
    const { lines, asked } = await reviewed('shop', 'bank')
    expect(lines).to.deep.equal([NOT_SERVED('spec.sourceRef.namespace', 'shop', 'name a source there')])
    expect(asked).to.deep.equal([])
  })

  it('refuses experiments in another one, of which a wider configuration asks', async () => {
    const { lines, asked } = await reviewed('bank')
    expect(lines).to.deep.equal([NOT_SERVED('metadata.namespace', 'bank', 'create the experiment there')])
    expect(asked).to.deep.equal([])
  })

  it('reads only there', async () => {
    const { lines, asked } = await reviewed('shop')
    expect(lines[0]).to.contain('[Plan] creates deployment/')
    expect(asked.length).to.be.greaterThan(3)
    const paths = asked.map((path) => JSON.stringify(path))
    expect(paths.filter((path) => path.includes('/namespaces/') && !path.includes('/namespaces/shop'))).to.deep.equal(
      [],
    )
  })
})
