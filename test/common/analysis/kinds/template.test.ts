import { expect } from 'chai'
import { decodeTemplate } from '../../../../common/analysis/kinds/template.ts'
import { ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE } from '../../../../common/api/names.ts'

const METRIC = { name: 'a', kind: 'Latency', provider: 'p', prometheus: { histogram: 'h' } }
const stored = (spec: object, metadata = { name: 'http', namespace: 'shop', uid: 'x' }) => ({
  ...ANALYSIS_TEMPLATE,
  metadata,
  spec,
})

describe('a stored template', () => {
  it('is read with the members that we use', () =>
    expect(
      decodeTemplate(stored({ args: [{ name: 'route' }, { name: 'code', value: '5..', more: 1 }], metrics: [METRIC] })),
    ).to.deep.equal({
      is: 'template',
      template: {
        metadata: { name: 'http', namespace: 'shop' },
        spec: { args: [{ name: 'route' }, { name: 'code', value: '5..' }], metrics: [METRIC] },
      },
    }))

  it('of the cluster has no namespace', () => {
    const { template } = {
      template: undefined,
      ...decodeTemplate({ ...CLUSTER_ANALYSIS_TEMPLATE, metadata: { name: 'http' }, spec: { metrics: [METRIC] } }),
    }
    expect(template).to.deep.equal({ metadata: { name: 'http' }, spec: { metrics: [METRIC] } })
  })

  it('that is malformed says where', () =>
    expect(decodeTemplate(stored({ args: [{ name: '1' }], metrics: [] }))).to.deep.equal({
      is: 'malformed',
      errors: [
        {
          field: 'spec.args[0].name',
          message: 'must be a name of letters, digits, _ and -',
          cause: 'FieldValueTypeInvalid',
        },
        {
          field: 'spec.metrics',
          message: 'must be a list of 1 to 8 items',
          cause: 'FieldValueTypeInvalid',
        },
      ],
    }))
})
