import { expect } from 'chai'
import { refreshOnMiss } from '../../../common/schema/refresher.ts'
import { ANY_SCHEMA } from '../../builders.ts'

describe('refreshOnMiss', () => {
  it('calls hurry for a kind without a schema, and for no other', () => {
    let hurries = 0
    const schemas = { schemaOf: (kind: string) => (kind === 'Deployment' ? ANY_SCHEMA : undefined) }
    const { schemaOf } = refreshOnMiss(schemas, () => {
      hurries += 1
    })
    expect(schemaOf('Deployment')).to.equal(ANY_SCHEMA)
    expect(hurries).to.equal(0)
    expect(schemaOf('Rollout')).to.equal(undefined)
    expect(hurries).to.equal(1)
  })
})
