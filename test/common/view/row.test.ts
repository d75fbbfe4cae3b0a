import { expect } from 'chai'
import { REQUESTED_BY } from '../../../common/api/names.ts'
import { rowOf } from '../../../common/view/row.ts'
import { anExperiment } from '../../builders.ts'
import { aPausedRun, aToldExperiment } from './some-view.ts'

describe('a row of a list', () => {
  it('has what the experiment alone tells', () => {
    const experiment = aToldExperiment(
      {
        ...aToldExperiment().status,
        ...{ pods: '1/1', share: '8%', changes: 'containers[cart].image', violatedPolicies: ['limits'] },
        services: [{ name: 'cart', selected: true, experimentEndpoints: 1, readyEndpoints: 13 }],
      },
      { ttlSeconds: 7_200, metadata: { annotations: { [REQUESTED_BY]: 'ada' } } },
    )
    expect(rowOf(experiment)).to.deep.equal({
      ...{ namespace: 'shop', name: 'faster-cart', uid: experiment.metadata.uid, resourceVersion: '10' },
      ...{ state: 'Running', source: 'deployment/cart', pods: '1/1', share: '8%', changes: 'containers[cart].image' },
      ...{ reason: 'Available', message: 'told: Available' },
      deadline: { what: 'expires', at: '2026-11-21T11:00:00Z' },
      services: [{ name: 'cart', own: 1, all: 13 }],
      ...{ isAlone: false, policies: ['limits'], createdAt: '2026-11-21T09:00:00Z', requestedBy: 'ada' },
    })
  })

  it('says where a source in another namespace is', () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'store' }
    expect(rowOf(anExperiment({ sourceRef })).source).to.equal('deployment/store/cart')
  })

  it('says how many steps of a run are done', () => {
    expect(rowOf(aPausedRun().world.experiment).step).to.equal('1/7')
    expect(rowOf(anExperiment({ promotion: {} }))).to.not.have.property('step')
  })

  it('says whether the fork is alone behind a Service', () => {
    const warned = (reason: 'AloneBehindService' | 'QueueWorker') =>
      rowOf(aToldExperiment({ warnings: [{ reason, message: 'm' }] })).isAlone
    expect([warned('AloneBehindService'), warned('QueueWorker')]).to.deep.equal([true, false])
  })
})
