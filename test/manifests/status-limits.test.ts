import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { shippedOne } from './shipped.ts'

const OURS = 'experimentcontroller.example.com'
const { spec } = shippedOne('base', 'ValidatingAdmissionPolicy', 'experiment-status')

describe('the limits on what only the controller writes', () => {
  it('A29: are about each status, and about what an analysis run asks', () => {
    const rules = listOr(at(spec, 'matchConstraints', 'resourceRules'))
    const matched = rules.flatMap((rule) => {
      expect([at(rule, 'apiGroups'), at(rule, 'apiVersions')]).to.deep.equal([[OURS], ['*']])
      return listOr(at(rule, 'operations')).flatMap((verb) =>
        listOr(at(rule, 'resources')).map((resource) => `${verb} ${resource}`),
      )
    })
    expect(matched.sort()).to.deep.equal([
      'CREATE experimentanalysisruns',
      'UPDATE experimentanalysisruns',
      'UPDATE experimentanalysisruns/status',
      'UPDATE experimentdeployments/status',
    ])
  })

  it('ask for a permission that the controller has with and without analyses', () => {
    const [{ expression }, ...others] = listOr(at(spec, 'validations')) as [{ readonly expression: string }]
    const rules = listOr(at(shippedOne('base', 'ClusterRole', 'experiment-controller'), 'rules'))
    expect(others).to.deep.equal([])
    expect(expression).to.include("resource('experimentdeployments').subresource('status') .check('patch')")
    expect(rules).to.deep.include({
      apiGroups: [OURS],
      resources: ['experimentdeployments/status'],
      verbs: ['patch'],
    })
  })
})
