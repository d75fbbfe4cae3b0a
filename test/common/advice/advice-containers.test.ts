import { expect } from 'chai'
import { similarContainers } from '../../../common/advice/advice.ts'
import { aDeployment } from '../../builders.ts'

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
