import { expect } from 'chai'
import { advice } from '../../../common/advice/advice.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { aDeployment } from '../../builders.ts'

describe('the advice about an override', () => {
  it('is about containers, then references, then the rest', () => {
    const containers = [{ name: 'crat', command: ['sh -c env'] }]
    const found = advice({
      fork: aDeployment({ pod: { containers: [{ name: 'cart' }, ...containers] } }),
      source: {},
      sourceContainers: () => ['cart'],
      overrideSpec: { template: { spec: { serviceAccountName: 'robot', containers } } },
      overrideType: 'Strategic',
      shape: NO_SHAPE,
    })
    expect(found.map(({ reason }) => reason)).to.deep.equal(['NewContainer', 'NewReference', 'LikelyMistake'])
  })
})
