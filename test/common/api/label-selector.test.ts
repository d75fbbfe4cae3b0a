import { expect } from 'chai'
import { requirementsOf, selects } from '../../../common/api/label-selector.ts'
import type { JsonObject } from '../../../common/json/json.ts'

const expression = (operator: string, ...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key: 'tier', operator, ...(values.length > 0 ? { values } : {}) }],
})

/** A selector, whether it selects a pod with `tier=web`, and whether it selects one without the label `tier`. */
const cases: Record<string, readonly [unknown, boolean, boolean]> = {
  'is absent: it selects nothing': [undefined, false, false],
  'is empty: it selects everything': [{}, true, true],
  'has matchLabels: their values must be equal': [{ matchLabels: { tier: 'web' } }, true, false],
  'has In: the label must have one of the values': [expression('In', 'db', 'web'), true, false],
  'has NotIn: the label may be absent': [expression('NotIn', 'web'), false, true],
  'has Exists: the label must be there': [expression('Exists'), true, false],
  'has DoesNotExist: the label must be absent': [expression('DoesNotExist'), false, true],
  'has an operator of a later version: it selects nothing': [expression('Like', 'w*'), false, false],
  'has several requirements: all must match': [
    { matchLabels: { tier: 'web' }, ...expression('NotIn', 'web') },
    false,
    false,
  ],
}

describe('selects, where the selector', () => {
  for (const [sentence, [selector, web, none]] of Object.entries(cases))
    it(sentence, () =>
      expect([selects(selector, { tier: 'web' }), selects(selector, { app: 'cart' })]).to.deep.equal([web, none]),
    )

  describe('uses a key that every object inherits', () => {
    const by = (operator: string, ...values: readonly string[]) => ({
      matchExpressions: [{ key: 'constructor', operator, values }],
    })
    const labelled = { constructor: 'web' }

    it('does not take the inherited member for a label', () => {
      expect(selects(by('Exists'), {})).to.equal(false)
      expect(selects(by('DoesNotExist'), {})).to.equal(true)
      expect(selects(by('In', 'web'), {})).to.equal(false)
      expect(selects(by('NotIn', 'web'), {})).to.equal(true)
      expect(selects({ matchLabels: labelled }, {})).to.equal(false)
    })

    it('finds the label if there is one', () => {
      expect(selects(by('Exists'), labelled)).to.equal(true)
      expect(selects(by('DoesNotExist'), labelled)).to.equal(false)
      expect(selects(by('In', 'web'), labelled)).to.equal(true)
      expect(selects(by('NotIn', 'web'), labelled)).to.equal(false)
      expect(selects({ matchLabels: labelled }, labelled)).to.equal(true)
    })
  })

  it('has a key that is no text: it selects nothing and does not throw', () => {
    const key = { toString: 'x' }
    expect(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, { tier: 'web' })).to.equal(false)
  })
})

describe('requirementsOf', () => {
  it('writes each requirement as the API server reads it', () =>
    expect(
      [
        { matchLabels: { app: 'cart', tier: 'web' } },
        expression('In', 'db', 'web'),
        expression('NotIn', 'web'),
        expression('Exists'),
        expression('DoesNotExist'),
      ].map(requirementsOf),
    ).to.deep.equal([['app=cart', 'tier=web'], ['tier in (db,web)'], ['tier notin (web)'], ['tier'], ['!tier']]))

  it('finds none where there are none', () =>
    expect([undefined, {}, null, 'x'].map(requirementsOf)).to.deep.equal([[], [], [], []]))
})
