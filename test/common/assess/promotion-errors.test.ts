import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { PromotionSpec } from '../../../common/api/strategy.ts'
import { promoteErrors, promotionErrors } from '../../../common/assess/promotion-errors.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aRollout, aStatefulSet } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource } from '../plan/some-run.ts'

const lines = (facts: Parameters<typeof someFacts>[0]) =>
  promotionErrors(someFacts(facts)).map(({ field, message }) => `${field}: ${message}`)

const OTHER_APP = { template: { metadata: { labels: { app: 'other' } } } }
const SELECTED = { selector: { matchLabels: { app: 'cart', tier: 'shop' } } }
const withLabels = (labels: JsonObject, promotion: PromotionSpec | undefined = {}) => ({
  experiment: aRunExperiment({ overrideSpec: { template: { metadata: { labels } } }, promotion }),
  source: aSource(3, 'example/cart:1', {
    ...SELECTED,
    template: { metadata: { labels: { app: 'cart', tier: 'shop', team: 'a' } }, spec: { containers: [] } },
  }),
})

describe('the mistakes of a promotion', () => {
  it('are none without a promotion, without a source, and for what the source can take', () => {
    expect(lines({ ...withLabels({ app: 'other' }), experiment: aRunExperiment() })).to.deep.equal([])
    expect(lines({ ...withLabels({ app: 'other' }), source: undefined })).to.deep.equal([])
    expect(lines(withLabels({ team: 'b', added: 'c' }))).to.deep.equal([])
    expect(lines({ experiment: aRunExperiment({ promotion: {} }), source: aSource() })).to.deep.equal([])
  })

  it('include each label that the selector of the source needs', () =>
    expect(lines(withLabels({ app: 'other', tier: null, team: 'b' }))).to.deep.equal([
      'spec.overrideSpec.template.metadata.labels.app: deployment/cart selects its pods by this label; ' +
        'a promotion cannot change it; remove this or spec.promotion',
      'spec.overrideSpec.template.metadata.labels.tier: deployment/cart selects its pods by this label; ' +
        'a promotion cannot change it; remove this or spec.promotion',
    ]))

  it('include the labels as a whole, if the override removes them all', () => {
    const given = withLabels({})
    const experiment = aRunExperiment({ overrideSpec: { template: { metadata: { labels: null } } }, promotion: {} })
    expect(lines({ ...given, experiment }).map((line) => line.split(':')[0])).to.deep.equal([
      'spec.overrideSpec.template.metadata.labels',
    ])
  })

  it('include the fields of a StatefulSet that cannot be changed, unless the source has the same value', () => {
    const overrideSpec = { serviceName: 'other', podManagementPolicy: 'Parallel', minReadySeconds: 5 }
    const experiment = aRunExperiment({
      sourceRef: { kind: 'StatefulSet', name: 'cart' },
      overrideSpec,
      promotion: {},
    })
    const source = aStatefulSet({ spec: { podManagementPolicy: 'Parallel' } })
    expect(lines({ experiment, source, kind: known(statefulSet) })).to.deep.equal([
      'spec.overrideSpec.serviceName: cannot be changed in statefulset/cart once that exists; ' +
        'remove this or spec.promotion',
    ])
  })

  it('include a source that takes its template from another object', () => {
    const source = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })
    const errors = (promotion: PromotionSpec | undefined) => {
      const experiment = aRunExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' }, promotion })
      return promotionErrors(someFacts({ experiment, source, kind: known(rollout) })).map(({ field }) => field)
    }
    expect(errors({})).to.deep.equal(['spec.promotion'])
    expect(errors(undefined)).to.deep.equal([])
  })

  it('are those of the command "promote" where the spec does not speak of a promotion', () => {
    const told = (facts: Parameters<typeof someFacts>[0]) => promoteErrors(someFacts(facts))
    const unspoken = { ...withLabels({ app: 'other' }), experiment: aRunExperiment({ overrideSpec: OTHER_APP }) }
    expect(told(unspoken)).to.deep.equal([
      {
        field: 'metadata.annotations["experiment-controller.example.com/command"]',
        message:
          'promote: spec.overrideSpec.template.metadata.labels.app: deployment/cart selects its pods by this label; ' +
          'a promotion cannot change it',
        cause: 'FieldValueForbidden',
      },
    ])
    expect(told(withLabels({ app: 'other' }))).to.deep.equal([])
  })
})
