import { expect } from 'chai'
import { REVIEWED_TEMPLATE } from '../../../common/api/names.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { referentName, reviewedReferent, templateElsewhere } from '../../../common/workload/referent.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, anExperiment, aRollout } from '../../builders.ts'

describe('referentName', () => {
  it('is the kind and the name of the object from which a Rollout takes its template', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
    expect(referentName(rollout, aRollout({ workloadRef }))).to.equal('Deployment/base')
    expect(referentName(rollout, aRollout({}))).to.equal(undefined)
    expect(referentName(deployment, aDeployment())).to.equal(undefined)
  })
})

describe('templateElsewhere', () => {
  it('names the object that a promotion would have to write', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
    expect(templateElsewhere(rollout, aRollout({ workloadRef }))).to.match(/takes its template from deployment\/base/)
    expect(templateElsewhere(rollout, aRollout({}))).to.equal(undefined)
    expect(templateElsewhere(deployment, aDeployment())).to.equal(undefined)
  })
})

describe('reviewedReferent', () => {
  const of = (value: string) => anExperiment({ metadata: { annotations: { [REVIEWED_TEMPLATE]: value } } })

  it('is the object that the annotation names', () => {
    const found = reviewedReferent(rollout, of('PodTemplate/base'))
    expect([found?.resource.plural, found?.name]).to.deep.equal(['podtemplates', 'base'])
  })

  for (const value of [
    'Secret/base',
    'Deployment',
    'Deployment/',
    'Deployment/../x',
    'Deployment/a/b',
    'Deployment/A',
    '',
  ])
    it(`is undefined for ${JSON.stringify(value)}`, () =>
      expect(reviewedReferent(rollout, of(value))).to.equal(undefined))

  it('is undefined for a kind whose template is always its own', () =>
    expect(reviewedReferent(deployment, of('Deployment/base'))).to.equal(undefined))
})
