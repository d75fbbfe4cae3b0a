import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import { selects } from '../../../common/workload/selector.ts'

const expression = (operator: string, ...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key: 'tier', operator, ...(values.length > 0 ? { values } : {}) }],
})

/** Which of a pod with `tier=web` and one without a tier is selected. */
const cases: Record<string, readonly [unknown, boolean, boolean]> = {
  'none at all selects nothing': [undefined, false, false],
  'an empty one selects everything': [{}, true, true],
  'labels must be equal': [{ matchLabels: { tier: 'web' } }, true, false],
  'In wants one of the values': [expression('In', 'db', 'web'), true, false],
  'NotIn takes what has no such label': [expression('NotIn', 'web'), false, true],
  'Exists wants the label': [expression('Exists'), true, false],
  'DoesNotExist wants none': [expression('DoesNotExist'), false, true],
  'an operator of a later version selects nothing': [expression('Like', 'w*'), false, false],
  'all must hold': [{ matchLabels: { tier: 'web' }, ...expression('NotIn', 'web') }, false, false],
}

describe('a label selector', () => {
  for (const [sentence, [selector, web, none]] of Object.entries(cases))
    it(sentence, () =>
      expect([selects(selector, { tier: 'web' }), selects(selector, { app: 'cart' })]).to.deep.equal([web, none]),
    )

  describe('by a key that every object inherits', () => {
    const by = (operator: string, ...values: readonly string[]) => ({
      matchExpressions: [{ key: 'constructor', operator, values }],
    })
    const labelled = { constructor: 'web' }

    it('sees none where there is no such label', () => {
      expect(selects(by('Exists'), {})).to.equal(false)
      expect(selects(by('DoesNotExist'), {})).to.equal(true)
      expect(selects(by('In', 'web'), {})).to.equal(false)
      expect(selects(by('NotIn', 'web'), {})).to.equal(true)
      expect(selects({ matchLabels: labelled }, {})).to.equal(false)
    })

    it('sees one that is there', () => {
      expect(selects(by('Exists'), labelled)).to.equal(true)
      expect(selects(by('DoesNotExist'), labelled)).to.equal(false)
      expect(selects(by('In', 'web'), labelled)).to.equal(true)
      expect(selects(by('NotIn', 'web'), labelled)).to.equal(false)
      expect(selects({ matchLabels: labelled }, labelled)).to.equal(true)
    })
  })

  it('whose key is no text selects nothing by it, and breaks nothing', () => {
    const key = { toString: 'x' }
    expect(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, { tier: 'web' })).to.equal(false)
  })
})
