import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import {
  withAccountAlias,
  withOverriddenAccount,
  withoutAccountAlias,
} from '../../../common/workload/service-account.ts'

describe('D1: withoutAccountAlias', () => {
  const cases: Record<string, readonly [pod: JsonObject, expected: JsonObject]> = {
    'moves the value of the alias to the name': [{ serviceAccount: 'a' }, { serviceAccountName: 'a' }],
    'prefers the name': [{ serviceAccount: 'a', serviceAccountName: 'b' }, { serviceAccountName: 'b' }],
    'takes the alias where the name is empty': [
      { serviceAccount: 'a', serviceAccountName: '' },
      { serviceAccountName: 'a' },
    ],
    'drops an empty alias': [{ serviceAccount: '' }, {}],
    'leaves a pod without the alias': [{ hostNetwork: true }, { hostNetwork: true }],
  }
  for (const [sentence, [pod, expected]] of Object.entries(cases))
    it(sentence, () => expect(withoutAccountAlias(pod)).to.deep.equal(expected))
})

describe('D1: withOverriddenAccount', () => {
  const cases: Record<string, readonly [merged: JsonObject, override: JsonObject, expected: JsonObject]> = {
    'honours an override of the alias alone': [
      { serviceAccountName: 'of-source', serviceAccount: 'a' },
      { serviceAccount: 'a' },
      { serviceAccountName: 'a' },
    ],
    'lets serviceAccountName win if the override sets both, as the API server does': [
      { serviceAccountName: 'b', serviceAccount: 'a' },
      { serviceAccountName: 'b', serviceAccount: 'a' },
      { serviceAccountName: 'b' },
    ],
    'honours the alias beside a name that is set to null': [
      { serviceAccount: 'a' },
      { serviceAccountName: null, serviceAccount: 'a' },
      { serviceAccountName: 'a' },
    ],
    'keeps the account of the source beside an empty alias, as the API server does': [
      { serviceAccountName: 'of-source', serviceAccount: '' },
      { serviceAccount: '' },
      { serviceAccountName: 'of-source' },
    ],
  }
  for (const [sentence, [merged, override, expected]] of Object.entries(cases))
    it(sentence, () => {
      const found = withOverriddenAccount({ metadata: {}, spec: merged }, { template: { spec: override } })
      expect(found).to.deep.equal({ metadata: {}, spec: expected })
    })

  it('leaves a template without the alias as it is', () => {
    for (const template of [{}, { spec: null }, { spec: { serviceAccountName: 'a' } }])
      expect(withOverriddenAccount(template, {})).to.equal(template)
  })
})

describe('D1: withAccountAlias', () => {
  it('adds the alias beside the name', () => {
    const spec = { replicas: 1, template: { metadata: {}, spec: { serviceAccountName: 'a', containers: [] } } }
    const pod = { serviceAccountName: 'a', serviceAccount: 'a', containers: [] }
    expect(withAccountAlias(spec)).to.deep.equal({ replicas: 1, template: { metadata: {}, spec: pod } })
  })

  it('leaves a spec without an account as it is', () => {
    for (const spec of [{}, { template: { spec: {} } }, { template: { spec: { serviceAccountName: '' } } }])
      expect(withAccountAlias(spec)).to.equal(spec)
  })
})
