import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { allowedProviders } from '../../../common/assess/allowed-providers.ts'

const provider = (name: string, namespaceSelector: object) =>
  [
    name,
    known({ metadata: { name }, spec: { type: 'Prometheus', address: 'https://a', namespaceSelector } as never }),
  ] as const

describe('the providers that a namespace may ask', () => {
  const providers = known(
    new Map([provider('secret', { matchLabels: { team: 'other' } }), provider('b', {}), provider('a', {})]),
  )
  const facts = (labels: Record<string, string> | undefined, all: typeof providers | typeof ABSENT = providers) => ({
    ...{ templates: ABSENT, clusterTemplates: ABSENT, providers: all },
    namespace: labels && { name: 'shop', labels },
  })

  it('are those whose selector selects it, by name', () => {
    expect(allowedProviders(facts({}))).to.deep.equal(['a', 'b'])
    expect(allowedProviders(facts({ team: 'other' }))).to.deep.equal(['a', 'b', 'secret'])
  })

  it('are none where labels or providers are not known, or there is no component', () => {
    expect(allowedProviders(facts(undefined))).to.deep.equal([])
    expect(allowedProviders({ ...facts({}), providers: unknown('not read') })).to.deep.equal([])
    expect(allowedProviders(undefined)).to.deep.equal([])
  })
})
