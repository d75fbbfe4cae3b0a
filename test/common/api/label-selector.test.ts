import { expect } from 'chai'
import fc from 'fast-check'
import { requirementsOf, selects } from '../../../common/api/label-selector.ts'
import { derive, templateLabels } from '../../../common/fork/derive.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aBase, aDeployment, anExperiment, FORK } from '../../builders.ts'
import { LAW } from '../../property.ts'
import { rows, service, slice } from '../surroundings/rows.ts'

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

/** Few keys and values, so that selectors and labels often match. */
const keys = fc.constantFrom('app', 'tier', 'track')
const values = fc.constantFrom('a', 'b')
const labels = fc.dictionary(keys, values, { noNullPrototype: true })
/** Never empty: a Service without a selector is not kept at all. */
const selectors = fc.dictionary(keys, values, { noNullPrototype: true, minKeys: 1 })
const isPartOf = (part: object, whole: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value)

describe('the laws of selection', function () {
  this.timeout(60_000)

  it('a Service selects the fork exactly if its selector is part of the labels of the fork’s pods', () => {
    fc.assert(
      fc.property(selectors, labels, labels, (selector, ofSource, added) => {
        const source = aDeployment({ podLabels: ofSource })
        const template = { metadata: { labels: added } } as JsonObject
        const experiment = anExperiment({ overrideSpec: { template } })
        const derived = derive({ kind: deployment, experiment, base: aBase(source), schema: undefined, replicas: 1 })
        if (derived.is !== 'fork') throw new Error(derived.reason)
        const { fork } = derived
        const [row] = rows([service('cart', selector)], [], { source, fork })
        const [ofFork, concerned] = [templateLabels(fork), templateLabels(source)]
        expect(row?.selected ?? false).to.equal(isPartOf(selector, ofFork))
        expect(row !== undefined).to.equal(isPartOf(selector, ofFork) || isPartOf(selector, concerned))
      }),
      LAW,
    )
  })

  it('the selector of a fork matches its own pods and none of its source', () => {
    fc.assert(
      fc.property(labels, (podLabels) => {
        const source = aDeployment({ podLabels })
        const derived = derive({
          kind: deployment,
          experiment: anExperiment(),
          base: aBase(source),
          schema: undefined,
          replicas: 1,
        })
        if (derived.is !== 'fork') throw new Error(derived.reason)
        const { selector } = derived.fork.spec as { selector: unknown }
        expect([
          selects(selector, templateLabels(derived.fork)),
          selects(selector, templateLabels(source)),
        ]).to.deep.equal([true, false])
      }),
      LAW,
    )
  })

  it('a share counts each ready pod once, and the fork’s pods by the name of the fork', () => {
    const pods = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 })), { maxLength: 30 })
    fc.assert(
      fc.property(pods, pods, (first, second) => {
        const name = ([isOurs, index]: readonly [boolean, number]) =>
          isOurs ? `${FORK}-7d9f-${index}` : `cart-5c6b-${index}`
        const all = new Set([...first, ...second].map(name))
        const slices = [slice('cart', ...first.map(name)), slice('cart', ...second.map(name))]
        const [row] = rows([service('cart', { app: 'cart' })], slices)
        const mine = [...all].filter((pod) => pod.startsWith(FORK)).length
        expect([row?.readyEndpoints, row?.experimentEndpoints]).to.deep.equal([all.size, mine])
      }),
      LAW,
    )
  })
})
