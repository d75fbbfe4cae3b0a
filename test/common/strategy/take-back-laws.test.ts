import { expect } from 'chai'
import fc from 'fast-check'
import { at, type JsonObject, listOr } from '../../../common/json/json.ts'
import { LAW } from '../../property.ts'
import { cart, podWith, undone } from './taken-back.ts'

const X = ['1', '2'].map((value) => ({ name: 'X', value }))

describe('the laws of changes that are taken back', () => {
  const aName = fc.constantFrom('a', 'b', 'c', 'd')
  const aVariable = fc.record({ name: aName, value: fc.constantFrom('1', '2', '3') })
  const aList = fc.uniqueArray(aVariable, { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
  const aContainer = fc.record(
    {
      name: aName,
      image: fc.constantFrom('i:1', 'i:2', 'i:3'),
      env: fc.array(aVariable, { minLength: 1, maxLength: 4 }),
      resources: fc.record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', '2')) }),
      args: fc.array(aName, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['name', 'image'], noNullPrototype: true },
  )
  const aSpec = fc
    .uniqueArray(aContainer, { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
    .map((containers) => podWith(...(containers as unknown as readonly JsonObject[])))

  it('N11: are all that differ, where nobody has changed anything since', () =>
    fc.assert(
      fc.property(aSpec, aSpec, (before, after) => {
        expect(undone({ before, after, now: after }).spec).to.deep.equal(before)
        expect(undone({ before, after, now: before }).spec).to.deep.equal(before)
      }),
      LAW,
    ))

  it('N11: are all that differ, where others have only added a name twice to the same list', () =>
    fc.assert(
      fc.property(aList, aList, fc.nat(4), (before, after, index) => {
        const now = cart({ env: [...after.slice(0, index), ...X, ...after.slice(index)] })
        const { spec, left } = undone({ before: cart({ env: before }), after: cart({ env: after }), now })
        const isOfOthers = (variable: unknown) => at(variable, 'name') === 'X'
        const variables = listOr(at(listOr(at(spec, 'template', 'spec', 'containers'))[0], 'env'))
        expect(variables.filter(isOfOthers)).to.deep.equal(X)
        expect(variables.filter((each) => !isOfOthers(each))).to.deep.equal(before)
        expect(left).to.deep.equal([])
      }),
      LAW,
    ))

  it('N11: are taken back once: what is left then has nothing of the change, or was left before', () =>
    fc.assert(
      fc.property(aSpec, aSpec, aSpec, (before, after, now) => {
        const once = undone({ before, after, now })
        expect(undone({ before, after, now: once.spec }).spec).to.deep.equal(once.spec)
      }),
      LAW,
    ))
})
