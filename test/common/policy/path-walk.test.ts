import { expect } from 'chai'
import { patternSteps } from '../../../common/override/path.ts'
import { matchPattern, shapeWithout } from '../../../common/policy/path-walk.ts'
import { shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'
import { DEPLOYMENT } from './kind-shapes.ts'

const object = (properties: object) => ({ type: 'object', properties })
const text = { type: 'string' }
const ROOT = shapeOf(
  transform(
    {
      // larger than a pod template, and every path in it is endless
      ...Object.fromEntries(
        Array.from({ length: 400 }, (_, at) => [
          `N${at}`,
          object(
            Object.fromEntries(
              Array.from({ length: 20 }, (_, to) => [
                `n${to}`,
                { $ref: `#/components/schemas/N${(at * 20 + to) % 400}` },
              ]),
            ),
          ),
        ]),
      ),
    },
    object({
      meta: object({ labels: { type: 'object', additionalProperties: text }, managedFields: { type: 'object' } }),
      dense: { $ref: '#/components/schemas/N0' },
      list: { type: 'array', items: text },
    }),
  ),
)
const walked = (pattern: string, onlyFields = false, root = ROOT) =>
  matchPattern(patternSteps(pattern) ?? [], root, onlyFields)

describe('S10: walk', () => {
  it('S10: says how many steps match, and where the next one fails', () => {
    expect(walked('meta.labels.app').isMatch).to.equal(true)
    const { isMatch, matched, stops } = walked('meta.lables.app')
    expect({ isMatch, matched }).to.deep.equal({ isMatch: false, matched: 1 })
    expect(stops.map(({ fields }) => fields)).to.deep.equal([['labels', 'managedFields']])
  })

  it('S10: after ** a key of a map is a match, but not of a field', () => {
    expect(walked('**.app').isMatch).to.equal(true)
    expect(walked('**.app', true).isMatch).to.equal(false)
    expect(walked('**.labels.app', true).isMatch).to.equal(true)
    expect(walked('meta.*.app', true).isMatch).to.equal(true)
  })

  it('S10: no wildcard reaches what the API server keeps in managedFields', () => {
    expect(walked('**.app.below').isMatch).to.equal(false)
    expect(walked('meta.managedFields.app.below').isMatch).to.equal(true)
  })

  it('S10: items of scalars have no name but their index', () => {
    expect(walked('list[0]').isMatch).to.equal(true)
    expect(walked('list[first]').isMatch).to.equal(false)
  })

  it('S10: gives up after many places, and then counts the pattern as a match', () => {
    expect(walked('**.*.'.repeat(50).concat('x')).isMatch).to.equal(true)
    expect(walked('**.'.repeat(84).concat('x'), true).isMatch).to.equal(true)
    expect(walked('**.x', true).isMatch).to.equal(false)
  })

  it('S10: of a kind without a schema only the pod template is known', () => {
    if (!DEPLOYMENT.shape) throw new Error('it has one')
    const root = shapeWithout(DEPLOYMENT.shape)
    expect(walked('anything.below', true, root).isMatch).to.equal(true)
    expect(walked('template.spec.hostNetwork', true, root).isMatch).to.equal(true)
    expect(walked('template.spec.hostNetwrok', true, root).isMatch).to.equal(false)
  })
})
