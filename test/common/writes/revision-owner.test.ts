import { expect } from 'chai'
import { EXPERIMENT_ID, OWNER_UID } from '../../../common/api/names.ts'
import { ownerOfRevision } from '../../../common/writes/revision-owner.ts'
import { anExperiment } from '../../builders.ts'

describe('the owner of a revision', () => {
  it('is the experiment, without the label by which a fork selects', () => {
    const experiment = anExperiment({})
    const { labels, ownerReferences } = ownerOfRevision(experiment)
    expect(labels).not.to.have.property(EXPERIMENT_ID)
    expect(ownerReferences?.map(({ uid }) => uid)).to.deep.equal([experiment.metadata.uid])
  })

  it('is named by a label where the source is in another namespace', () => {
    const experiment = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' } })
    const { labels, ownerReferences } = ownerOfRevision(experiment)
    expect(labels).to.include({ [OWNER_UID]: experiment.metadata.uid })
    expect(labels).not.to.have.property(EXPERIMENT_ID)
    expect(ownerReferences).to.equal(undefined)
  })
})
