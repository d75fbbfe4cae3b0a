import { expect } from 'chai'
import fc from 'fast-check'
import { selects } from '../../../common/api/label-selector.ts'
import { derive, templateLabels } from '../../../common/fork/derive.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aBase, aDeployment, anExperiment, FORK } from '../../builders.ts'
import { LAW } from '../../property.ts'
import { rows, service, slice } from '../surroundings/rows.ts'

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
