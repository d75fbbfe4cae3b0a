import { expect } from 'chai'
import { advice, similarContainers } from '../../../common/advice/advice.ts'
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

const lines = (...names: readonly string[]) =>
  similarContainers(
    aDeployment({
      pod: { containers: names.map((name) => ({ name, image: 'a' })), initContainers: [{ name: 'init' }] },
    }),
    ['cart', 'init'],
  )

describe('the containers of a fork with a name close to one of the source', () => {
  it('M1: are told with the name that was probably meant', () =>
    expect(lines('cart', 'crat', 'Init')).to.deep.equal([
      'container crat is new: the source has none of this name; did you mean "cart"?',
      'container Init is new: the source has none of this name; did you mean "init"?',
    ]))

  it('are none if the source has them, or if their names are others', () =>
    expect(lines('cart', 'log-shipper')).to.deep.equal([]))
})
