import { expect } from 'chai'
import { refusingNames } from '../../../crds/schema/refusing.ts'

describe('fields that are always refused', () => {
  it('are known to the schema, and a rule says what to write instead', () => {
    const { rules, refused } = refusingNames(
      { ttl: 'write ttlSeconds', canary: 'write strategy' },
      { ttl: 'numberOrText' },
    )
    expect(rules).to.deep.equal([
      { rule: '!has(self.ttl)', reason: 'FieldValueForbidden', fieldPath: '.ttl', message: 'write ttlSeconds' },
      { rule: '!has(self.canary)', reason: 'FieldValueForbidden', fieldPath: '.canary', message: 'write strategy' },
    ])
    expect(refused.ttl).to.deep.include({ 'x-kubernetes-int-or-string': true })
    expect(refused.canary).to.deep.include({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
    expect(refused.ttl?.description).to.equal('Always refused, with what to write instead.')
  })
})
