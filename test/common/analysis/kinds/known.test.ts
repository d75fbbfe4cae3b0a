import { expect } from 'chai'
import { knownProvider, knownTemplate } from '../../../../common/analysis/kinds/known.ts'
import { UNREAD } from '../../../../common/api/object.ts'

const stored = (spec: object) => ({ apiVersion: 'a', kind: 'b', metadata: { name: 'x' }, spec })

describe('a stored object of an analysis', () => {
  it('is known if it is as the API says', () => {
    const metric = { name: 'errors', kind: 'Health', provider: 'kubernetes' }
    expect(knownTemplate(stored({ metrics: [metric] }))).to.have.property('is', 'known')
    const spec = { type: 'Web', address: 'https://a', namespaceSelector: {} }
    expect(knownProvider(stored(spec))).to.deep.equal({ is: 'known', value: { metadata: { name: 'x' }, spec } })
  })

  it('N29: is unknown if it is too large to be read', () => {
    const because = 'it is too large to be read: it is longer than 1.5 MiB'
    for (const read of [knownTemplate, knownProvider])
      expect(read({ ...stored({}), [UNREAD]: 'it is longer than 1.5 MiB' })).to.deep.equal({ is: 'unknown', because })
  })

  it('is unknown, with its first mistake, if not', () => {
    const template = knownTemplate(stored({ metrics: 'none' }))
    expect(template.is === 'unknown' && template.because).to.match(/^spec\.metrics: must be .*$/)
    const provider = knownProvider(stored({ type: 'Other', namespaceSelector: {} }))
    expect(provider.is === 'unknown' && provider.because).to.match(/^spec\.type: must be /)
  })
})
